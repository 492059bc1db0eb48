// SPDX-License-Identifier: Apache-2.0
// mu_notice_ring: the notice ring of each client: where the next notice goes, and what software has read.
//
//   lookup (valid/ready/client) --------> [ one row at a time: ] ---> answer, two cycles later
//   reserve_i / refuse_i / discard_i, ->  [ read, sums, change ]
//     with the answer                     [                    ]
//   publish (valid/ready/client) -------> [                    ]
//   register bus -----------------------> [                    ] ---> answer
//
// Behaviour: the answer to a lookup says whether the client's ring has room for one entry of 32 bytes, and
//   where; reserve_i in the answer's cycle takes it, refuse_i sets the sticky overflow bit. The tail moves by
//   one with each publish, in the order of the reservations. A client moves its head within head..tail (else
//   DOORBELL_RANGE); that clears overflow if a read of the tail has shown it since the last refuse_i, so that
//   none is lost unseen. A size write resets the ring once nothing reserved is on its way. discard_i counts
//   a SEND that a peer has discarded; answer_discards_o says whether its notice is wanted in the ring, which
//   is never so while half of the ring is in use: that is for the others.
// Latency: lookup to answer two cycles, an operation every three cycles: publish first, then registers, then
//   lookup.
// Limits: the ring must end inside the 40-bit address space (else REGISTER_VALUE), size 0 is off. A client
//   that does not exist has no room. A publish must stand for an entry that was reserved (asserted).
// two-readers: hold:register_request_i[63:8]=0 hold:register_request_i[83:71]=0x7A0
// two-readers: hold:register_request_i[89:88]=2 hold:lookup_client_i[3:2]=0 hold:publish_client_i[3:2]=0
// two-readers: seen=10
`default_nettype none

module mu_notice_ring (
    input  logic                       clk_i,
    input  logic                       rst_ni,
    output logic                       busy_o,
    // register bus
    input  logic                       register_valid_i,
    input  mu_pkg::register_request_t  register_request_i,
    output logic                       register_done_o,
    output mu_pkg::register_response_t register_response_o,
    // control: lookup, and two cycles later
    input  logic                       lookup_valid_i,
    output logic                       lookup_ready_o,
    input  logic [3:0]                 lookup_client_i,
    output logic                       answer_room_o,
    output logic                       answer_discards_o,
    output mu_pkg::address_t           answer_address_o,
    input  logic                       reserve_i,
    input  logic                       refuse_i,
    input  logic                       discard_i,
    // completion
    input  logic                       publish_valid_i,
    output logic                       publish_ready_o,
    input  logic [3:0]                 publish_client_i
);
  localparam int unsigned CLIENTS       = mu_pkg::CLIENTS;
  localparam int unsigned INDEX_WIDTH   = CLIENTS > 1 ? $clog2(CLIENTS) : 1;
  localparam int unsigned ROW_BITS      = 187;
  localparam logic [63:0] ADDRESS_SPACE = 64'h100_0000_0000;

  typedef struct packed {
    logic                            tells_discards;
    logic [30:0]                     discards;
    logic                            shown;  // the overflow, by a read of the tail
    logic                            overflow;
    logic [31:0]                     reserved;
    logic [31:0]                     tail;
    logic [31:0]                     head;
    logic [16:0]                     size;
    logic [mu_pkg::ADDRESS_BITS-1:0] base;
  } row_t;

  typedef enum logic [1:0] {
    OPERATION_NONE,
    OPERATION_LOOKUP,
    OPERATION_PUBLISH,
    OPERATION_REGISTER
  } operation_e;

  // --- first cycle: choose an operation, read its row ---------------------------------------------
  operation_e             operation_q;
  logic                   act_q;     // its third cycle
  logic [INDEX_WIDTH-1:0] index_q;
  logic                   exists_q;
  logic                   idle;
  logic                   start;
  logic                   start_publish;
  logic                   start_register;
  logic                   start_lookup;
  logic [7:0]             index;
  logic                   exists;
  logic [7:0]             register_index;

  assign idle            = operation_q == OPERATION_NONE;
  assign publish_ready_o = idle;
  assign start_publish   = idle && publish_valid_i;
  assign start_register  = idle && !publish_valid_i && register_valid_i && !register_done_o;
  assign lookup_ready_o  = idle && !publish_valid_i && !start_register;
  assign start_lookup    = lookup_valid_i && lookup_ready_o;
  assign start           = start_publish || start_register || start_lookup;

  always_comb begin
    index  = '0;
    exists = 1'b0;
    if (start) begin
      index = 8'(lookup_client_i);
      if (start_publish) index = 8'(publish_client_i);
      else if (start_register && register_request_i.page) index = 8'(register_request_i.client);
      else if (start_register) index = register_index;
      exists = 32'(index) < CLIENTS;
    end
  end

  always_ff @(posedge clk_i) begin
    act_q <= rst_ni && !idle && !act_q;
    if (!rst_ni || act_q) operation_q <= OPERATION_NONE;
    else if (start) begin
      operation_q <= start_publish ? OPERATION_PUBLISH :
                     start_register ? OPERATION_REGISTER : OPERATION_LOOKUP;
    end
    if (start) begin
      exists_q <= exists;
      index_q  <= index[INDEX_WIDTH-1:0];
    end
  end

  // --- second cycle: sums, and what an access may do; third: what becomes of the row --------------
  logic [ROW_BITS-1:0] old_word;
  row_t             old_row;
  row_t             new_row;
  logic             write_row;
  logic             fits;
  logic [31:0]      reserved_after;
  logic [15:0]      slot;  // of index reserved: its low bits
  logic             publish_legal;
  logic [31:0]      tail_after;
  logic [31:0]      unused_used;
  logic             head_legal;
  logic             fits_q;
  logic             half_free_q;  // and more
  logic             head_legal_q;
  mu_pkg::address_t named_base;
  logic [16:0]      named_size;
  logic             ring_ends_q;  // inside the address space, with the base or size that is written
  logic [19:0]      page_register;
  logic             at_tail_q, at_head_q;  // the page register that is accessed
  logic             is_index_q;   // what is written
  mu_pkg::status_e  shape_q;
  logic             writes_base_q, writes_size_q, writes_config_q;
  mu_pkg::address_t ring_data_q;
  logic             unused_data;
  mu_pkg::status_e  shape;
  logic [63:0]      ring_data;
  logic             write_base;
  logic             write_size;
  logic             write_config;
  logic             tells_discards;
  mu_pkg::address_t base;
  logic [16:0]      size;
  logic [63:0]      data;
  logic [63:0]      answer;
  mu_pkg::status_e  status;
  logic             wait_again;
  logic             answered;

  assign old_row       = old_word;
  assign data          = register_request_i.data;
  assign page_register = {register_request_i.address[19:3], 3'd0};
  assign unused_data   = ^ring_data[63:mu_pkg::ADDRESS_BITS];  // no register has more
  always_comb begin
    answer_room_o     = 1'b0;
    answer_discards_o = 1'b0;
    if (act_q && operation_q == OPERATION_LOOKUP) begin
      answer_room_o     = exists_q && fits_q;
      answer_discards_o = exists_q && old_row.tells_discards && half_free_q;
    end
  end
  // What the access is its address says, before the row is there.
  always_ff @(posedge clk_i) begin
    if (start_register) begin
      shape_q         <= shape;
      writes_base_q   <= write_base;
      writes_size_q   <= write_size;
      writes_config_q <= write_config;
    end
  end
  assign named_base = writes_base_q ? base : old_row.base;
  assign named_size = writes_base_q ? old_row.size : size;
  always_ff @(posedge clk_i) begin
    if (!idle) begin
      fits_q           <= fits;
      half_free_q      <= old_row.reserved - old_row.head < 32'(old_row.size[16:1]);
      head_legal_q     <= head_legal;
      ring_ends_q      <= 64'(named_base) + (64'(named_size) << 5) <= ADDRESS_SPACE;
      at_tail_q        <= page_register == mu_pkg::REG_CLIENT_PAGE_NOTICE_TAIL;
      at_head_q        <= page_register == mu_pkg::REG_CLIENT_PAGE_NOTICE_HEAD;
      is_index_q       <= data[63:32] == '0;
      ring_data_q      <= ring_data[mu_pkg::ADDRESS_BITS-1:0];
      answer_address_o <= old_row.base + (40'(slot) << 5);
    end
  end
  assign slot       = old_row.reserved[15:0] & (old_row.size[15:0] - 16'd1);
  assign answered   = act_q && operation_q == OPERATION_REGISTER && !wait_again;
  assign busy_o     = !idle || register_done_o;

  mu_notice_ring_decode u_decode (
      .valid_i          (register_valid_i && !register_request_i.page),
      .request_i        (register_request_i),
      .index_o          (register_index),
      .status_o         (shape),
      .data_o           (ring_data),
      .base_i           (old_row.base),
      .write_base_o     (write_base),
      .base_o           (base),
      .size_i           (old_row.size),
      .write_size_o     (write_size),
      .size_o           (size),
      .config_i         (old_row.tells_discards),
      .write_config_o   (write_config),
      .config_o         (tells_discards)
  );

  always_comb begin
    new_row    = '0;
    if (!idle) new_row = old_row;
    write_row  = 1'b0;
    status     = mu_pkg::STATUS_OK;
    answer     = '0;
    wait_again = 1'b0;
    if (operation_q == OPERATION_LOOKUP) begin
      write_row = exists_q && (reserve_i || refuse_i || discard_i);
      if (reserve_i) new_row.reserved = reserved_after;
      if (refuse_i) begin
        new_row.overflow = 1'b1;
        new_row.shown    = 1'b0;
      end
      if (discard_i) new_row.discards = old_row.discards + 1'b1;
    end else if (operation_q == OPERATION_PUBLISH) begin
      write_row    = exists_q;
      new_row.tail = tail_after;
    end else if (operation_q == OPERATION_REGISTER) begin
      write_row = register_request_i.write;
      if (register_request_i.page) begin
        if (at_tail_q) begin
          answer        = {old_row.discards, old_row.overflow, old_row.tail};
          new_row.shown = old_row.overflow;
          write_row     = 1'b1;  // of a read, too: shown may change
          if (register_request_i.write) status = mu_pkg::STATUS_REGISTER_UNKNOWN;
        end else if (at_head_q) begin
          answer           = 64'(old_row.head);
          new_row.head     = data[31:0];
          new_row.overflow = old_row.overflow && !old_row.shown;
          new_row.shown    = 1'b0;
          if (!register_request_i.write) status = mu_pkg::STATUS_OK;
          else if (!register_request_i.wide) status = mu_pkg::STATUS_REGISTER_PARTIAL;
          else if (!is_index_q) status = mu_pkg::STATUS_REGISTER_VALUE;
          else if (!head_legal_q) status = mu_pkg::STATUS_DOORBELL_RANGE;
        end else status = mu_pkg::STATUS_REGISTER_UNKNOWN;
      end else begin
        status = shape_q;
        answer = 64'(ring_data_q);
        if (writes_base_q) begin
          new_row.base = base;
          if (!ring_ends_q) status = mu_pkg::STATUS_REGISTER_VALUE;
        end
        if (writes_size_q) begin
          new_row                = '0;
          new_row.base           = old_row.base;
          new_row.size           = size;
          new_row.discards       = old_row.discards;
          new_row.tells_discards = old_row.tells_discards;
          if (!ring_ends_q) status = mu_pkg::STATUS_REGISTER_VALUE;
          else wait_again = old_row.reserved != old_row.tail;
        end
        if (writes_config_q) new_row.tells_discards = tells_discards;
      end
      if (!exists_q) begin
        status     = mu_pkg::STATUS_REGISTER_UNKNOWN;
        wait_again = 1'b0;
      end
      if (status != mu_pkg::STATUS_OK || register_request_i.write) answer = '0;
      if (status != mu_pkg::STATUS_OK || wait_again) write_row = 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      register_done_o     <= 1'b0;
      register_response_o <= '0;
    end else begin
      register_done_o <= answered;
      if (answered) begin
        register_response_o.status <= status;
        register_response_o.data   <= answer;
      end else if (register_done_o) register_response_o <= '0;
    end
  end

  mu_zeroed_memory #(
      .WIDTH(ROW_BITS),
      .DEPTH(CLIENTS)
  ) u_rows (
      .clk_i,
      .rst_ni,
      .write_i      (act_q && write_row),
      .write_index_i(index_q),
      .write_data_i (new_row),
      .read_i       (start),
      .read_index_i (index[INDEX_WIDTH-1:0]),
      .read_data_o  (old_word)
  );

  mu_ring_pointers #(
      .POSITION_WIDTH(16)
  ) u_pointers (
      .size_i         (old_row.size),
      .head_i         (old_row.head),
      .tail_i         (old_row.tail),
      .reserved_i     (old_row.reserved),
      .slots_i        (8'd1),
      .fits_o         (fits),
      .reserved_o     (reserved_after),
      .publish_legal_o(publish_legal),
      .tail_o         (tail_after),
      .used_o         (unused_used),
      .new_head_i     (data[31:0]),
      .head_legal_o   (head_legal)
  );

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      decided_after_a_lookup :
      assert (!(reserve_i || refuse_i || discard_i) || (act_q && operation_q == OPERATION_LOOKUP));
      not_both : assert (!(reserve_i && refuse_i));
      reserves_only_with_room : assert (!reserve_i || answer_room_o);
      publishes_only_what_is_reserved :
      assert (operation_q != OPERATION_PUBLISH || (exists_q && publish_legal));
      reserves_no_more_than_the_ring :
      assert (idle || !exists_q || old_row.reserved - old_row.tail <= 32'(old_row.size));
      register_request_stands : assert (operation_q != OPERATION_REGISTER || register_valid_i);
      answer_is_zero_unless_done : assert (register_done_o || register_response_o == '0);
    end
  end
endmodule
`default_nettype wire
