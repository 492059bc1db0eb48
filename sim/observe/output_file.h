// SPDX-License-Identifier: Apache-2.0
// Files that a run writes for its user: whole, or not there.
#ifndef TORUSMU_SIM_OBSERVE_OUTPUT_FILE_H_
#define TORUSMU_SIM_OBSERVE_OUTPUT_FILE_H_

#include <string>
#include <vector>

namespace torusmu {

// A file as the command line names it.
struct NamedFile {
  std::string option, path;  // no path: it is not given
  bool is_output = true;
};

// Throws UsageError that names both if an output is the same file as another of them. Devices and
// pipes take what comes.
void require_apart(const std::vector<NamedFile>& files);

// For a run that takes long: throws UsageError, which begins with `option`, if the file cannot be
// written. One that was not there is not left behind.
void require_writable(const std::string& option, const std::string& path);

// For an input of a run that is played twice: throws UsageError, which begins with `option`, if it
// is there but no file, as a pipe is.
void require_second_reading(const std::string& option, const std::string& path);

// What an earlier run has left there must not read as this one's: removes it. A device stays.
void remove_old_output(const std::string& path);

// Writes beside `path`, forces it onto the disk and gives it its name then, so that whoever finds
// the file finds all of it. 0, or the system's reason: `path` is as before then.
int replace_file(const std::string& path, const std::string& text);

// Does so with what `path` leads to. Throws UsageError with the system's reason, and then leaves no
// file there. A device, such as /dev/stdout, is written as it is.
void write_output_file(const std::string& option, const std::string& path, const std::string& text);

}  // namespace torusmu

#endif  // TORUSMU_SIM_OBSERVE_OUTPUT_FILE_H_
