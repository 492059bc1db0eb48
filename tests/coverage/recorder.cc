// SPDX-License-Identifier: Apache-2.0
#include "tests/coverage/recorder.h"

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>

namespace torusmu::coverage {
namespace {

const std::map<std::string, std::string>& files_of_modules() {
  static const std::map<std::string, std::string> files{
#define FILE_OF(module, file) {module, file},
#define INSTANCE(parent, name, child)
#include "coverage_instances.inc"
#undef FILE_OF
#undef INSTANCE
  };
  return files;
}

const std::map<std::pair<std::string, std::string>, std::string>& modules_of_instances() {
  static const std::map<std::pair<std::string, std::string>, std::string> modules{
#define FILE_OF(module, file)
#define INSTANCE(parent, name, child) {{parent, name}, child},
#include "coverage_instances.inc"
#undef FILE_OF
#undef INSTANCE
  };
  return modules;
}

bool is_design(const std::string& module) { return files_of_modules().contains(module); }

// Where a hierarchical name ends: the module of its last instance, that instance and its parent,
// and what follows it: names of blocks, structs and a signal.
struct Place {
  std::string module, instance, parent, rest;
};

// gen_port[3]: the blocks of a loop are one place of the source.
std::string without_index(const std::string& scope) {
  return scope.rfind("gen_", 0) == 0 ? scope.substr(0, scope.find('[')) : scope;
}

Place place_of(const std::vector<std::string>& names) {
  Place place;
  for (const std::string& name : names) {
    const auto instance = modules_of_instances().find({place.module, name});
    if (instance != modules_of_instances().end()) {
      place = {instance->second, name, place.module, ""};
    } else if (place.module.empty()) {
      if (is_design(name)) place.module = name;
    } else {
      place.rest += (place.rest.empty() ? "" : ".") + name;
    }
  }
  return place;
}

// Verilator writes [ and ] of a block as __BRA__ and __KET__.
std::string readable(std::string name) {
  for (const auto& [written, meant] : {std::pair{"__BRA__", "["}, std::pair{"__KET__", "]"}}) {
    for (std::size_t at = 0; (at = name.find(written, at)) != std::string::npos;)
      name.replace(at, 7, meant);
  }
  return name;
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, '.');) {
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

// What a bound cover point is counted for: an instance in the source, and the point's name in it.
// Points of instances u_any_* are one for the whole design. Empty if no instance is meant: a module
// with several instances that is tested alone.
std::string instance_of(const std::string& hierarchy) {
  Place place = place_of(split(readable(hierarchy)));
  const std::size_t bound = place.rest.find('.');
  if (bound == std::string::npos) return "";
  std::string point;
  for (const std::string& part : split(place.rest.substr(bound + 1))) {
    const bool only_a_condition = part.rfind("gen_", 0) == 0 && part.back() != ']';
    if (!only_a_condition) point += (point.empty() ? "" : ".") + part;
  }
  if (place.rest.rfind("u_any_", 0) == 0) return "anywhere:" + point;
  if (place.parent.empty()) {
    unsigned instances = 0;
    for (const auto& [instance, module] : modules_of_instances()) {
      if (module != place.module) continue;
      ++instances;
      place.parent = instance.first;
      place.instance = instance.second;
    }
    if (instances != 1) return "";
  }
  return place.parent + "." + place.instance + ":" + point;
}

class Recorder {
 public:
  static Recorder& instance() {
    static Recorder recorder;
    return recorder;
  }
  ~Recorder() {
    try {
      write();
    } catch (const std::exception& error) {
      std::cerr << "coverage: " << error.what() << "\n";
      std::_Exit(2);
    }
  }

  ToggleTable& table(const void* model) { return tables_[model]; }
  std::mutex& mutex() { return mutex_; }

  // Numbers of `count` points that follow each other; the same ones for the same name.
  template <typename NameOf>
  std::uint32_t points(const std::string& key, std::uint32_t count, NameOf name_of) {
    const auto [known, is_new] = numbers_.emplace(key, names_.size());
    if (is_new) {
      for (std::uint32_t i = 0; i < count; ++i) names_.push_back(name_of(i));
      counts_.resize(names_.size());
    }
    return known->second;
  }
  bool first_seen(std::uint32_t* count) { return seen_.insert(count).second; }
  void add(std::uint32_t* count, std::uint32_t point) { counters_.push_back({count, point}); }

  void end_test(const std::string& name) {
    const std::lock_guard lock(mutex_);
    std::vector<bool> reached(names_.size());
    const auto reach = [&](std::uint32_t point, std::uint64_t count) {
      counts_[point] += count;
      reached[point] = true;
    };
    for (const Counter& counter : counters_) {
      if (*counter.count != 0) reach(counter.point, *counter.count);
      *counter.count = 0;
    }
    for (auto& [model, table] : tables_) {
      for (const ToggleTable::Signal& signal : table.signals) {
        for (std::uint32_t bit = 0; bit < signal.bits; ++bit) {
          if ((table.toggled[signal.code + bit / 32] >> bit % 32 & 1U) != 0)
            reach(signal.point + bit, 1);
        }
      }
      table.toggled.assign(table.toggled.size(), 0);
    }
    tests_ += name + "\t" + ranges(reached) + "\n";
  }

 private:
  struct Counter {
    std::uint32_t* count;
    std::uint32_t point;
  };

  static std::string ranges(const std::vector<bool>& reached) {
    std::string text;
    for (std::size_t i = 0; i < reached.size();) {
      if (!reached[i]) {
        ++i;
        continue;
      }
      std::size_t end = i;
      while (end + 1 < reached.size() && reached[end + 1]) ++end;
      text += (text.empty() ? "" : ",") + std::to_string(i + 1);
      if (end > i) text += "-" + std::to_string(end + 1);
      i = end + 1;
    }
    return text;
  }
  // PID.dat and PID.tests in the folder $TORUSMU_COVERAGE.
  void write() const {
    const char* folder = std::getenv("TORUSMU_COVERAGE");
    if (folder == nullptr || names_.empty()) return;
    const std::string name = std::string(folder) + "/" + std::to_string(::getpid());
    std::ofstream data(name + ".dat");
    data << "# SystemC::Coverage-3\n";
    for (std::size_t i = 0; i < names_.size(); ++i)
      data << "C '" << names_[i] << "' " << counts_[i] << "\n";
    std::ofstream tests(name + ".tests");
    tests << tests_;
    if (!data.flush() || !tests.flush())
      throw std::runtime_error("cannot write " + name + ".dat and .tests");
  }

  std::mutex mutex_;
  std::map<const void*, ToggleTable> tables_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<std::string> names_;
  std::vector<std::uint64_t> counts_;
  std::unordered_set<std::uint32_t*> seen_;
  std::vector<Counter> counters_;
  std::string tests_;
};

std::string field(const std::string& key, const std::string& value) {
  return "\001" + key + "\002" + value;
}

}  // namespace

ToggleTable& toggle_table(const void* model) {
  Recorder& recorder = Recorder::instance();
  const std::lock_guard lock(recorder.mutex());
  return recorder.table(model);
}

void ToggleTable::declare(const std::vector<std::string>& scopes, const std::string& name,
                          std::uint32_t code, int lsb, std::uint32_t bits, bool bit) {
  Recorder& recorder = Recorder::instance();
  const std::lock_guard lock(recorder.mutex());
  std::vector<std::string> path;
  for (const std::string& scope : scopes)
    path.push_back(without_index(scope.substr(0, scope.find(' '))));
  path.push_back(name.substr(0, name.find(' ')));
  const Place place = place_of(path);
  // Loops of a process declare their counters; what is bound to a module is not the design;
  // reserved fields of layouts are zero, and tests of RESERVED_BITS look at each of them.
  const bool foreign =
      place.rest.find("unnamedblk") != std::string::npos || place.rest.rfind("u_", 0) == 0;
  const bool reserved = path.back().rfind("reserved_", 0) == 0;
  if (place.module.empty() || foreign || reserved) return;
  const std::string key =
      place.module + " " + place.rest + " " + std::to_string(lsb) + " " + std::to_string(bits);
  const std::uint32_t point = recorder.points(key, bits, [&](std::uint32_t i) {
    const std::string index = bit ? "" : "[" + std::to_string(lsb + static_cast<int>(i)) + "]";
    return field("f", files_of_modules().at(place.module)) +
           field("page", "v_toggle/" + place.module) + field("o", place.rest + index);
  });
  signals.push_back({point, code, bits});
}

void add_counter(std::uint32_t* count, const char* file, int line, int column,
                 const std::string& hierarchy, const char* page, const char* comment,
                 const char* lines) {
  Recorder& recorder = Recorder::instance();
  const std::lock_guard lock(recorder.mutex());
  if (!recorder.first_seen(count)) return;
  const bool bound = std::string(page).rfind("v_user", 0) == 0;
  // Lines of what is bound are not the design.
  if (!bound && std::string(file).rfind("rtl/", 0) != 0) return;
  // What is bound to a module counts for each of its instances in the source.
  std::string instance;
  if (bound) {
    instance = instance_of(hierarchy);
    if (instance.empty()) return;
  }
  const std::string name = field("f", file) + field("l", std::to_string(line)) +
                           field("n", std::to_string(column)) + field("page", page) +
                           field("o", comment) + (*lines != 0 ? field("S", lines) : "") +
                           (instance.empty() ? "" : field("h", instance));
  recorder.add(count, recorder.points(name, 1, [&](std::uint32_t) { return name; }));
}

void end_test(const std::string& name) { Recorder::instance().end_test(name); }

}  // namespace torusmu::coverage
