// SPDX-License-Identifier: Apache-2.0
// mu_boot_opener: opens a boot buffer for each client that is expected: sets up reception FIFOs for it.
//
//   register bus (boot.expected) ---> [ check, then write register after register ] ---> fifo_request_o
//
// Behaviour: a legal write of expected sets up, for each client c that it names, reception FIFO
//   RECEPTION_FIFOS - CLIENTS + c as a boot buffer: a ring of so many slots in the unit's own memory, owned
//   by c; then every FIFO from c * fifos to c * fifos + fifos - 1 gets boot, owner c and that keeper. It is
//   answered when all is done. REGISTER_VALUE, and nothing is set up: the FIFOs or the slots of some client
//   named do not exist, or it has none. What clients have that are not named stays as it is.
// Latency: two cycles for a read or a refused write; else two more for each client, and the accesses of the
//   FIFO table: 4 and as many as FIFOs for each client named.
// Limits: a request of the FIFO table stands until it is answered, as the register bus has it.
// two-readers: hold:register_request_i[64+:20]=mu_pkg::BLOCK_BOOT_BASE hold:register_request_i[88+:2]=2
// two-readers: hold:register_request_i[63:18]=524288 hold:register_request_i[15:4]=0 seen=10
`default_nettype none

module mu_boot_opener (
    input  logic                       clk_i,
    input  logic                       rst_ni,
    output logic                       busy_o,
    // register bus
    input  logic                       register_valid_i,
    input  mu_pkg::register_request_t  register_request_i,
    output logic                       register_done_o,
    output mu_pkg::register_response_t register_response_o,
    // registers of the reception FIFO table
    output logic                       fifo_valid_o,
    output mu_pkg::register_request_t  fifo_request_o,
    input  logic                       fifo_done_i
);
  localparam int unsigned CLIENTS = mu_pkg::CLIENTS;
  localparam int unsigned FIFOS   = mu_pkg::RECEPTION_FIFOS;
  localparam logic [24:0] FEWEST  = 25'd32;           // of a reception FIFO
  localparam int unsigned FIRST   = FIFOS - CLIENTS;  // boot buffer
  localparam int unsigned SLOTS   = mu_pkg::UNIT_MEMORY_WORDS * 8 / mu_pkg::FIFO_SLOT_BYTES;
  localparam mu_pkg::address_t BASE = 40'(64'h100_0000_0000 - 64'(mu_pkg::UNIT_MEMORY_WORDS) * 64'd8);

  typedef enum logic [2:0] {
    STATE_IDLE,
    STATE_CLIENT,  // is it expected?
    STATE_OFF,     // its boot buffer is off, so that it may get
    STATE_BASE,    // another ring,
    STATE_SIZE,
    STATE_ON,      // and on again
    STATE_FIFO     // one of its FIFOs gets boot
  } state_e;

  state_e                 state_q;
  mu_pkg::boot_expected_t expected_q, written;
  mu_pkg::status_e        shape;
  logic [63:0]            read_data;
  logic                   wanted, writes, good, opens, named;
  logic [4:0]             client_q;
  logic [7:0]             fifo_q;        // the next one of a client
  logic [7:0]             left_q;        // so many are still to come
  mu_pkg::address_t       base_q;
  logic [7:0]             keeper;        // boot buffer of the client
  logic [7:0]             target;        // FIFO that is set up
  logic [CLIENTS-1:0]     fits;

  assign wanted = register_valid_i && !register_done_o && state_q == STATE_IDLE;
  mu_boot_decode u_decode (
      .valid_i         (wanted),
      .request_i       (register_request_i),
      .status_o        (shape),
      .data_o          (read_data),
      .expected_i      (expected_q),
      .write_expected_o(writes),
      .expected_o      (written)
  );

  // A client has room if it is not named, or if what is its own ends where FIFOs and slots do.
  always_comb begin
    for (int unsigned i = 0; i < CLIENTS; i++) begin
      fits[i] = !written.clients[i] ||
          (written.slots >= FEWEST && 32'(written.slots) <= SLOTS / (i + 1) &&
           written.fifos != '0 && 32'(written.fifos) <= FIRST / (i + 1));
    end
  end
  assign good  = fits == '1;
  assign opens = writes && good;

  assign keeper = 8'(FIRST) + 8'(client_q);
  assign target = state_q == STATE_FIFO ? fifo_q : keeper;
  mu_pkg::register_request_t request;
  logic [19:0] block;  // of its registers
  assign block = mu_pkg::BLOCK_RECEPTION_FIFO_BASE +
      20'(target) * 20'(mu_pkg::BLOCK_RECEPTION_FIFO_STRIDE);
  always_comb begin
    request         = '0;
    request.write   = 1'b1;
    request.wide    = 1'b1;
    request.address = block + mu_pkg::REG_RECEPTION_FIFO_CONFIG;
    unique case (state_q)
      STATE_BASE: begin
        request.address = block + mu_pkg::REG_RECEPTION_FIFO_BASE;
        request.data    = 64'(base_q);
      end
      STATE_SIZE: begin
        request.address = block + mu_pkg::REG_RECEPTION_FIFO_SIZE;
        request.data    = 64'(expected_q.slots);
      end
      STATE_ON, STATE_FIFO: begin
        request.data[mu_pkg::REG_RECEPTION_FIFO_CONFIG_ENABLE_LSB]    = state_q == STATE_ON;
        request.data[mu_pkg::REG_RECEPTION_FIFO_CONFIG_BOOT_LSB]      = state_q == STATE_FIFO;
        request.data[mu_pkg::REG_RECEPTION_FIFO_CONFIG_OWNER_LSB+:4]  = client_q[3:0];
        request.data[mu_pkg::REG_RECEPTION_FIFO_CONFIG_KEEPS_LSB]     = state_q == STATE_ON;
        request.data[mu_pkg::REG_RECEPTION_FIFO_CONFIG_KEEPER_LSB+:8] = state_q == STATE_FIFO ? keeper : '0;
      end
      default: request.data = '0;
    endcase
  end
  assign fifo_valid_o   = state_q != STATE_IDLE && state_q != STATE_CLIENT;
  assign fifo_request_o = fifo_valid_o ? request : '0;
  assign busy_o         = state_q != STATE_IDLE || register_done_o;

  always_comb begin
    named = 1'b0;
    for (int unsigned i = 0; i < CLIENTS; i++) if (client_q == 5'(i)) named = expected_q.clients[i];
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q    <= STATE_IDLE;
      expected_q <= '0;
    end else begin
      unique case (state_q)
        STATE_IDLE:
        if (opens) begin
          state_q    <= STATE_CLIENT;
          expected_q <= written;
          client_q   <= '0;
          fifo_q     <= '0;
          base_q     <= BASE;
        end
        STATE_CLIENT: begin
          left_q <= expected_q.fifos;
          if (32'(client_q) == CLIENTS) state_q <= STATE_IDLE;
          else if (named) state_q <= STATE_OFF;
          else begin
            client_q <= client_q + 5'd1;
            fifo_q   <= fifo_q + expected_q.fifos;
            base_q   <= base_q + (40'(expected_q.slots) << 5);
          end
        end
        STATE_OFF: if (fifo_done_i) state_q <= STATE_BASE;
        STATE_BASE: if (fifo_done_i) state_q <= STATE_SIZE;
        STATE_SIZE: if (fifo_done_i) state_q <= STATE_ON;
        STATE_ON: if (fifo_done_i) state_q <= STATE_FIFO;
        default:
        if (fifo_done_i) begin
          fifo_q <= fifo_q + 8'd1;
          left_q <= left_q - 8'd1;
          if (left_q == 8'd1) begin
            state_q  <= STATE_CLIENT;
            client_q <= client_q + 5'd1;
            base_q   <= base_q + (40'(expected_q.slots) << 5);
          end
        end
      endcase
    end
  end

  logic answers;
  assign answers = state_q == STATE_IDLE ? wanted && !opens :
      state_q == STATE_CLIENT && 32'(client_q) == CLIENTS;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      register_done_o     <= 1'b0;
      register_response_o <= '0;
    end else begin
      register_done_o <= answers;
      if (answers) begin
        register_response_o.status <= writes && !good ? mu_pkg::STATUS_REGISTER_VALUE : shape;
        register_response_o.data   <= read_data;
      end else if (register_done_o) register_response_o <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      register_request_stands : assert (state_q == STATE_IDLE || register_valid_i);
      sets_up_what_exists :
      assert (!fifo_valid_o || (32'(client_q) < CLIENTS && (state_q != STATE_FIFO || 32'(fifo_q) < FIRST)));
      answer_is_zero_unless_done : assert (register_done_o || register_response_o == '0);
    end
  end

`ifdef PROVE_MU_BOOT_OPENER
  // What is proved of mu_boot_opener: nothing is set up but boot buffers and FIFOs of clients that the write
  // names, whose rings lie in the unit's own memory, side by side; a refused write sets up nothing; what is
  // written stands until it is answered.
  logic past_q = 1'b0;
  logic stands_q, offered_q, refused;
  mu_pkg::register_request_t request_before_q, fifo_request_before_q;
  assign refused = register_done_o && register_response_o.status != mu_pkg::STATUS_OK;
  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (!stands_q || (register_valid_i && register_request_i == request_before_q));
    assume (!fifo_done_i || fifo_valid_o);
  end
  always_ff @(posedge clk_i) begin
    past_q                <= 1'b1;
    stands_q              <= rst_ni && register_valid_i && !register_done_o;
    request_before_q      <= register_request_i;
    offered_q             <= rst_ni && fifo_valid_o && !fifo_done_i;
    fifo_request_before_q <= fifo_request_o;
    if (past_q && rst_ni) begin
      if (fifo_valid_o) begin
        for_a_client_that_is_named : assert (named && 32'(client_q) < CLIENTS);
        writes_whole_registers_of_fifos :
        assert (fifo_request_o.write && fifo_request_o.wide && !fifo_request_o.page &&
                fifo_request_o.address >= mu_pkg::BLOCK_RECEPTION_FIFO_BASE &&
                32'(fifo_request_o.address - mu_pkg::BLOCK_RECEPTION_FIFO_BASE) <
                    FIFOS * 32'(mu_pkg::BLOCK_RECEPTION_FIFO_STRIDE));
        ring_in_the_units_memory :
        assert (64'(base_q) >= 64'(BASE) &&
                64'(base_q) + (64'(expected_q.slots) << 5) <= 64'h100_0000_0000);
      end
      if (offered_q) stands_until_it_is_answered :
      assert (fifo_valid_o && fifo_request_o == fifo_request_before_q);
      if (refused) refused_sets_up_nothing : assert (state_q == STATE_IDLE);
      // What the above rests on.
      clients_in_turn : assert (32'(client_q) <= CLIENTS || state_q == STATE_IDLE);
      if (state_q == STATE_FIFO) fifos_of_the_client :
      assert (left_q != '0 && left_q <= expected_q.fifos);
    end
    if (past_q && rst_ni && state_q != STATE_IDLE) begin
      room_for_all : assert (fits_q == '1);
      place_of_the_client : assert (places_good);
    end
  end
  // Of what was written, and of the client whose turn it is.
  logic [CLIENTS-1:0] fits_q;
  logic               places_good;
  logic [7:0]         done;  // FIFOs of the client that are set up
  assign done = state_q == STATE_FIFO ? expected_q.fifos - left_q : '0;
  always_comb begin
    places_good = 1'b1;
    for (int unsigned i = 0; i < CLIENTS; i++) begin
      fits_q[i] = !expected_q.clients[i] ||
          (expected_q.slots >= FEWEST && 32'(expected_q.slots) <= SLOTS / (i + 1) &&
           expected_q.fifos != '0 && 32'(expected_q.fifos) <= FIRST / (i + 1));
      if (client_q == 5'(i) &&
          (base_q != BASE + 40'(i) * (40'(expected_q.slots) << 5) ||
           fifo_q != 8'(i) * expected_q.fifos + done))
        places_good = 1'b0;
    end
  end
`endif
endmodule
`default_nettype wire
