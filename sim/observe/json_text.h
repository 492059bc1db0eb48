// SPDX-License-Identifier: Apache-2.0
#ifndef TORUSMU_SIM_OBSERVE_JSON_TEXT_H_
#define TORUSMU_SIM_OBSERVE_JSON_TEXT_H_

#include <nlohmann/json.hpp>
#include <string>

namespace torusmu {

// The file of a JSON value, for every one that is written. Names of files need not be UTF-8, which
// JSON is: what is not becomes U+FFFD, and costs no result.
std::string json_text(const nlohmann::json& json);

// Whether the bytes are text that JSON can hold.
bool is_utf8(const std::string& text);
// A word that must come back as it was: a string, or the list of its bytes if it is no UTF-8.
nlohmann::json word_to_json(const std::string& word);
// Throws nlohmann::json::exception for what word_to_json() did not write.
std::string word_from_json(const nlohmann::json& json);

}  // namespace torusmu

#endif  // TORUSMU_SIM_OBSERVE_JSON_TEXT_H_
