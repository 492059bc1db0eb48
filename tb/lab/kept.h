// SPDX-License-Identifier: Apache-2.0
// Results that still hold: of a job whose command, inputs and tools are as they were when it
// passed.
#ifndef TORUSMU_TB_LAB_KEPT_H_
#define TORUSMU_TB_LAB_KEPT_H_

#include <map>
#include <optional>
#include <string>

#include "tb/lab/result.h"

namespace torusmu::lab {

class KeptResults {
 public:
  // `tools` says by which programs the jobs are done, with their versions.
  KeptResults(std::string folder, std::string tools)
      : folder_(std::move(folder)), tools_(std::move(tools)) {}

  // What the job does, over all it reads; nothing if it does not say what that is, or if a file of
  // it is not there. An input may be a pattern of files, or "@FILE.d", what a compiler has written
  // there as the prerequisites of an object.
  std::optional<std::string> key_of(const Job& job);
  // The result of the job under this key, marked as kept.
  [[nodiscard]] std::optional<Result> find(const Job& job, const std::string& key) const;
  // Of a job that has passed.
  void keep(const Result& result, const std::string& key) const;

 private:
  const std::optional<std::string>& hash_of(const std::string& file);
  [[nodiscard]] std::string file_of(const Job& job) const;

  std::string folder_, tools_;
  std::map<std::string, std::optional<std::string>> hashes_;  // of each file, while this lives
};

}  // namespace torusmu::lab

#endif  // TORUSMU_TB_LAB_KEPT_H_
