// SPDX-License-Identifier: Apache-2.0
// SHA-256 (FIPS 180-4): what `sha256sum` prints of a file, so that a result names its input.
#ifndef TORUSMU_SIM_OBSERVE_SHA256_H_
#define TORUSMU_SIM_OBSERVE_SHA256_H_

#include <optional>
#include <string>
#include <string_view>

namespace torusmu {

// 64 hexadecimal digits.
std::string sha256_of(std::string_view bytes);

// Of what a regular file holds; nothing for a pipe, which can be read once only.
std::optional<std::string> sha256_of_file(const std::string& path);

}  // namespace torusmu

#endif  // TORUSMU_SIM_OBSERVE_SHA256_H_
