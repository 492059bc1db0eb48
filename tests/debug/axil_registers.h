// SPDX-License-Identifier: Apache-2.0
// Registers behind m_axil_* of a model: 8 bytes at each multiple of 8, zero at first. Ready and
// response come when it pleases; accesses from kRefused on are answered with SLVERR and do nothing.
// Call before_edge() before each tick of the model.

#ifndef TESTS_DEBUG_AXIL_REGISTERS_H_
#define TESTS_DEBUG_AXIL_REGISTERS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "tests/support/clocked.h"
#include "tests/support/seed.h"

namespace torusmu::testing {

template <typename Model>
class AxilRegisters {
 public:
  static constexpr std::uint32_t kRefused = 0x80000;

  struct Seen {
    bool write;
    std::uint32_t address;
    std::uint64_t data;
    unsigned strobe;
    bool operator==(const Seen&) const = default;
  };

  // `percent` of the cycles it is ready, or answers.
  AxilRegisters(Clocked<Model>& block, Random& random, unsigned percent = 100)
      : block_(block), random_(random), percent_(percent) {}

  // While held back nothing is answered.
  void hold_back(bool held) { held_ = held; }
  std::uint64_t& at(std::uint32_t address) { return words_[address & ~7U]; }
  const std::vector<Seen>& seen() const { return seen_; }

  void before_edge() {
    Model* pins = block_.operator->();
    if (answer_taken_) pins->m_axil_bvalid = pins->m_axil_rvalid = 0;
    answer_taken_ = false;
    if (!held_ && random_.chance(percent_)) answer(pins);
    pins->m_axil_awready = !write_address_ && random_.chance(percent_);
    pins->m_axil_wready = !write_word_ && random_.chance(percent_);
    pins->m_axil_arready = !read_address_ && random_.chance(percent_);
    if (pins->m_axil_awvalid && pins->m_axil_awready) write_address_ = pins->m_axil_awaddr;
    if (pins->m_axil_wvalid && pins->m_axil_wready) {
      write_word_ = Word{pins->m_axil_wdata, pins->m_axil_wstrb};
    }
    if (pins->m_axil_arvalid && pins->m_axil_arready) read_address_ = pins->m_axil_araddr;
    answer_taken_ = (pins->m_axil_bvalid && pins->m_axil_bready) ||
                    (pins->m_axil_rvalid && pins->m_axil_rready);
  }

 private:
  struct Word {
    std::uint64_t data;
    unsigned strobe;
  };

  void answer(Model* pins) {
    if (pins->m_axil_bvalid || pins->m_axil_rvalid) return;
    if (write_address_ && write_word_) {
      seen_.push_back({true, *write_address_, write_word_->data, write_word_->strobe});
      const bool refused = *write_address_ >= kRefused;
      std::uint64_t& word = at(*write_address_);
      for (unsigned byte = 0; byte < 8 && !refused; ++byte) {
        const std::uint64_t mask = std::uint64_t{0xff} << byte * 8;
        if ((write_word_->strobe >> byte & 1U) != 0) {
          word = (word & ~mask) | (write_word_->data & mask);
        }
      }
      pins->m_axil_bvalid = 1;
      pins->m_axil_bresp = refused ? 2 : 0;
      write_address_.reset();
      write_word_.reset();
    } else if (read_address_) {
      seen_.push_back({false, *read_address_, 0, 0});
      const bool refused = *read_address_ >= kRefused;
      pins->m_axil_rvalid = 1;
      pins->m_axil_rresp = refused ? 2 : 0;
      pins->m_axil_rdata = refused ? 0 : at(*read_address_);
      read_address_.reset();
    }
  }

  Clocked<Model>& block_;
  Random& random_;
  unsigned percent_;
  bool held_ = false;
  bool answer_taken_ = false;  // at the edge that comes
  std::optional<std::uint32_t> write_address_;
  std::optional<Word> write_word_;
  std::optional<std::uint32_t> read_address_;
  std::map<std::uint32_t, std::uint64_t> words_;
  std::vector<Seen> seen_;
};

}  // namespace torusmu::testing

#endif  // TESTS_DEBUG_AXIL_REGISTERS_H_
