// SPDX-License-Identifier: Apache-2.0
// mu_router_eject: one class of the local output: flits that have arrived, as a stream.
//
//   data_<d>_i (flit of input d) ---> [ select ] ---> [ output register ] ---> eject (valid/ready/data)
//                                       |---> open_o
//
// Behaviour: open_o tells the switch that the register is free or being emptied; a flit sent then stands at
//   eject_*_o in the next cycle and holds until eject_ready_i takes it.
// Latency: one cycle; a flit a cycle.
// Limits: a send while open_o is low would lose a flit: asserted.
`default_nettype none

module mu_router_eject (
    input  logic               clk_i,
    input  logic               rst_ni,
    // switch
    output logic               open_o,
    input  logic               send_i,
    input  logic               first_i,
    input  logic               last_i,
    input  logic [6:0]         owner_i,
    input  mu_pkg::flit_data_t data_xp_i, data_xm_i, data_yp_i, data_ym_i,
    input  mu_pkg::flit_data_t data_zp_i, data_zm_i, data_local_i,
    // packet receiver
    output logic               eject_valid_o,
    input  logic               eject_ready_i,
    output logic               eject_head_o,
    output logic               eject_tail_o,
    output mu_pkg::flit_data_t eject_data_o
);
  logic               valid_q;
  logic               head_q;
  logic               tail_q;
  mu_pkg::flit_data_t data_q;

  assign open_o        = !valid_q || eject_ready_i;
  assign eject_valid_o = valid_q;
  assign eject_head_o  = head_q;
  assign eject_tail_o  = tail_q;
  assign eject_data_o  = data_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= 1'b0;
    else if (send_i || (valid_q && eject_ready_i)) valid_q <= send_i;
  end

  always_ff @(posedge clk_i) begin
    if (send_i) begin
      head_q <= first_i;
      tail_q <= last_i;
      (* parallel_case *) case (1'b1)
        owner_i[0]: data_q <= data_xp_i;
        owner_i[1]: data_q <= data_xm_i;
        owner_i[2]: data_q <= data_yp_i;
        owner_i[3]: data_q <= data_ym_i;
        owner_i[4]: data_q <= data_zp_i;
        owner_i[5]: data_q <= data_zm_i;
        owner_i[6]: data_q <= data_local_i;
        default: ;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      sends_only_when_open : assert (!send_i || open_o);
      from_one_source : assert (!send_i || $onehot(owner_i));
    end
  end

`ifdef PROVE_MU_ROUTER_EJECT
  // Everything sent stands at the output until it is taken; the lowest word of the data stands for all of it.
  logic        past_q = 1'b0;
  logic        held_q = 1'b0;
  logic        sent_q = 1'b0;
  logic [17:0] seen_q;
  always_comb if (!past_q) assume (!rst_ni);
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    held_q <= rst_ni && eject_valid_o && !eject_ready_i;
    sent_q <= rst_ni && send_i;
    seen_q <= {head_q, tail_q, data_q[15:0]};
    if (past_q && rst_ni) begin
      assume (!send_i || (open_o && $onehot(owner_i)));
      opens_when_it_can : assert (open_o == (!eject_valid_o || eject_ready_i));
      if (sent_q) shows_what_was_sent : assert (eject_valid_o);
      if (held_q) holds_until_taken : assert (eject_valid_o && seen_q == {head_q, tail_q, data_q[15:0]});
    end
  end
`endif
endmodule
`default_nettype wire
