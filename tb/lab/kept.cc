// SPDX-License-Identifier: Apache-2.0
#include "tb/lab/kept.h"

#include <filesystem>
#include <sstream>

#include "sim/observe/json_text.h"
#include "sim/observe/quoted.h"
#include "sim/observe/sha256.h"
#include "tb/lab/files.h"
#include "tb/lab/rows.h"

namespace torusmu::lab {
namespace {

// What stands behind the colon of a makefile's first rule.
std::vector<std::string> prerequisites_in(const std::string& file) {
  if (!std::filesystem::exists(file)) return {file};
  std::istringstream text(read_file(file));
  std::vector<std::string> files;
  bool behind_colon = false;
  for (std::string word; text >> word;) {
    if (word.ends_with(':') && behind_colon) break;  // the rules of the headers follow
    if (behind_colon && word != "\\") files.push_back(word);
    behind_colon = behind_colon || word.ends_with(':');
  }
  return files;
}

}  // namespace

const std::optional<std::string>& KeptResults::hash_of(const std::string& file) {
  const auto [found, is_new] = hashes_.try_emplace(file);
  if (is_new) found->second = sha256_of_file(file);
  return found->second;
}

std::optional<std::string> KeptResults::key_of(const Job& job) {
  if (job.inputs.empty()) return std::nullopt;
  std::string all = tools_ + "\n" + quoted(job.words) + "\n";
  for (const std::string& input : job.inputs) {
    const bool listed = input.starts_with("@");
    for (const std::string& file :
         listed ? prerequisites_in(input.substr(1)) : files_matching(input)) {
      const auto& hash = hash_of(file);
      if (!hash) return std::nullopt;
      all += file + " " + *hash + "\n";
    }
  }
  return sha256_of(all);
}

// A name of a job is a path; that of its file is flat.
std::string KeptResults::file_of(const Job& job) const {
  std::string name = job.name;
  for (char& c : name) c = c == '/' ? '~' : c;
  return folder_ + "/" + name + ".json";
}

std::optional<Result> KeptResults::find(const Job& job, const std::string& key) const {
  const std::string file = file_of(job);
  if (!std::filesystem::exists(file)) return std::nullopt;
  try {
    const auto json = nlohmann::json::parse(read_file(file));
    if (json.at("key") != key) return std::nullopt;
    Result result = result_from_json(json.at("result"));
    result.job = job;
    result.kept = true;
    return result;
  } catch (const std::exception&) {
    return std::nullopt;  // of another version of the runner
  }
}

void KeptResults::keep(const Result& result, const std::string& key) const {
  make_folder(folder_);
  write_whole(file_of(result.job), json_text({{"key", key}, {"result", result_to_json(result)}}));
}

}  // namespace torusmu::lab
