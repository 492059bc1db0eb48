// SPDX-License-Identifier: Apache-2.0
// What fuzz targets share. Each target is a file x_fuzz.cc with LLVMFuzzerTestOneInput(): bytes
// that libFuzzer makes up are read as descriptors, packets, register accesses, calls or a trace.
// Whatever they say, what must hold holds.
#ifndef TORUSMU_TESTS_FUZZ_FUZZ_H_
#define TORUSMU_TESTS_FUZZ_FUZZ_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>

namespace torusmu::fuzz {

// Throws std::runtime_error if `good` is false: nobody takes it, and libFuzzer keeps the input.
inline void require(bool good, const std::string& what) {
  if (!good) throw std::runtime_error("fuzz: " + what);
}

// The bytes of an input, from front to back; zeros behind its end.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : rest_(data, size) {}
  [[nodiscard]] bool empty() const { return rest_.empty(); }
  template <typename T>
  T take() {
    T value{};
    const std::size_t bytes = std::min(sizeof value, rest_.size());
    std::memcpy(&value, rest_.data(), bytes);
    rest_ = rest_.subspan(bytes);
    return value;
  }
  // In [0, bound), by one byte; bound is at most 256.
  std::uint32_t below(std::uint32_t bound) { return take<std::uint8_t>() % bound; }

 private:
  std::span<const std::uint8_t> rest_;
};

}  // namespace torusmu::fuzz

#endif  // TORUSMU_TESTS_FUZZ_FUZZ_H_
