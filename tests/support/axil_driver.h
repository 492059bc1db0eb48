// SPDX-License-Identifier: Apache-2.0
// An AXI4-Lite master for tests: AW and W in any order and distance, reads beside writes, responses
// taken when it pleases. It keeps the rules of the bus itself and throws when the slave does not.
//
//   AxilDriver bus(block, random);            // block: Clocked<Vmu_x> with s_axil_* ports
//   bus.write(address, data); bus.read(address);          // one at a time, as a core does
//   bus.post_write(...); bus.post_read(...); while (bus.busy()) bus.tick();   // many at once

#ifndef TESTS_SUPPORT_AXIL_DRIVER_H_
#define TESTS_SUPPORT_AXIL_DRIVER_H_

#include <algorithm>
#include <cstdint>
#include <deque>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/clocked.h"
#include "tests/support/seed.h"

namespace torusmu::testing {

struct AxilAnswer {
  bool error;
  std::uint64_t data;
  std::uint64_t cycle;  // in which it was first offered
};

// Percent of cycles in which the master offers what it has, or takes what it is offered.
struct AxilPace {
  unsigned address = 100;
  unsigned data = 100;
  unsigned response = 100;
};

template <typename Model>
class AxilDriver {
 public:
  AxilDriver(Clocked<Model>& block, Random& random, AxilPace pace = {})
      : block_(block), random_(random), pace_(pace) {}

  void set_pace(AxilPace pace) { pace_ = pace; }
  void post_write(std::uint32_t address, std::uint64_t data, unsigned strobe = 0xff) {
    write_addresses_.push_back(address);
    write_words_.push_back({data, strobe});
  }
  void post_read(std::uint32_t address) { read_addresses_.push_back(address); }
  bool busy() const {
    return !write_addresses_.empty() || !write_words_.empty() || !read_addresses_.empty() ||
           writes_open() != 0 || reads_open() != 0 || block_->s_axil_bvalid ||
           block_->s_axil_rvalid;
  }
  const std::vector<AxilAnswer>& write_answers() const { return write_answers_; }
  const std::vector<AxilAnswer>& read_answers() const { return read_answers_; }
  // Cycle in which the later of the last write's address and data was sampled.
  std::uint64_t last_write_cycle() const { return last_write_cycle_; }

  void tick() {
    offer(block_->s_axil_awvalid, block_->s_axil_awaddr, write_addresses_, pace_.address);
    offer(block_->s_axil_arvalid, block_->s_axil_araddr, read_addresses_, pace_.address);
    if (!block_->s_axil_wvalid && !write_words_.empty() && random_.chance(pace_.data)) {
      block_->s_axil_wvalid = 1;
      block_->s_axil_wdata = write_words_.front().data;
      block_->s_axil_wstrb = static_cast<std::uint8_t>(write_words_.front().strobe);
    }
    block_->s_axil_bready = random_.chance(pace_.response);
    block_->s_axil_rready = random_.chance(pace_.response);
    block_.settle();
    const bool aw = block_->s_axil_awvalid && block_->s_axil_awready;
    const bool w = block_->s_axil_wvalid && block_->s_axil_wready;
    const bool ar = block_->s_axil_arvalid && block_->s_axil_arready;
    const bool b = look(block_->s_axil_bvalid, block_->s_axil_bready, block_->s_axil_bresp, 0,
                        write_response_, write_answers_, writes_open(), "B");
    const bool r = look(block_->s_axil_rvalid, block_->s_axil_rready, block_->s_axil_rresp,
                        block_->s_axil_rdata, read_response_, read_answers_, reads_open(), "R");
    if (aw || w) last_write_cycle_ = block_.cycle();
    block_.tick();
    if (aw) taken(block_->s_axil_awvalid, write_addresses_, addresses_taken_);
    if (w) taken(block_->s_axil_wvalid, write_words_, words_taken_);
    if (ar) taken(block_->s_axil_arvalid, read_addresses_, reads_taken_);
    if (b) write_response_.standing = false;
    if (r) read_response_.standing = false;
    block_.settle();
  }

  AxilAnswer write(std::uint32_t address, std::uint64_t data, unsigned strobe = 0xff) {
    const std::size_t before = write_answers_.size();
    post_write(address, data, strobe);
    finish("a write");
    return write_answers_.at(before);
  }
  AxilAnswer read(std::uint32_t address) {
    const std::size_t before = read_answers_.size();
    post_read(address);
    finish("a read");
    return read_answers_.at(before);
  }
  void finish(const std::string& what, unsigned bound = 10000) {
    for (unsigned i = 0; busy(); ++i) {
      if (i == bound) throw std::runtime_error("AXI4-Lite: no answer to " + what);
      tick();
    }
  }

 private:
  struct Word {
    std::uint64_t data;
    unsigned strobe;
  };
  // A response that is offered: it must not change or go away until taken.
  struct Response {
    bool standing = false;
    unsigned code = 0;
    std::uint64_t data = 0;
  };

  std::uint64_t writes_open() const {
    return std::min(addresses_taken_, words_taken_) - write_answers_.size();
  }
  std::uint64_t reads_open() const { return reads_taken_ - read_answers_.size(); }

  template <typename Valid, typename Payload>
  void offer(Valid& valid, Payload& payload, const std::deque<std::uint32_t>& waiting,
             unsigned percent) {
    if (valid || waiting.empty() || !random_.chance(percent)) return;
    valid = 1;
    payload = waiting.front();
  }
  template <typename Valid, typename Item>
  void taken(Valid& valid, std::deque<Item>& waiting, std::uint64_t& count) {
    valid = 0;
    waiting.pop_front();
    ++count;
  }
  // True if the response is taken at the coming edge. `open`: accesses that are owed an answer.
  bool look(bool valid, bool ready, unsigned code, std::uint64_t data, Response& response,
            std::vector<AxilAnswer>& answers, std::uint64_t open, const std::string& channel) {
    if (response.standing && (!valid || code != response.code || data != response.data)) {
      throw std::runtime_error(channel + " changed or went away before it was taken");
    }
    if (valid && !response.standing) {
      if (open == 0) throw std::runtime_error(channel + " answers nothing, or in its own cycle");
      if (code != 0 && code != 2) throw std::runtime_error(channel + " is neither OKAY nor SLVERR");
      response = {true, code, data};
      answers.push_back({code == 2, data, block_.cycle()});
    }
    return valid && ready;
  }

  Clocked<Model>& block_;
  Random& random_;
  AxilPace pace_;
  std::deque<std::uint32_t> write_addresses_;
  std::deque<Word> write_words_;
  std::deque<std::uint32_t> read_addresses_;
  std::vector<AxilAnswer> write_answers_;
  std::vector<AxilAnswer> read_answers_;
  Response write_response_;
  Response read_response_;
  std::uint64_t addresses_taken_ = 0;
  std::uint64_t words_taken_ = 0;
  std::uint64_t reads_taken_ = 0;
  std::uint64_t last_write_cycle_ = 0;
};

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_AXIL_DRIVER_H_
