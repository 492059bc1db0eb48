// SPDX-License-Identifier: Apache-2.0
// mu_queue_turns: who has the queue table in this cycle.
//
//   wishes (valid, queue) ---> [ fixed order ] ---> grants, at most one; look_o, queue_o
//
// Behaviour: at most one wish is granted a cycle: register, retire, rewind, hold, enable, publish, get
//   reserve, push reserve, fetch, and last a write of config, which also waits for idle_i. ready_o of a wish
//   says that it would be granted; a register access and the two last wishes are granted without asking.
//   look_o says that queue_o is looked at: for who is granted, or for a register access that waits.
// Latency: combinational.
// Limits: enable_i low: nobody is granted.
`default_nettype none

module mu_queue_turns (
    input  logic       enable_i,
    // wishes, in order of priority
    input  logic       register_valid_i,
    input  logic [7:0] register_queue_i,
    input  logic       register_config_i,  // it writes a config
    input  logic       idle_i,             // nothing of the queue to configure is in flight
    input  logic       retire_valid_i,
    output logic       retire_ready_o,
    input  logic [7:0] retire_queue_i,
    input  logic       rewind_valid_i,
    output logic       rewind_ready_o,
    input  logic [7:0] rewind_queue_i,
    input  logic       hold_valid_i,
    output logic       hold_ready_o,
    input  logic [7:0] hold_queue_i,
    input  logic       enable_valid_i,
    output logic       enable_ready_o,
    input  logic [7:0] enable_queue_i,
    input  logic       publish_valid_i,
    output logic       publish_ready_o,
    input  logic [7:0] publish_queue_i,
    input  logic       get_reserve_valid_i,
    output logic       get_reserve_ready_o,
    input  logic [7:0] get_reserve_queue_i,
    input  logic       push_reserve_valid_i,
    output logic       push_reserve_ready_o,
    input  logic [7:0] push_reserve_queue_i,
    input  logic       fetch_valid_i,
    input  logic [7:0] fetch_queue_i,
    // granted, at most one
    output logic       register_first_o,
    output logic       register_last_o,    // a write of config
    output logic       retire_o,
    output logic       rewind_o,
    output logic       hold_o,
    output logic       enable_o,
    output logic       publish_o,
    output logic       get_reserve_o,
    output logic       push_reserve_o,
    output logic       fetch_o,
    output logic       look_o,
    output logic [7:0] queue_o
);
  logic others_done;  // nobody but the scheduler and a config write

  assign register_first_o     = enable_i && register_valid_i && !register_config_i;
  assign retire_ready_o       = enable_i && !register_first_o;
  assign rewind_ready_o       = retire_ready_o && !retire_valid_i;
  assign hold_ready_o         = rewind_ready_o && !rewind_valid_i;
  assign enable_ready_o       = hold_ready_o && !hold_valid_i;
  assign publish_ready_o      = enable_ready_o && !enable_valid_i;
  assign get_reserve_ready_o  = publish_ready_o && !publish_valid_i;
  assign push_reserve_ready_o = get_reserve_ready_o && !get_reserve_valid_i;
  assign others_done          = push_reserve_ready_o && !push_reserve_valid_i;

  assign retire_o        = retire_valid_i && retire_ready_o;
  assign rewind_o        = rewind_valid_i && rewind_ready_o;
  assign hold_o          = hold_valid_i && hold_ready_o;
  assign enable_o        = enable_valid_i && enable_ready_o;
  assign publish_o       = publish_valid_i && publish_ready_o;
  assign get_reserve_o   = get_reserve_valid_i && get_reserve_ready_o;
  assign push_reserve_o  = push_reserve_valid_i && push_reserve_ready_o;
  assign fetch_o         = fetch_valid_i && others_done;
  assign register_last_o = register_valid_i && register_config_i && others_done && !fetch_o && idle_i;

  assign look_o  = register_valid_i || fetch_o || (enable_i && !others_done);
  assign queue_o = register_first_o ? register_queue_i : retire_o ? retire_queue_i :
      rewind_o ? rewind_queue_i : hold_o ? hold_queue_i : enable_o ? enable_queue_i :
      publish_o ? publish_queue_i : get_reserve_o ? get_reserve_queue_i :
      push_reserve_o ? push_reserve_queue_i : fetch_o ? fetch_queue_i : register_queue_i;
endmodule
`default_nettype wire
