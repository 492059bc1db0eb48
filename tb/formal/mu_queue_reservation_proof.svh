// SPDX-License-Identifier: Apache-2.0
// What is proved of mu_queue_reservation: each question is answered once, two cycles later; OK says that
// slots were reserved, which they are exactly if the rules allow it and there is room.
  logic                past_q = 1'b0;
  logic                asked_get_q, asked_push_q, allowed_q, reserved_q, owner_q;
  logic                get_before_q, push_before_q, allowed_before_q, reserved_before_q, owner_before_q;
  logic                accepted_q;
  logic [88:0]         here_q, before_q;
  logic                allowed;
  always_comb begin
    allowed = 1'b0;
    if (known_i && get_i && !reflected_i) allowed = setup_i[2:0] == mu_pkg::QUEUE_MODE_REMOTE_GET;
    if (known_i && get_i && reflected_i) allowed = setup_i[2:0] == mu_pkg::QUEUE_MODE_REFLECTION;
    if (known_i && push_i) allowed = setup_i[2:0] == mu_pkg::QUEUE_MODE_PUSH && setup_i[6:3] == client_i;
    if (!past_q) assume (!rst_ni);
    assume (!(get_i && push_i));
    reserves_what_is_allowed : assert (reserve_o == allowed);
  end
  always_ff @(posedge clk_i) begin
    past_q  <= 1'b1;
    asked_get_q  <= rst_ni && get_i;
    asked_push_q <= rst_ni && push_i;
    {allowed_q, reserved_q, accepted_q} <= {allowed, reserve_o, accept_i};
    get_before_q  <= rst_ni && asked_get_q;
    push_before_q <= rst_ni && asked_push_q;
    {allowed_before_q, reserved_before_q, owner_before_q, before_q} <=
        {allowed_q, reserved_q, owner_q, here_q};
    // A push into a queue of its mode that another client owns.
    owner_q <= push_i && known_i && setup_i[2:0] == mu_pkg::QUEUE_MODE_PUSH && setup_i[6:3] != client_i;
    here_q <= {position_i, size_i, base_i};
    if (past_q) begin
      get_is_answered_once : assert (get_slots_valid_o == get_before_q);
      push_is_answered_once : assert (push_slots_valid_o == push_before_q);
      busy_until_answered : 
      assert (busy_o == (asked_get_q || asked_push_q || get_before_q || push_before_q));
      if (get_before_q || push_before_q) begin
        granted_if_reserved_with_room :
        assert ((slots_o.status == mu_pkg::STATUS_OK) == (reserved_before_q && accepted_q));
        full_if_only_room_is_missing :
        assert ((slots_o.status == mu_pkg::STATUS_QUEUE_FULL) == (allowed_before_q && !accepted_q));
        owner_is_told_from_the_rest : assert ((slots_o.status == mu_pkg::STATUS_DOORBELL_OWNER) == owner_before_q);
        else_the_queue_is_invalid :
        assert ((slots_o.status == mu_pkg::STATUS_QUEUE_INVALID) == (!allowed_before_q && !owner_before_q));
        slots_lie_where_the_queue_is : assert ({slots_o.position, slots_o.size[24:0], slots_o.base} == before_q);
      end
    end
  end
