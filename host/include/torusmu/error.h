// SPDX-License-Identifier: Apache-2.0
// What can go wrong in the host library, as std::error_code values whose text says what to do.
#ifndef TORUSMU_ERROR_H_
#define TORUSMU_ERROR_H_

#include <cassert>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "torusmu/standard.h"

namespace torusmu {

enum class Errc {
  kAgain = 1,        // no slot, credit or buffer now
  kDeadline,         // the deadline came first
  kBadArgument,      // a task, context, tag, length or option outside its range
  kNotRegistered,    // memory that no region of the client covers
  kTruncated,        // a message longer than its buffer
  kDataLost,         // the MU reported a refusal that resending cannot mend
  kRefused,          // the other side refused: region, permission or counter
  kOutOfResources,   // the plan does not fit the node; no heap, no request left
  kDeviceGone,       // registers answer with all ones
  kNotAcknowledged,  // a SEND went out as often as it may, and the peer did not take it
  kFlushed,          // a SEND or RECEIVE whose queue pair was connected anew
  kDeviceError,      // the MU recorded an error against this client
  kNoComponent,      // a poller knows none of that name: never added, or removed
  kDeliveryUnknown,  // a SEND to a dynamic queue pair that was perhaps received, perhaps not
  kNoDispatch,       // an active message for which its target has registered no function
  kNotOrdered,       // a fence after traffic that it cannot order
  kResending,        // of a fence that goes on: what it fences was refused, and is sent again
  kNotLocal,         // a channel to a task of another node
  kChannelOpen,      // a second channel for a pair of tasks
  kNoticesLost,      // a fence cannot say whether puts before it were refused
};

/// The category of Errc; message() says what happened and what to do about it.
const std::error_category& error_category();

inline std::error_code make_error_code(Errc error) {
  return {static_cast<int>(error), error_category()};
}

}  // namespace torusmu

template <>
struct std::is_error_code_enum<torusmu::Errc> : std::true_type {};

namespace torusmu {

/// A value, or the error that stood in its way.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}                     // NOLINT
  Result(std::error_code error) : error_(error) { assert(error); }  // NOLINT
  Result(Errc error) : error_(make_error_code(error)) {}            // NOLINT
  /// `detail` is what is known of this very case: which argument or resource, and what would help.
  Result(Errc error, std::string detail)
      : error_(make_error_code(error)), detail_(std::move(detail)) {}

  explicit operator bool() const { return value_.has_value(); }
  /// Zero if there is a value.
  [[nodiscard]] std::error_code error() const { return error_; }
  /// What stood in its way and what to do about it; more exact than error().message() where more is
  /// known.
  [[nodiscard]] std::string message() const { return detail_.empty() ? error_.message() : detail_; }
  /// Only if there is a value; std::bad_optional_access otherwise.
  T& value() { return value_.value(); }
  const T& value() const { return value_.value(); }
  T& operator*() { return value_.value(); }
  T* operator->() { return &value_.value(); }

 private:
  std::optional<T> value_;
  std::error_code error_;
  std::string detail_;
};

}  // namespace torusmu

#endif  // TORUSMU_ERROR_H_
