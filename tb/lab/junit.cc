// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>

#include "tb/lab/summary.h"

namespace torusmu::lab {
namespace {

// What XML 1.0 cannot hold, even escaped, becomes a question mark; so does every byte beyond ASCII,
// for a child may print what is no UTF-8.
std::string escaped(const std::string& text) {
  std::string xml;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    constexpr unsigned char kFirstPrintable = 0x20, kDelete = 0x7f;
    if (c == '&') {
      xml += "&amp;";
    } else if (c == '<') {
      xml += "&lt;";
    } else if (c == '>') {
      xml += "&gt;";
    } else if (c == '"') {
      xml += "&quot;";
    } else if (c == '\n' || c == '\t') {
      xml += c == '\n' ? "&#10;" : "&#9;";
    } else {
      xml += byte < kFirstPrintable || byte >= kDelete ? '?' : c;
    }
  }
  return xml;
}

std::string property(const std::string& name, const std::string& value) {
  return fmt::format("        <property name=\"{}\" value=\"{}\"/>\n", name, escaped(value));
}

// A failure is a check that was not met; an error is a test that came to no verdict.
bool is_error(const Result& result) { return !result.passed() && result.status != Status::kFailed; }

std::string test_case(const Result& result) {
  const std::string& name = result.job.name;
  const std::size_t slash = name.find('/');
  std::string xml = fmt::format(
      "    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\">\n      <properties>\n",
      escaped(name.substr(0, slash)), escaped(name), result.seconds);
  xml += property("seed", std::to_string(result.job.seed));
  xml += property("command", result.job.command());
  xml += property("cycles", std::to_string(result.cycles));
  if (!result.view.empty()) xml += property("waves", result.view);
  xml += "      </properties>\n";
  if (!result.passed()) {
    const char* const element = is_error(result) ? "error" : "failure";
    xml += fmt::format("      <{0} message=\"{1}\" type=\"{2}\">{3}</{0}>\n", element,
                       escaped(result.reason), status_name(result.status),
                       escaped(failure_text(result)));
  }
  return xml + "    </testcase>\n";
}

}  // namespace

std::string junit_xml(const Summary& summary) {
  std::size_t errors = 0;
  for (const Result& result : summary.results) errors += is_error(result) ? 1 : 0;
  const std::string counts =
      fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" time=\"{:.3f}\"",
                  summary.results.size(), summary.count(Status::kFailed), errors, summary.seconds);
  std::string xml = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"torusmu regress\" {}>\n"
      "  <testsuite name=\"{}\" {} skipped=\"0\" hostname=\"{}\" timestamp=\"{}\">\n"
      "    <properties>\n{}{}    </properties>\n",
      counts, escaped(std::filesystem::path(summary.run.plan).stem().string()), counts,
      escaped(summary.run.host), escaped(summary.run.started.substr(0, 19)),
      property("master_seed", std::to_string(summary.run.master_seed)),
      property("commit", summary.run.commit));
  for (const Result& result : summary.results) xml += test_case(result);
  return xml + "  </testsuite>\n</testsuites>\n";
}

}  // namespace torusmu::lab
