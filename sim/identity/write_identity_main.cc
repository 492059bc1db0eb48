// SPDX-License-Identifier: Apache-2.0
// Writes the sources of the build's identity: write_identity FOLDER NAME=TEXT... rtl=FILE...
// model=FILE... source=FILE...; NAME is version, commit, profile, verilator, root, flags or
// model_flags. A file whose text would be the same is left as it is.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>

#include "sim/identity/content_hash.h"

namespace torusmu {
namespace {

struct Wanted {
  std::map<std::string, std::string> texts;
  std::map<std::string, std::set<std::string>> files;  // by kind, in the order of their names

  [[nodiscard]] const std::string& text(const std::string& name) const {
    const auto found = texts.find(name);
    if (found == texts.end()) throw std::runtime_error(name + "= is missing");
    return found->second;
  }
  [[nodiscard]] const std::set<std::string>& of(const std::string& kind) const {
    const auto found = files.find(kind);
    if (found == files.end()) throw std::runtime_error("no file " + kind + "=");
    return found->second;
  }
};

Wanted read(int argc, char** argv) {
  Wanted wanted;
  for (int i = 2; i < argc; ++i) {
    const std::string word = argv[i];
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) throw std::runtime_error("no NAME=TEXT: " + word);
    const std::string name = word.substr(0, equals);
    const std::string text = word.substr(equals + 1);
    if (name == "rtl" || name == "model" || name == "source") {
      wanted.files[name].insert(text);
    } else {
      wanted.texts[name] = text;
    }
  }
  return wanted;
}

void add_files(ContentHash& hash, const std::set<std::string>& files) {
  for (const std::string& file : files) hash.add_file(".", file);
}

std::string hash_of_model(const Wanted& wanted) {
  ContentHash hash;
  for (const char* name : {"profile", "verilator", "model_flags"}) hash.add(wanted.text(name));
  add_files(hash, wanted.of("rtl"));
  add_files(hash, wanted.of("model"));
  return hash.hex();
}

std::string hash_of_all(const Wanted& wanted) {
  ContentHash hash;
  for (const char* name : {"version", "flags"}) hash.add(wanted.text(name));
  hash.add(hash_of_model(wanted));
  add_files(hash, wanted.of("source"));
  return hash.hex();
}

std::string literal(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

constexpr const char* kHead =
    "// Written by sim/identity/write_identity_main.cc.\n#include \"sim/identity/facts.h\"\n\n"
    "namespace torusmu {\n";

std::string facts_source(const Wanted& wanted) {
  ContentHash rtl;
  add_files(rtl, wanted.of("rtl"));
  std::string text = kHead;
  text += "namespace {\nconst char* const kRtlFiles[] = {\n";
  for (const std::string& file : wanted.of("rtl")) text += literal(file) + ",\n";
  text += "};\n}  // namespace\nconst BuildFacts kBuildFacts = {\n";
  for (const std::string& member :
       {wanted.text("version"), wanted.text("commit"), hash_of_all(wanted), wanted.text("profile"),
        wanted.text("verilator"), wanted.text("root"), rtl.hex()}) {
    text += literal(member) + ",\n";
  }
  return text +
         fmt::format("kRtlFiles, {}}};\n}}  // namespace torusmu\n", wanted.of("rtl").size());
}

std::string model_source(const Wanted& wanted) {
  return fmt::format("{}const char* const kModelHash = {};\n}}  // namespace torusmu\n", kHead,
                     literal(hash_of_model(wanted)));
}

void write_if_new(const std::filesystem::path& path, const std::string& text) {
  std::ifstream old(path, std::ios::binary);
  if (old && std::string(std::istreambuf_iterator<char>(old), {}) == text) return;
  std::ofstream output(path, std::ios::binary);
  output << text;
  output.close();
  if (!output) throw std::runtime_error("cannot write " + path.string());
}

int write(int argc, char** argv) {
  if (argc < 2) throw std::runtime_error("usage: write_identity FOLDER NAME=TEXT...");
  const std::filesystem::path folder = argv[1];
  const Wanted wanted = read(argc, argv);
  write_if_new(folder / "facts.cc", facts_source(wanted));
  write_if_new(folder / "model.cc", model_source(wanted));
  return 0;
}

}  // namespace
}  // namespace torusmu

int main(int argc, char** argv) {
  try {
    return torusmu::write(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "write_identity: {}\n", error.what());
    return 1;
  }
}
