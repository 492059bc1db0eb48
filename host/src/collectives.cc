// SPDX-License-Identifier: Apache-2.0
#include "torusmu/collectives.h"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

namespace torusmu {
namespace {

constexpr std::uint32_t kMostNumber = 32767;

}  // namespace

// Heap memory for the length of one call. It is given back only after a call that has ended well:
// at a deadline the MU may still be told to write there.
struct Group::Scratch {
  Scratch(Context& owner, Bytes size) : context(owner), bytes(size) {
    const auto taken = owner.take_heap(size);
    if (taken) {
      address = taken.value();
    } else {
      error = taken.error();
    }
  }
  ~Scratch() {
    if (unused) context.give_heap(address, bytes);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  Context& context;
  Bytes bytes;
  Address address = 0;
  std::error_code error;
  bool unused = false;
};

Group::Group(Context& context, std::vector<Task> members, std::uint32_t number)
    : context_(context), members_(std::move(members)), number_(number) {
  const auto own = std::find(members_.begin(), members_.end(), context.task());
  if (own == members_.end() || number > kMostNumber) {
    throw std::invalid_argument(
        "a group needs its own task among its members, and a number below 32768");
  }
  rank_ = static_cast<std::uint32_t>(own - members_.begin());
}

std::uint32_t Group::tag() const { return number_ << 16 | (calls_ & 0xFFFF); }

std::error_code Group::send(std::uint32_t member, Address data, Bytes bytes, Cycles deadline) {
  const auto request = context_.send_internal(members_[member], tag(), data, bytes);
  if (!request) return request.error();
  const auto done = context_.wait(request.value(), deadline);
  return done ? done.value().error : done.error();
}

std::error_code Group::receive(std::uint32_t member, Address buffer, Bytes bytes, Cycles deadline) {
  const auto request = context_.receive_internal(members_[member], tag(), buffer, bytes);
  if (!request) return request.error();
  const auto done = context_.wait(request.value(), deadline);
  return done ? done.value().error : done.error();
}

std::error_code Group::exchange(std::uint32_t to, Address data, std::uint32_t from, Address buffer,
                                Bytes bytes, Cycles deadline) {
  const auto incoming = context_.receive_internal(members_[from], tag(), buffer, bytes);
  if (!incoming) return incoming.error();
  if (const auto error = send(to, data, bytes, deadline)) return error;
  const auto done = context_.wait(incoming.value(), deadline);
  return done ? done.value().error : done.error();
}

void Group::copy(Address to, Address from, Bytes bytes) {
  constexpr Bytes kLine = 64;
  if (to == from || bytes == 0) return;
  std::vector<std::byte> data(bytes);
  context_.device().load(from, data);
  context_.device().work(Work::kCopyLine, (bytes + kLine - 1) / kLine);
  context_.device().store(to, data);
}

void Group::combine_at(ReduceOp op, DataType type, Address into, Address other, Bytes bytes,
                       bool other_first) {
  std::vector<std::byte> mine(bytes);
  std::vector<std::byte> theirs(bytes);
  context_.device().load(into, mine);
  context_.device().load(other, theirs);
  if (other_first) std::swap(mine, theirs);
  combine(op, type, mine, theirs);
  context_.device().compute(bytes / size_of(type));
  context_.device().store(into, mine);
}

std::error_code Group::barrier(Cycles deadline) {
  ++calls_;
  const std::uint32_t n = size();
  for (std::uint32_t distance = 1; distance < n; distance *= 2) {
    if (const auto error =
            exchange((rank_ + distance) % n, 0, (rank_ + n - distance) % n, 0, 0, deadline)) {
      return error;
    }
  }
  return {};
}

std::error_code Group::broadcast(std::uint32_t root, Address data, Bytes bytes, Cycles deadline) {
  if (root >= size()) return Errc::kBadArgument;
  ++calls_;
  const std::uint32_t n = size();
  const std::uint32_t v = (rank_ + n - root) % n;
  // v receives from v without its lowest set bit, and sends to v plus each bit below that.
  const std::uint32_t lowest = v == 0 ? std::bit_ceil(n) : v & (~v + 1);
  if (v != 0) {
    if (const auto error = receive((v - lowest + root) % n, data, bytes, deadline)) return error;
  }
  for (std::uint32_t bit = lowest / 2; bit != 0; bit /= 2) {
    if (v + bit >= n) continue;
    if (const auto error = send((v + bit + root) % n, data, bytes, deadline)) return error;
  }
  return {};
}

std::error_code Group::reduce(std::uint32_t root, ReduceOp op, DataType type, std::uint64_t count,
                              Address in, Address out, Cycles deadline) {
  if (root >= size()) return Errc::kBadArgument;
  ++calls_;
  const std::uint32_t n = size();
  const std::uint32_t v = (rank_ + n - root) % n;
  const Bytes bytes = count * size_of(type);
  if (bytes == 0) return {};
  Scratch sum(context_, bytes);
  Scratch theirs(context_, bytes);
  if (sum.error) return sum.error;
  if (theirs.error) return theirs.error;
  copy(sum.address, in, bytes);
  for (std::uint32_t k = 1; k < n; k *= 2) {
    if ((v & k) != 0) {
      const auto error = send((v - k + root) % n, sum.address, bytes, deadline);
      sum.unused = theirs.unused = !error;
      return error;
    }
    if (v + k >= n) continue;
    if (const auto error = receive((v + k + root) % n, theirs.address, bytes, deadline))
      return error;
    combine_at(op, type, sum.address, theirs.address, bytes, false);
  }
  copy(out, sum.address, bytes);
  sum.unused = theirs.unused = true;
  return {};
}

std::error_code Group::allreduce(ReduceOp op, DataType type, std::uint64_t count, Address in,
                                 Address out, Cycles deadline) {
  ++calls_;
  const Bytes bytes = count * size_of(type);
  if (bytes == 0) return {};
  const std::uint32_t p = std::bit_floor(size());
  const std::uint32_t extra = size() - p;
  Scratch sum(context_, bytes);
  Scratch theirs(context_, bytes);
  if (sum.error) return sum.error;
  if (theirs.error) return theirs.error;
  copy(sum.address, in, bytes);

  const bool folds = rank_ < 2 * extra;
  if (folds && rank_ % 2 == 0) {
    // The odd neighbour takes part for both.
    if (const auto error = send(rank_ + 1, sum.address, bytes, deadline)) return error;
    if (const auto error = receive(rank_ + 1, sum.address, bytes, deadline)) return error;
    copy(out, sum.address, bytes);
    sum.unused = theirs.unused = true;
    return {};
  }
  if (folds) {
    if (const auto error = receive(rank_ - 1, theirs.address, bytes, deadline)) return error;
    combine_at(op, type, sum.address, theirs.address, bytes, true);
  }
  const std::uint32_t i = folds ? rank_ / 2 : rank_ - extra;
  const auto member_of = [&](std::uint32_t n) { return n < extra ? 2 * n + 1 : n + extra; };
  for (std::uint32_t k = 1; k < p; k *= 2) {
    const std::uint32_t partner = member_of(i ^ k);
    if (const auto error =
            exchange(partner, sum.address, partner, theirs.address, bytes, deadline)) {
      return error;
    }
    combine_at(op, type, sum.address, theirs.address, bytes, (i & k) != 0);
  }
  if (folds) {
    if (const auto error = send(rank_ - 1, sum.address, bytes, deadline)) return error;
  }
  copy(out, sum.address, bytes);
  sum.unused = theirs.unused = true;
  return {};
}

}  // namespace torusmu
