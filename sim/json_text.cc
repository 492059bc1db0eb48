// SPDX-License-Identifier: Apache-2.0
#include "sim/json_text.h"

namespace torusmu {

std::string json_text(const nlohmann::json& json) {
  constexpr int kIndent = 2;
  return json.dump(kIndent, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace torusmu
