// SPDX-License-Identifier: Apache-2.0
// mu_queue_reservation: whether a reservation of ring slots is granted, and where the slots lie.
//
//   get_i / push_i, state of the queue ---> [ mode, owner ] ---> reserve_o
//                              accept_i ---> [ room ] ---> get_slots, push_slots
//
// Behaviour: get_i is granted in a queue of mode REMOTE_GET, with reflected_i of mode REFLECTION; push_i in
//   one of mode PUSH that client_i owns; both need room (accept_i in the next cycle, from the ring's
//   arithmetic). Else the status of the slots says why: QUEUE_INVALID, DOORBELL_OWNER or QUEUE_FULL, and
//   nothing was reserved.
// Latency: reserve_o at once, the slots two cycles later; one reservation a cycle.
// Limits: get_i and push_i not in the same cycle. known_i low stands for a queue that is missing or being
//   configured: QUEUE_INVALID.
`default_nettype none

module mu_queue_reservation (
    input  logic                clk_i,
    input  logic                rst_ni,
    output logic                busy_o,
    // who asks
    input  logic                get_i,
    input  logic                reflected_i,
    input  logic                push_i,
    input  logic [3:0]          client_i,
    // queue table
    input  logic                known_i,
    input  logic [6:0]          setup_i,  // owner, mode
    input  mu_pkg::address_t    base_i,
    input  logic [24:0]         size_i,
    input  logic [23:0]         index_i,  // of the first slot that is free
    output logic                reserve_o,
    input  logic                accept_i,
    // answer
    output logic                get_slots_valid_o,
    output logic                push_slots_valid_o,
    output mu_pkg::ring_slots_t slots_o
);
  mu_pkg::status_e status;
  logic get_q, push_q, get_slots_q, push_slots_q;
  mu_pkg::ring_slots_t found_q, slots_q;

  always_comb begin
    status = mu_pkg::STATUS_OK;
    if (get_i) begin
      if (!known_i ||
          setup_i[2:0] != (reflected_i ? mu_pkg::QUEUE_MODE_REFLECTION : mu_pkg::QUEUE_MODE_REMOTE_GET))
        status = mu_pkg::STATUS_QUEUE_INVALID;
    end else if (push_i) begin
      if (!known_i || setup_i[2:0] != mu_pkg::QUEUE_MODE_PUSH) status = mu_pkg::STATUS_QUEUE_INVALID;
      else if (setup_i[6:3] != client_i) status = mu_pkg::STATUS_DOORBELL_OWNER;
    end
  end

  assign reserve_o          = (get_i || push_i) && status == mu_pkg::STATUS_OK;
  assign busy_o             = get_q || push_q || get_slots_q || push_slots_q;
  assign get_slots_valid_o  = get_slots_q;
  assign push_slots_valid_o = push_slots_q;
  assign slots_o            = slots_q;

  always_ff @(posedge clk_i) begin
    get_q        <= rst_ni && get_i;
    push_q       <= rst_ni && push_i;
    get_slots_q  <= rst_ni && get_q;
    push_slots_q <= rst_ni && push_q;
    if (get_i || push_i) begin
      found_q.status   <= status;
      found_q.position <= index_i & (size_i[23:0] - 24'd1);
      found_q.size     <= 32'(size_i);
      found_q.base     <= base_i;
    end
    if (get_q || push_q) begin
      slots_q <= found_q;
      if (found_q.status == mu_pkg::STATUS_OK && !accept_i) slots_q.status <= mu_pkg::STATUS_QUEUE_FULL;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      one_reservation : assert (!(get_i && push_i));
      grants_only_open_queues : assert (!reserve_o || setup_i[2:0] >= mu_pkg::QUEUE_MODE_PUSH);
    end
  end

`ifdef PROVE_MU_QUEUE_RESERVATION
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
    here_q <= {index_i & (size_i[23:0] - 24'd1), size_i, base_i};
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
        owner_is_told_from_the_rest : assert ((slots_o.status == mu_pkg::STATUS_DOORBELL_OWNER) ==
            owner_before_q);
        else_the_queue_is_invalid :
        assert ((slots_o.status == mu_pkg::STATUS_QUEUE_INVALID) == (!allowed_before_q && !owner_before_q));
        slots_lie_where_the_queue_is : assert ({slots_o.position, slots_o.size[24:0], slots_o.base} ==
            before_q);
      end
    end
  end
`endif
endmodule
`default_nettype wire
