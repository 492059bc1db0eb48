// SPDX-License-Identifier: Apache-2.0
// mu_request_step: what one event makes of the row of a queue's outstanding requests.
//
//   row, event, what it brings ---> [ phase, what is behind, doubts, status ] ---> row_o
//
// Behaviour: the transitions of mu_outstanding_requests. Of a response row_o changes only if it is of the
//   first request, of the second, or of the FENCE of this row. completes_o: what has ended leaves its row,
//   and its end is reported; ends_o: it has ended, and waits while end_busy_i.
// Latency: combinational.
// Limits: events come as mu_outstanding_requests orders them.
`default_nettype none

module mu_request_step (
    input  mu_pkg::request_event_e event_i,
    input  mu_pkg::request_row_t   row_i,
    input  logic                   dynamic_i,      // of a dynamically connected queue
    input  logic                   fence_i,        // what begins, or goes ahead, is a FENCE
    input  logic                   begin_sent_i,   // what begins has gone ahead
    input  logic                   configured_i,   // the queue is configured, else flushed alone
    input  mu_pkg::send_answer_t   said_i,         // the response
    input  logic                   answers_i,      // it is of the peer, else a failure of our own
    input  logic                   named_i,        // and of whom this row waits for
    input  logic [31:0]            number_i,       // of the SEND that began last
    input  logic [31:0]            fence_index_i,  // of the FENCE
    input  logic                   ticked_i,       // the row is served for a tick
    input  logic                   again_i,        // it is retransmitted
    input  logic [ 7:0]            retries_i,
    input  logic                   end_busy_i,     // another end is reported
    output logic                   behind_is_send_o,
    output mu_pkg::request_row_t   row_o,
    output logic                   ends_o,
    output logic                   completes_o
);
  logic waits, of_fence, of_first, of_second, unknown, refuses, uses, half_sent, breaks;
  logic behind_is_send, changes;
  logic [31:0] number_next;
  assign number_next      = number_i + 32'd1;
  assign changes          = event_i != mu_pkg::REQUEST_EVENT_NONE;
  assign behind_is_send_o = behind_is_send;
  assign waits       = row_i.phase != mu_pkg::REQUEST_PHASE_NONE &&
      row_i.phase != mu_pkg::REQUEST_PHASE_ENDED;
  assign of_fence    = named_i && said_i.fence && said_i.number == fence_index_i;
  assign of_first    = named_i && !said_i.fence && said_i.number == number_i && waits && !row_i.fence;
  assign of_second   = named_i && !said_i.fence && said_i.number == number_next &&
      (row_i.behind == mu_pkg::REQUEST_BEHIND_SEND ||
       row_i.behind == mu_pkg::REQUEST_BEHIND_SEND_REFUSED ||
       row_i.behind == mu_pkg::REQUEST_BEHIND_SEND_DUE);
  assign unknown     = dynamic_i && said_i.status == mu_pkg::STATUS_DELIVERY_UNKNOWN;
  assign refuses     = said_i.status == mu_pkg::STATUS_RECEIVE_DISABLED || unknown;
  assign uses        = answers_i &&
      (said_i.status == mu_pkg::STATUS_OK || said_i.status == mu_pkg::STATUS_MEMORY_ERROR);
  // Of a failure: packets of it are on their way, and may still be answered.
  assign half_sent   = !answers_i && said_i.node != '0;
  assign breaks      = !uses && (row_i.doubtful || half_sent) && !dynamic_i;

  assign behind_is_send = row_i.behind != mu_pkg::REQUEST_BEHIND_NONE &&
      row_i.behind != mu_pkg::REQUEST_BEHIND_FENCE &&
      row_i.behind != mu_pkg::REQUEST_BEHIND_FENCE_ENDED;

  always_comb begin
    row_o = row_i;
    if (changes) begin
      unique case (event_i)
        mu_pkg::REQUEST_EVENT_BEGIN: begin
          row_o.fence         = fence_i;
          row_o.doubtful      = 1'b0;
          row_o.unknown       = 1'b0;
          row_o.copy_doubtful = 1'b0;
          row_o.ticks         = '0;
          row_o.tries         = '0;
          row_o.copies        = 8'd1;
          row_o.status        = row_i.behind_status;
          row_o.behind        = mu_pkg::REQUEST_BEHIND_NONE;
          row_o.phase         = fence_i || begin_sent_i ? mu_pkg::REQUEST_PHASE_AWAITING :
              mu_pkg::REQUEST_PHASE_LEAVING;
          if (fence_i) begin
            if (row_i.behind == mu_pkg::REQUEST_BEHIND_FENCE_ENDED)
              row_o.phase = mu_pkg::REQUEST_PHASE_ENDED;
          end else begin
            row_o.used     = 1'b0;
            row_o.numbered = 1'b1;
            if (begin_sent_i) begin
              row_o.doubtful = row_i.behind_doubtful;
              if (row_i.behind == mu_pkg::REQUEST_BEHIND_SEND_REFUSED)
                row_o.phase = mu_pkg::REQUEST_PHASE_REFUSED;
              if (row_i.behind == mu_pkg::REQUEST_BEHIND_SEND_DUE) begin
                row_o.phase    = mu_pkg::REQUEST_PHASE_DUE;
                row_o.doubtful = row_i.behind_doubtful || row_i.due_doubtful;
              end
              if (row_i.behind == mu_pkg::REQUEST_BEHIND_SEND_ENDED) begin
                row_o.phase  = mu_pkg::REQUEST_PHASE_ENDED;
                row_o.used   = row_i.behind_used;
                row_o.broken = row_i.broken || (!row_i.behind_used && row_i.behind_doubtful);
              end
            end
          end
        end
        mu_pkg::REQUEST_EVENT_AHEAD: begin
          if (!fence_i) begin
            row_o.behind          = mu_pkg::REQUEST_BEHIND_SEND;
            row_o.behind_doubtful = behind_is_send && (row_i.behind_doubtful ||
                (row_i.behind == mu_pkg::REQUEST_BEHIND_SEND_DUE && row_i.due_doubtful));
          end else if (row_i.behind != mu_pkg::REQUEST_BEHIND_FENCE_ENDED)
            row_o.behind = mu_pkg::REQUEST_BEHIND_FENCE;
        end
        mu_pkg::REQUEST_EVENT_LEFT: begin
          if (row_i.phase == mu_pkg::REQUEST_PHASE_LEAVING)
            row_o.phase = mu_pkg::REQUEST_PHASE_AWAITING;
          if (row_i.phase == mu_pkg::REQUEST_PHASE_LEAVING_REFUSED)
            row_o.phase = mu_pkg::REQUEST_PHASE_REFUSED;
        end
        mu_pkg::REQUEST_EVENT_CONFIGURE: begin
          row_o.phase  = mu_pkg::REQUEST_PHASE_NONE;
          row_o.behind = mu_pkg::REQUEST_BEHIND_NONE;
          if (configured_i) begin
            row_o.broken   = 1'b0;
            row_o.numbered = row_i.numbered && dynamic_i;
          end
        end
        mu_pkg::REQUEST_EVENT_RESPONSE: begin
          if (of_fence && waits && row_i.fence) begin
            row_o.phase  = mu_pkg::REQUEST_PHASE_ENDED;
            row_o.status = said_i.status;
          end
          if (of_fence && row_i.behind == mu_pkg::REQUEST_BEHIND_FENCE) begin
            row_o.behind        = mu_pkg::REQUEST_BEHIND_FENCE_ENDED;
            row_o.behind_status = said_i.status;
          end
          if (of_first && refuses) begin
            row_o.unknown = unknown;
            if (row_i.copies != '0) row_o.copies = row_i.copies - 8'd1;
            if (row_i.phase == mu_pkg::REQUEST_PHASE_LEAVING)
              row_o.phase = mu_pkg::REQUEST_PHASE_LEAVING_REFUSED;
            if (row_i.phase == mu_pkg::REQUEST_PHASE_AWAITING)
              row_o.phase = mu_pkg::REQUEST_PHASE_REFUSED;
          end
          if (of_first && !refuses) begin
            row_o.phase  = mu_pkg::REQUEST_PHASE_ENDED;
            row_o.status = said_i.status;
            row_o.used   = uses;
            row_o.broken = row_i.broken || breaks;
          end
          if (of_second && refuses && row_i.behind == mu_pkg::REQUEST_BEHIND_SEND)
            row_o.behind = mu_pkg::REQUEST_BEHIND_SEND_REFUSED;
          if (of_second && !refuses) begin
            row_o.behind          = mu_pkg::REQUEST_BEHIND_SEND_ENDED;
            row_o.behind_status   = said_i.status;
            row_o.behind_used     = uses;
            row_o.behind_doubtful = row_i.behind_doubtful || half_sent;
          end
        end
        default: begin
          // One that was refused at the next tick, one without an answer at the eighth.
          if (ticked_i && row_i.phase == mu_pkg::REQUEST_PHASE_REFUSED)
            row_o.phase = mu_pkg::REQUEST_PHASE_DUE;
          if (ticked_i && row_i.phase == mu_pkg::REQUEST_PHASE_AWAITING) begin
            row_o.ticks = row_i.ticks + 3'd1;
            if (row_i.ticks == 3'd7) begin
              row_o.phase    = mu_pkg::REQUEST_PHASE_DUE;
              row_o.doubtful = 1'b1;
            end
          end
          if (row_i.phase == mu_pkg::REQUEST_PHASE_DUE && row_i.tries >= retries_i) begin
            row_o.phase  = mu_pkg::REQUEST_PHASE_ENDED;
            row_o.status = row_i.unknown ? mu_pkg::STATUS_DELIVERY_UNKNOWN :
                mu_pkg::STATUS_RETRY_EXCEEDED;
            row_o.broken = row_i.broken || (!row_i.fence && !dynamic_i);
          end
          if (again_i) begin
            row_o.phase = row_i.fence ? mu_pkg::REQUEST_PHASE_AWAITING :
                mu_pkg::REQUEST_PHASE_LEAVING;
            row_o.ticks = '0;
            row_o.tries = row_i.tries + 8'd1;
            row_o.copies        = row_i.copies + 8'd1;
            row_o.copy_doubtful = row_i.copies != '0;
            if (behind_is_send && row_i.behind != mu_pkg::REQUEST_BEHIND_SEND_ENDED) begin
              row_o.behind       = mu_pkg::REQUEST_BEHIND_SEND_DUE;
              // For want of an answer to the first, though the second was not refused.
              row_o.due_doubtful = row_i.doubtful &&
                  row_i.behind != mu_pkg::REQUEST_BEHIND_SEND_REFUSED;
            end
          end
        end
      endcase
    end
    // What has ended leaves its row once no other end is reported. A number_i that is not used up is
    // for the next SEND: the second had the wrong one.
    ends_o      = row_o.phase == mu_pkg::REQUEST_PHASE_ENDED;
    completes_o = ends_o && changes && !end_busy_i;
    if (completes_o) begin
      row_o.phase = mu_pkg::REQUEST_PHASE_NONE;
      if (behind_is_send && !row_o.fence && !row_o.used)
        row_o.behind = mu_pkg::REQUEST_BEHIND_NONE;
    end
  end

  logic unused;
  assign unused = ^said_i;
endmodule
`default_nettype wire
