// SPDX-License-Identifier: Apache-2.0
// The register bus of one block, as the host interface drives it: one access at a time, held until
// done.
//
//   RegisterBus bus(block);                       // block: Clocked<Vmu_x>
//   bus.access(page_write(2, registers::client_page::interrupt_enable.in_block(), 3)).status

#ifndef TESTS_SUPPORT_REGISTER_BUS_H_
#define TESTS_SUPPORT_REGISTER_BUS_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <stdexcept>

#include "tests/support/clocked.h"
#include "tests/support/wide.h"
#include "torusmu/layout.h"

namespace torusmu::testing {

using RegisterRequest = Record<layout::register_request::Layout>;
using RegisterResponse = Record<layout::register_response::Layout>;

// `bytes` is 4 or 8: what the write strobes covered.
inline RegisterRequest register_write(std::uint32_t address, std::uint64_t data,
                                      unsigned bytes = 8) {
  return RegisterRequest()
      .set<layout::register_request::write>(1)
      .set<layout::register_request::wide>(bytes == 8 ? 1 : 0)
      .set<layout::register_request::address>(address)
      .set<layout::register_request::data>(data);
}
inline RegisterRequest register_read(std::uint32_t address) {
  return RegisterRequest().set<layout::register_request::address>(address);
}
// The same through the page of a client; `offset` in the page.
inline RegisterRequest page_write(unsigned client, std::uint32_t offset, std::uint64_t data,
                                  unsigned bytes = 8) {
  return register_write(offset, data, bytes)
      .set<layout::register_request::page>(1)
      .set<layout::register_request::client>(client);
}
inline RegisterRequest page_read(unsigned client, std::uint32_t offset) {
  return register_read(offset)
      .set<layout::register_request::page>(1)
      .set<layout::register_request::client>(client);
}

struct RegisterAnswer {
  Status status;
  std::uint64_t data;
  unsigned cycles;  // from the first cycle with valid to the one with done
};
inline bool operator==(const RegisterAnswer& answer, Status status) {
  return answer.status == status;
}

template <typename Model>
class RegisterBus {
 public:
  explicit RegisterBus(Clocked<Model>& block) : block_(block) {}

  // Presents a request; the block sees it from the next tick on.
  void present(const RegisterRequest& request) {
    block_->register_valid_i = 1;
    drive(block_->register_request_i, request);
    waited_ = 0;
  }
  // One tick. True if the access that was presented ended with it; then answer() is its outcome and
  // the bus is idle. Also checks what every block owes: no answer unasked, zeros unless done.
  bool tick() {
    block_.settle();
    const bool done = block_->register_done_o;
    const RegisterResponse response = sample_record<RegisterResponse>(block_->register_response_o);
    if (done && !block_->register_valid_i) throw std::runtime_error("done without a request");
    if (!done && response != RegisterResponse()) throw std::runtime_error("response without done");
    if (done) {
      answer_ = {response.get<layout::register_response::status>(),
                 response.get<layout::register_response::data>(), waited_};
      if (answer_.status != Status::kOk && answer_.data != 0) {
        throw std::runtime_error("a refused access must read as zero");
      }
    }
    ++waited_;
    block_.tick();
    if (done) {
      block_->register_valid_i = 0;
      drive(block_->register_request_i, RegisterRequest());
      block_.settle();
    }
    return done;
  }
  bool idle() const { return !block_->register_valid_i; }
  const RegisterAnswer& answer() const { return answer_; }

  RegisterAnswer access(const RegisterRequest& request, unsigned bound = 100) {
    present(request);
    for (unsigned i = 0; i < bound; ++i) {
      if (tick()) return answer_;
    }
    throw std::runtime_error("a register access was not answered in " + std::to_string(bound) +
                             " cycles");
  }
  Status status(const RegisterRequest& request) { return access(request).status; }
  // Throws if the read is refused.
  std::uint64_t read(const RegisterRequest& request) {
    const RegisterAnswer answer = access(request);
    if (answer.status != Status::kOk) {
      throw std::runtime_error("read refused: " + std::string(name_of(answer.status)));
    }
    return answer.data;
  }

 private:
  Clocked<Model>& block_;
  RegisterAnswer answer_{};
  unsigned waited_ = 0;
};

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_REGISTER_BUS_H_
