// SPDX-License-Identifier: Apache-2.0
#include "sim/app/identity.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <string_view>

#include "sim/identity/content_hash.h"
#include "sim/identity/facts.h"
#include "sim/machine/errors.h"
#include "sim/observe/note.h"

namespace torusmu {
namespace {

namespace fs = std::filesystem;

// The checkout that this program was built in; empty if the program lies somewhere else.
fs::path checkout() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error) return {};
  const fs::path root = fs::canonical(self.parent_path() / kBuildFacts.root, error);
  return !error && fs::exists(root / "rtl/rtl.f", error) && fs::exists(root / "sim/sim.mk", error)
             ? root
             : fs::path{};
}

bool rtl_has_changed() {
  const fs::path root = checkout();
  if (root.empty()) return false;
  ContentHash hash;
  for (std::size_t i = 0; i < kBuildFacts.rtl_file_count; ++i) {
    hash.add_file(root, kBuildFacts.rtl_files[i]);
  }
  return hash.hex() != kBuildFacts.rtl_hash;
}

// What the program prints for --version; empty if it cannot say. `program` has no quote in it or is
// quoted here.
std::string version_of(const std::string& program) {
  std::string quoted = "'";
  for (const char c : program) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  std::FILE* const pipe = popen((quoted + "' --version 2>/dev/null").c_str(), "r");
  if (pipe == nullptr) return "";
  std::string text;
  std::array<char, 1024> buffer{};
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    text.append(buffer.data(), got);
  }
  return pclose(pipe) == 0 ? text : "";
}

// The value of a line of identity_text().
std::string line_of(std::string_view text, std::string_view name) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    if (line.starts_with(name)) {
      const std::size_t value = line.find_first_not_of(' ', name.size());
      if (value != std::string_view::npos) return std::string(line.substr(value));
    }
    at = end + 1;
  }
  return "unknown";
}

}  // namespace

const BuildIdentity& build_identity() {
  static const BuildIdentity identity{.version = kBuildFacts.version,
                                      .commit = kBuildFacts.commit,
                                      .hash = kBuildFacts.hash,
                                      .profile = kBuildFacts.profile,
                                      .verilator = kBuildFacts.verilator,
                                      .stale = rtl_has_changed()};
  return identity;
}

std::string identity_text(const BuildIdentity& identity) {
  return fmt::format("torusmu {}\ncommit    {}\nbuild     {}\nprofile   {}\nverilator {}",
                     identity.version,
                     identity.commit.empty() ? "none: not built in a checkout" : identity.commit,
                     identity.hash, identity.profile, identity.verilator);
}

void warn_if_stale() {
  if (!build_identity().stale) return;
  note(
      fmt::format("torusmu: the RTL of {} has changed since this program was built: make brings it "
                  "up to date\n",
                  checkout().string()));
}

void require_same_build(const std::string& program, const std::string& remedy) {
  const std::string theirs = line_of(version_of(program), "build ");
  const std::string& ours = build_identity().hash;
  if (theirs == ours) return;
  throw UsageError(fmt::format("{} is of build {}, this program of build {}: {}", program, theirs,
                               ours, remedy));
}

}  // namespace torusmu
