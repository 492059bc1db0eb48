// SPDX-License-Identifier: Apache-2.0
#ifndef TORUSMU_SIM_JSON_TEXT_H_
#define TORUSMU_SIM_JSON_TEXT_H_

#include <nlohmann/json.hpp>
#include <string>

namespace torusmu {

// The file of a JSON value, for every one that is written. Names of files need not be UTF-8, which
// JSON is: what is not becomes U+FFFD, and costs no result.
std::string json_text(const nlohmann::json& json);

}  // namespace torusmu

#endif  // TORUSMU_SIM_JSON_TEXT_H_
