// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/memory.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <string>

#include "sim/machine/mix.h"

namespace torusmu {
namespace {

constexpr Bytes kLargest = Bytes{1} << 40;

// Bits first..last of a line mask.
std::uint64_t line_mask(std::uint64_t first, std::uint64_t last) {
  const std::uint64_t up_to_last =
      last == 63 ? ~std::uint64_t{0} : (std::uint64_t{1} << (last + 1)) - 1;
  return up_to_last & (~std::uint64_t{0} << first);
}

[[noreturn]] void throw_outside(Address address, Bytes bytes, Bytes size) {
  throw std::out_of_range("memory access of " + std::to_string(bytes) + " bytes at " +
                          std::to_string(address) + " ends past the node's " +
                          std::to_string(size) + " bytes");
}

}  // namespace

NodeMemory::NodeMemory(Bytes size) : size_(size) {
  if (size == 0 || size % kPageBytes != 0 || size > kLargest) {
    throw std::invalid_argument("memory size " + std::to_string(size) +
                                " is not a multiple of 4096 from 4096 to 2^40");
  }
  const Bytes table_bytes = kPagesPerTable * kPageBytes;
  tables_.resize((size + table_bytes - 1) / table_bytes);
}

NodeMemory::Page* NodeMemory::find(std::uint64_t page) const {
  const auto& table = tables_[page / kPagesPerTable];
  return table ? (*table)[page % kPagesPerTable].get() : nullptr;
}

NodeMemory::Page& NodeMemory::touch(std::uint64_t page) {
  auto& table = tables_[page / kPagesPerTable];
  if (!table) table = std::make_unique<Table>();
  auto& slot = (*table)[page % kPagesPerTable];
  if (!slot) {
    slot = std::make_unique<Page>();
    ++pages_;
  }
  return *slot;
}

void NodeMemory::read(Address address, std::span<std::byte> data) const {
  if (!holds(address, data.size())) throw_outside(address, data.size(), size_);
  while (!data.empty()) {
    const Bytes in_page = address % kPageBytes;
    const std::size_t count = std::min<std::size_t>(data.size(), kPageBytes - in_page);
    if (const Page* page = find(address / kPageBytes)) {
      std::memcpy(data.data(), page->bytes.data() + in_page, count);
    } else {
      std::memset(data.data(), 0, count);
    }
    data = data.subspan(count);
    address += count;
  }
}

void NodeMemory::write(Address address, std::span<const std::byte> data) {
  if (!holds(address, data.size())) throw_outside(address, data.size(), size_);
  while (!data.empty()) {
    const Bytes in_page = address % kPageBytes;
    const std::size_t count = std::min<std::size_t>(data.size(), kPageBytes - in_page);
    std::memcpy(touch(address / kPageBytes).bytes.data() + in_page, data.data(), count);
    data = data.subspan(count);
    address += count;
  }
}

void NodeMemory::write_beat(Address address, const std::byte* data, std::uint32_t strobe) {
  if (strobe == 0) return;
  Page& page = touch(address / kPageBytes);
  const Bytes in_page = address % kPageBytes;
  std::byte* to = page.bytes.data() + in_page;
  if (strobe == 0xffffffffU) {
    std::memcpy(to, data, 32);
  } else {
    for (unsigned i = 0; i < 32; ++i) {
      if ((strobe >> i & 1U) != 0) to[i] = data[i];
    }
  }
  page.mu_lines |= std::uint64_t{1} << (in_page / kLineBytes);
}

std::uint64_t NodeMemory::take_mu_lines(Address address, Bytes bytes) {
  if (bytes == 0 || !holds(address, bytes)) return 0;
  std::uint64_t taken = 0;
  const Address last = address + bytes - 1;
  for (std::uint64_t number = address / kPageBytes; number <= last / kPageBytes; ++number) {
    Page* page = find(number);
    if (page == nullptr || page->mu_lines == 0) continue;
    const Address start = std::max(address, number * kPageBytes);
    const Address end = std::min(last, number * kPageBytes + kPageBytes - 1);
    const std::uint64_t lines =
        page->mu_lines & line_mask(start % kPageBytes / kLineBytes, end % kPageBytes / kLineBytes);
    taken += static_cast<std::uint64_t>(std::popcount(lines));
    page->mu_lines &= ~lines;
  }
  return taken;
}

std::uint64_t NodeMemory::hash() const {
  std::uint64_t sum = 0;
  for (std::uint64_t number = 0; number < tables_.size() * kPagesPerTable; ++number) {
    if (!tables_[number / kPagesPerTable]) {
      number += kPagesPerTable - 1;
      continue;
    }
    const Page* page = find(number);
    if (page == nullptr) continue;
    for (Bytes i = 0; i < kPageBytes; i += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, page->bytes.data() + i, 8);
      if (word != 0) sum += mix(word ^ mix(number * kPageBytes + i));
    }
  }
  return sum;
}

}  // namespace torusmu
