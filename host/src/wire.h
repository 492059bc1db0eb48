// SPDX-License-Identifier: Apache-2.0
// What the library puts into the fields of memory-FIFO packets that the hardware leaves to
// software.
//
// header.word    the message's tag, or a number
// header.offset  bits 15..0 byte offset in the message (the MU counts it up from packet to packet),
//                32..16 length of the message, 35..33 Type, 36 an acknowledgement is wanted soon
// trailer.sequence_number  bits 15..0 number of the message from this task to that one (0 for types
//                that have none), 31..16 acknowledgement: number of the next message expected
#ifndef TORUSMU_HOST_SRC_WIRE_H_
#define TORUSMU_HOST_SRC_WIRE_H_

#include <array>
#include <cstdint>

#include "torusmu/error.h"
#include "torusmu/layout.h"

namespace torusmu::wire {

enum class Type : std::uint8_t {
  kInvalid = 0,
  kEager = 1,      // the message itself
  kRequest = 2,    // request to send: payload RequestPayload
  kDone = 3,       // what becomes of a long message: payload Said, which says what word names
  kAck = 4,        // acknowledgement alone; word repeats the number of the probe it answers, or 0
  kProbe = 5,      // asks for an acknowledgement; word is the probe's number
  kFetched = 6,    // made by the peer's MU on behalf of a get of ours: word names the fetch
  kReflected = 7,  // made by a reflection node's MU on behalf of a put of ours: word names it
};

constexpr bool is_numbered(Type type) {
  return type == Type::kEager || type == Type::kRequest || type == Type::kDone;
}

inline constexpr std::uint64_t kMostEagerBytes = 65536;

// Tags of active messages, behind those of all groups: bits 7..0 dispatch id, 15..8 bytes of the
// header. Their payload is the header, then the data; that of a request RequestPayload, then the
// header.
inline constexpr std::uint32_t kActiveTags = 0xFFFE0000;
constexpr bool is_active(std::uint32_t tag) { return (tag & 0xFFFF0000) == kActiveTags; }
constexpr std::uint32_t active_tag(std::uint32_t dispatch, std::size_t header_bytes) {
  return kActiveTags | static_cast<std::uint32_t>(header_bytes) << 8 | dispatch;
}
constexpr std::uint32_t dispatch_of(std::uint32_t tag) { return tag & 0xFF; }
constexpr std::size_t header_bytes_of(std::uint32_t tag) { return tag >> 8 & 0xFF; }

// First byte of a kDone. The receiver says all but kSent, and word is the sender's request.
enum class Said : std::uint8_t {
  kFetched = 0,
  kRefused = 1,
  kNoDispatch = 2,   // second byte: the dispatch id; word is 0 if the data came with the message
  kDataLost = 3,     // the sender's memory could not be read, or data that it has put did not come
  kClearToSend = 4,  // payload ClearToSend
  kSent = 5,         // the sender: the data stands before this in its queue; word is the fetch
};

// What a notice means to the program, of what is not sent again.
constexpr Errc error_of(Status status) {
  return status == Status::kMemoryError ? Errc::kDataLost : Errc::kRefused;
}

struct OffsetField {
  std::uint32_t offset = 0;  // bytes, below 2^16
  std::uint32_t length = 0;  // bytes, at most 2^17 - 1
  Type type = Type::kInvalid;
  bool ack_wanted = false;

  [[nodiscard]] constexpr std::uint64_t pack() const {
    return std::uint64_t{offset} | std::uint64_t{length} << 16 |
           static_cast<std::uint64_t>(type) << 33 | std::uint64_t{ack_wanted} << 36;
  }
  static constexpr OffsetField unpack(std::uint64_t bits) {
    return {static_cast<std::uint32_t>(bits & 0xFFFF),
            static_cast<std::uint32_t>(bits >> 16 & 0x1FFFF), static_cast<Type>(bits >> 33 & 7),
            (bits >> 36 & 1) != 0};
  }
};

struct Numbers {
  std::uint16_t number = 0;
  std::uint16_t acknowledged = 0;

  [[nodiscard]] constexpr std::uint32_t pack() const {
    return std::uint32_t{number} | std::uint32_t{acknowledged} << 16;
  }
  static constexpr Numbers unpack(std::uint64_t bits) {
    return {static_cast<std::uint16_t>(bits), static_cast<std::uint16_t>(bits >> 16)};
  }
};

using Immediate = std::array<std::uint8_t, 16>;

constexpr void put_bytes(Immediate& bytes, unsigned at, unsigned count, std::uint64_t value) {
  for (unsigned i = 0; i < count; ++i) bytes[at + i] = static_cast<std::uint8_t>(value >> (8 * i));
}
constexpr std::uint64_t take_bytes(const Immediate& bytes, unsigned at, unsigned count) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < count; ++i) value |= std::uint64_t{bytes[at + i]} << (8 * i);
  return value;
}

// Where the data of a requested message lies at its sender.
struct RequestPayload {
  std::uint32_t request = 0;  // comes back in kDone
  std::uint8_t region = 0;
  std::uint64_t offset = 0;  // 37 bits
  std::uint64_t length = 0;  // 37 bits
  bool will_put = false;     // the sender puts it itself if the receiver says kClearToSend

  [[nodiscard]] constexpr Immediate pack() const {
    Immediate bytes{};
    put_bytes(bytes, 0, 4, request);
    put_bytes(bytes, 4, 1, region);
    put_bytes(bytes, 5, 5, offset);
    put_bytes(bytes, 10, 5, length);
    put_bytes(bytes, 15, 1, will_put ? 1 : 0);
    return bytes;
  }
  static constexpr RequestPayload unpack(const Immediate& bytes) {
    return {static_cast<std::uint32_t>(take_bytes(bytes, 0, 4)),
            static_cast<std::uint8_t>(take_bytes(bytes, 4, 1)), take_bytes(bytes, 5, 5),
            take_bytes(bytes, 10, 5), (take_bytes(bytes, 15, 1) & 1) != 0};
  }
};

// Where the receiver of a requested message wants the data put.
struct ClearToSend {
  std::uint8_t region = 0;
  std::uint8_t counter = 0;  // byte counter of the receiver that expects it
  std::uint16_t fetch = 0;   // comes back in kSent
  std::uint64_t offset = 0;  // 37 bits
  std::uint64_t length = 0;  // 37 bits: what the buffer takes of it

  [[nodiscard]] constexpr Immediate pack() const {
    Immediate bytes{};
    put_bytes(bytes, 0, 1, static_cast<std::uint8_t>(Said::kClearToSend));
    put_bytes(bytes, 1, 1, region);
    put_bytes(bytes, 2, 1, counter);
    put_bytes(bytes, 3, 2, fetch);
    put_bytes(bytes, 5, 5, offset);
    put_bytes(bytes, 10, 5, length);
    return bytes;
  }
  static constexpr ClearToSend unpack(const Immediate& bytes) {
    return {static_cast<std::uint8_t>(take_bytes(bytes, 1, 1)),
            static_cast<std::uint8_t>(take_bytes(bytes, 2, 1)),
            static_cast<std::uint16_t>(take_bytes(bytes, 3, 2)), take_bytes(bytes, 5, 5),
            take_bytes(bytes, 10, 5)};
  }
};

}  // namespace torusmu::wire

#endif  // TORUSMU_HOST_SRC_WIRE_H_
