// SPDX-License-Identifier: Apache-2.0
// What is proved of mu_queue_turns: of all wishes the first in the order of the header is granted, and no
// other; if there is one, one is granted; readiness does not depend on the wish itself. The table is looked
// at for who is granted and for a register access.
  logic [9:0] wishes, grants;  // bit 0 goes first
  logic [6:0] ready;           // of wishes 1 to 7
  logic [9:0] behind;          // an earlier one waits
  assign wishes = {register_valid_i && register_config_i && idle_i, fetch_valid_i, push_reserve_valid_i,
                   get_reserve_valid_i, publish_valid_i, enable_valid_i, hold_valid_i, rewind_valid_i,
                   retire_valid_i, register_valid_i && !register_config_i};
  assign grants = {register_last_o, fetch_o, push_reserve_o, get_reserve_o, publish_o, enable_o, hold_o,
                   rewind_o, retire_o, register_first_o};
  assign ready  = {push_reserve_ready_o, get_reserve_ready_o, publish_ready_o, enable_ready_o, hold_ready_o,
                   rewind_ready_o, retire_ready_o};
  always_comb begin
    one_at_most : assert ($onehot0(grants));
    grants_a_wish : assert ((grants & ~wishes) == '0);
    if (!enable_i) nobody_then : assert ({grants, ready} == '0);
    if (enable_i && wishes != '0) one_of_them : assert (grants != '0);
    behind = '0;
    for (int unsigned i = 1; i < 10; i++) behind[i] = behind[i-1] || wishes[i-1];
    no_earlier_one_waits : assert ((grants & behind) == '0);
    ready_says_so : assert (ready == (enable_i ? ~behind[7:1] : 7'd0));
    look_says_so : assert (look_o == (register_valid_i || grants != '0));
    if (grants[0] || grants[9]) register_queue : assert (queue_o == register_queue_i);
    if (grants[1]) retire_queue : assert (queue_o == retire_queue_i);
    if (grants[2]) rewind_queue : assert (queue_o == rewind_queue_i);
    if (grants[3]) hold_queue : assert (queue_o == hold_queue_i);
    if (grants[4]) enable_queue : assert (queue_o == enable_queue_i);
    if (grants[5]) publish_queue : assert (queue_o == publish_queue_i);
    if (grants[6]) get_reserve_queue : assert (queue_o == get_reserve_queue_i);
    if (grants[7]) push_reserve_queue : assert (queue_o == push_reserve_queue_i);
    if (grants[8]) fetch_queue : assert (queue_o == fetch_queue_i);
  end
