// SPDX-License-Identifier: Apache-2.0
// Drives the two readings of a module that two_readers.awk put side by side: run CYCLES SEED
// PERCENT. Exit status 0: no output ever differed, and PERCENT of the output bits were seen both
// ways.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "Vboth.h"
#include "verilated_save.h"

// Called by Verilator's run-time library when an assertion fails.
static bool contract_broken = false;
void vl_stop(const char* /*filename*/, int /*line*/, const char* /*hierarchy*/) {
  contract_broken = true;
}
void vl_fatal(const char* filename, int line, const char* /*hierarchy*/, const char* message) {
  std::printf("%s:%d: %s\n", filename, line, message);
  std::exit(2);
}

namespace {

// The whole state of a model in memory.
class Save : public VerilatedSerialize {
 public:
  explicit Save(Vboth* model) {
    *this << *model;
    flush();
  }
  void flush() override {
    bytes_.insert(bytes_.end(), m_bufp, m_cp);
    m_cp = m_bufp;
  }
  const std::vector<std::uint8_t>& bytes() const { return bytes_; }

 private:
  std::vector<std::uint8_t> bytes_;
};

class Restore : public VerilatedDeserialize {
 public:
  explicit Restore(const std::vector<std::uint8_t>& bytes) : bytes_(bytes) {
    m_cp = m_bufp;
    m_endp = m_bufp;
    fill();
  }
  void fill() override {
    std::copy(m_cp, m_endp, m_bufp);
    m_endp = m_bufp + (m_endp - m_cp);
    m_cp = m_bufp;
    const std::size_t room = static_cast<std::size_t>(m_bufp + bufferSize() - m_endp);
    const std::size_t count = std::min(room, bytes_.size() - at_);
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(at_), count, m_endp);
    m_endp += count;
    at_ += count;
  }

 private:
  const std::vector<std::uint8_t>& bytes_;
  std::size_t at_ = 0;
};

struct Port {
  const char* name;
  int low;
  int width;
  std::uint32_t below;  // 0: any value
};

#include "ports.h"

// How an input behaves for a while: mostly low, mostly high, changing, small, held.
struct Habit {
  unsigned high_in_16 = 8;
  unsigned change_in_16 = 16;
  bool small = false;
};

class Stimulus {
 public:
  Stimulus(Vboth* model, std::uint64_t seed) : model_(model), random_(seed) {}

  // New habits every 64 cycles, so that queues fill up, drain and idle.
  void drive(std::uint64_t cycle) {
    if (cycle % 64 == 0) habits_.clear();
    if (!useful_.empty() && random_() % 4 == 0) return vary_useful();
    std::size_t index = 0;
    for (const Port* port = kInputs; port->width != 0; ++port, ++index) {
      if (habits_.size() <= index) habits_.push_back(new_habit());
      if (cycle == 0 || random_() % 16 < habits_[index].change_in_16) {
        randomise(*port, habits_[index]);
      }
    }
  }
  // The inputs of this cycle made an output bit take a value for the first time: more of the same
  // may lead further, past address decoders and checks that random inputs never pass.
  void keep() {
    if (useful_.size() < 256) {
      useful_.emplace_back(std::begin(model_->stimulus_i.m_storage),
                           std::end(model_->stimulus_i.m_storage));
    }
  }
  void change_habits() { habits_.clear(); }
  bool chance(unsigned one_in) { return random_() % one_in == 0; }

 private:
  void vary_useful() {
    const std::vector<EData>& useful = useful_[random_() % useful_.size()];
    std::copy(useful.begin(), useful.end(), std::begin(model_->stimulus_i.m_storage));
    for (const Port* port = kInputs; port->width != 0; ++port) {
      if (port->below != 0 || random_() % 4 != 0) continue;
      const int bit = port->low + static_cast<int>(random_() % static_cast<unsigned>(port->width));
      set_bit(bit, random_() % 2 != 0);
    }
  }
  Habit new_habit() {
    static constexpr unsigned kHigh[] = {0, 1, 4, 8, 12, 15, 16};
    static constexpr unsigned kChange[] = {16, 16, 8, 1};
    return {kHigh[random_() % 7], kChange[random_() % 4], random_() % 4 == 0};
  }
  void randomise(const Port& port, const Habit& habit) {
    if (port.below != 0) return set(port, static_cast<std::uint32_t>(random_() % port.below));
    if (port.width == 1) return set(port, random_() % 16 < habit.high_in_16 ? 1 : 0);
    const unsigned form = static_cast<unsigned>(random_() % 16);
    for (int bit = 0; bit < port.width; ++bit) {
      if (bit % 32 == 0) {
        word_ = static_cast<std::uint32_t>(random_());
        for (unsigned i = 3; i < form && form < 7; ++i)
          word_ &= static_cast<std::uint32_t>(random_());
      }
      bool value = ((word_ >> (bit % 32)) & 1U) != 0;
      if (habit.small) value = value && bit < 3;
      if (form == 0) value = false;
      if (form == 1) value = true;
      if (form == 2) value = bit == static_cast<int>(random_() % static_cast<unsigned>(port.width));
      set_bit(port.low + bit, value);
    }
  }
  void set(const Port& port, std::uint32_t value) {
    for (int bit = 0; bit < port.width; ++bit)
      set_bit(port.low + bit, bit < 32 && ((value >> bit) & 1U) != 0);
  }
  void set_bit(int bit, bool value) {
    const std::uint32_t mask = 1U << (bit % 32);
    std::uint32_t& word = model_->stimulus_i[static_cast<std::size_t>(bit / 32)];
    word = value ? word | mask : word & ~mask;
  }

  Vboth* model_;
  std::mt19937_64 random_;
  std::vector<Habit> habits_;
  std::vector<std::vector<EData>> useful_;
  std::uint32_t word_ = 0;
};

bool bit_of(const std::uint32_t* words, int bit) {
  return ((words[bit / 32] >> (bit % 32)) & 1U) != 0;
}

// Reports the first difference.
bool equal(const Vboth& model, std::uint64_t cycle, const char* when) {
  for (const Port* port = kOutputs; port->width != 0; ++port) {
    for (int bit = port->low; bit < port->low + port->width; ++bit) {
      if (bit_of(&model.rtl_o[0], bit) == bit_of(&model.netlist_o[0], bit)) continue;
      std::printf("DIFFERS: %s bit %d, cycle %llu, %s the edge: RTL %d, netlist %d\n", port->name,
                  bit - port->low, static_cast<unsigned long long>(cycle), when,
                  bit_of(&model.rtl_o[0], bit), bit_of(&model.netlist_o[0], bit));
      return false;
    }
  }
  return true;
}

constexpr std::uint64_t kFirstReset = 4;  // cycles

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const std::uint64_t cycles = std::strtoull(argv[1], nullptr, 10);
  VerilatedContext context;
  Vboth model(&context);
  Stimulus stimulus(&model, std::strtoull(argv[2], nullptr, 10));
  int bits = 0;
  for (const Port* port = kOutputs; port->width != 0; ++port) bits += port->width;
  std::vector<std::uint8_t> seen(static_cast<std::size_t>(bits), 0);
  std::uint64_t taken_back = 0;
  unsigned attempts = 0;
  for (std::uint64_t cycle = 0; cycle < cycles && taken_back < 3 * cycles + 10000; ++cycle) {
    const Save before(&model);
    // Nothing comes in before the first reset has ended: what is not reset would keep what a state
    // that nobody knows made of it.
    if (cycle >= kFirstReset) stimulus.drive(cycle - kFirstReset);
    // Where no legal input is found, the module starts anew.
    model.rst_ni = cycle >= kFirstReset && attempts % 64 < 32 && !stimulus.chance(4096);
    model.clk_i = 0;
    model.eval();
    if (cycle >= kFirstReset && !contract_broken && !equal(model, cycle, "before")) return 1;
    bool news = false;
    for (int bit = 0; bit < bits && !contract_broken; ++bit) {
      const std::uint8_t mask = bit_of(&model.rtl_o[0], bit) ? 2 : 1;
      news = news || (seen[static_cast<std::size_t>(bit)] & mask) == 0;
      seen[static_cast<std::size_t>(bit)] |= mask;
    }
    if (news && cycle > kFirstReset) stimulus.keep();
    model.clk_i = 1;
    model.eval();
    if (contract_broken && cycle >= kFirstReset) {
      Restore restore(before.bytes());
      restore >> model;
      ++taken_back;
      ++attempts;
      --cycle;
      if (attempts % 4 == 0) stimulus.change_habits();
      if (attempts == 10000) {
        std::printf("DIFFERS not, but no legal input was found in %u attempts\n", attempts);
        return 1;
      }
    } else {
      if (cycle >= kFirstReset && !equal(model, cycle, "after")) return 1;
      attempts = 0;
    }
    contract_broken = false;
  }
  int changed = 0;
  for (const std::uint8_t s : seen) changed += s == 3 ? 1 : 0;
  std::printf("SEED %s\nCYCLES %llu\n", argv[2], static_cast<unsigned long long>(cycles));
  std::printf("equal for %llu cycles (%llu taken back); %d of %d output bits seen both ways\n",
              static_cast<unsigned long long>(cycles), static_cast<unsigned long long>(taken_back),
              changed, bits);
  const int least = std::atoi(argv[3]);
  if (changed * 100 >= bits * least) return 0;
  std::printf(
      "TOO LITTLE MOVED: at least %d %% of the outputs must, or the comparison says little\n",
      least);
  return 1;
}
