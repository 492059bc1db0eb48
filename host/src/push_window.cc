// SPDX-License-Identifier: Apache-2.0
#include "host/src/push_window.h"

#include "torusmu/registers.h"

namespace torusmu {
namespace {

namespace page = registers::client_page;

constexpr std::uint32_t kWords = 8;

}  // namespace

std::error_code PushWindow::push(const Descriptor& descriptor) {
  // A notice about what the queue has sent would be taken for one about a fetch of that name.
  if (!site_.plan.has_pushed_queue() ||
      descriptor.get<layout::descriptor::sequence_number>() != 0) {
    return Errc::kBadArgument;
  }
  const ClientShare::Hold turn = share_.turn_to_push();
  if (!turn) return Errc::kAgain;
  site_.device.work(Work::kBuildDescriptor, 1);
  const auto bytes = descriptor.bytes();
  for (std::uint32_t word = 0; word < kWords; ++word) {
    std::uint64_t value = 0;
    for (std::uint32_t i = 0; i < 8; ++i) value |= std::uint64_t{bytes[8 * word + i]} << 8 * i;
    site_.device.write64(page::push_data(site_.client.value, word), value);
  }
  const std::uint64_t outcome = site_.device.read64(page::push_status(site_.client.value));
  if (outcome == ~std::uint64_t{0}) return liveness_.check();
  switch (static_cast<Status>(extract(outcome, page::push_status_field::status))) {
    case Status::kOk:
      return {};
    case Status::kQueueFull:
      return Errc::kAgain;
    default:
      return Errc::kDeviceError;
  }
}

}  // namespace torusmu
