// SPDX-License-Identifier: Apache-2.0
#include "tb/lab/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <string_view>

#include "sim/machine/errors.h"
#include "tb/lab/files.h"
#include "tb/lab/jobs.h"
#include "tb/lab/plan_json.h"
#include "tb/lab/rows.h"
#include "tb/lab/surroundings.h"

namespace torusmu::lab {
namespace {

constexpr std::uint64_t kMostSeeds = 100'000;
constexpr std::uint64_t kMostTests = 100'000;  // with each machine and seed, of a whole plan
constexpr std::uint64_t kMostLatency = 32, kMostThreads = 256;
constexpr std::uint64_t kMostPacket = 1'000'000'000;
constexpr std::uint64_t kLongest = 7ULL * 24 * 3600;

// With every machine and seed; the limits of the lists keep it far from an overflow.
std::uint64_t runs_of(const PlanTest& test) {
  std::uint64_t runs = test.seeds;  // or runs that draw
  for (const auto* list :
       {&test.shapes, &test.latencies, &test.engines, &test.threads, &test.timings}) {
    runs *= std::max<std::uint64_t>(1, list->size());
  }
  return runs;
}

const PlanMember* member_of(const PlanValue& value, const std::string& name) {
  const auto found = std::find_if(value.members.begin(), value.members.end(),
                                  [&](const PlanMember& member) { return member.name == name; });
  return found == value.members.end() ? nullptr : &*found;
}

// Of a name that no file may have, too.
bool is_file(const std::string& path) {
  std::error_code no_reason;
  return std::filesystem::is_regular_file(path, no_reason);
}

class PlanReader {
 public:
  PlanReader(std::string file, std::string tests_folder, const Surroundings& surroundings)
      : surroundings_(surroundings),
        file_(std::move(file)),
        tests_folder_(std::move(tests_folder)),
        mesh_folder_(std::filesystem::path(tests_folder_).replace_filename("mesh").string()) {}

  std::vector<PlanTest> read() {
    const PlanValue root = parse_plan_json(file_, read_file(file_));
    want(root, PlanValue::Kind::kObject, "an object with \"tests\"");
    PlanTest otherwise;
    const PlanValue* list = nullptr;
    const PlanMember* const all_draw = member_of(root, "draw");
    if (all_draw != nullptr) {
      if (surroundings_.machines == nullptr) fail(all_draw->place, "\"draw\"", "tests");
      draw_ = read_draw(all_draw->value);
    }
    for (const PlanMember& member : root.members) {
      if (member.name == "tests") {
        list = &member.value;
        want(*list, PlanValue::Kind::kArray, "a list of tests");
      } else if (member.name == "time_limit") {
        otherwise.time_limit = number(member.value, 1, kLongest);
      } else if (member.name != "draw") {
        fail(member.place, "\"" + member.name + "\"", "tests, time_limit or draw");
      }
    }
    if (list == nullptr) fail(root.place, "an object without \"tests\"", "a list of tests");
    if (list->items.empty()) fail(list->place, "an empty list", "at least one test");
    std::vector<PlanTest> tests;
    std::uint64_t runs = 0;
    for (const PlanValue& value : list->items) {
      for (PlanTest& test : repeated(value, test(value, otherwise))) {
        tests.push_back(std::move(test));
        runs += runs_of(tests.back());
        if (runs > kMostTests) {
          fail(value.place, fmt::format("a plan that runs {} tests up to here", runs),
               fmt::format("at most {} with all their machines and seeds", kMostTests));
        }
        const std::string& name = tests.back().name;
        const auto [first, is_new] = places_.emplace(name, value.place);
        if (!is_new) {
          fail(value.place, "a second test named \"" + name + "\"",
               fmt::format("a \"name\" other than that of line {}", first->second.line));
        }
      }
    }
    return tests;
  }

 private:
  [[noreturn]] void fail(Place place, const std::string& found, const std::string& wanted) const {
    throw UsageError(fmt::format("{}:{}:{}: found {}, expected {}", file_, place.line, place.column,
                                 found, wanted));
  }
  void want(const PlanValue& value, PlanValue::Kind kind, const std::string& wanted) const {
    if (value.kind != kind) fail(value.place, value.found(), wanted);
  }
  [[nodiscard]] std::uint64_t number(const PlanValue& value, std::uint64_t least,
                                     std::uint64_t most) const {
    const std::string wanted = fmt::format("a whole number from {} to {}", least, most);
    want(value, PlanValue::Kind::kNumber, wanted);
    if (value.number < least || value.number > most) fail(value.place, value.found(), wanted);
    return value.number;
  }
  [[nodiscard]] std::string string(const PlanValue& value, const std::string& wanted) const {
    want(value, PlanValue::Kind::kString, wanted);
    if (value.text.empty()) fail(value.place, "an empty text", wanted);
    return value.text;
  }
  // A list without repetitions; `read` judges each item and gives its text.
  [[nodiscard]] std::vector<std::string> list(
      const PlanValue& value, const std::string& wanted,
      const std::function<std::string(const PlanValue&)>& read) const {
    want(value, PlanValue::Kind::kArray, "a list of " + wanted);
    if (value.items.empty()) fail(value.place, "an empty list", "a list of " + wanted);
    std::vector<std::string> texts;
    for (const PlanValue& item : value.items) {
      texts.push_back(read(item));
      if (std::count(texts.begin(), texts.end(), texts.back()) > 1) {
        fail(item.place, item.found() + " a second time", "each once");
      }
    }
    return texts;
  }
  [[nodiscard]] std::string shape(const PlanValue& value) const {
    const std::string wanted = "a machine size as \"4x4x2\", each from 1 to 16";
    std::string text = string(value, wanted);
    if (!machines().is_shape(text)) fail(value.place, value.found(), wanted);
    return text;
  }
  [[nodiscard]] std::string engine(const PlanValue& value) const {
    std::string text = string(value, "fast or mesh");
    if (text != "fast" && text != "mesh") fail(value.place, value.found(), "fast or mesh");
    return text;
  }
  [[nodiscard]] std::string timing(const PlanValue& value) const {
    std::string text = string(value, machines().timings());
    if (!machines().is_timing(text)) fail(value.place, value.found(), machines().timings());
    return text;
  }
  [[nodiscard]] std::vector<std::string> timings(const PlanValue& value) const {
    return list(value, machines().timings(),
                [this](const PlanValue& item) { return timing(item); });
  }
  // A further word of the command. What the plan or the runner says is not for options.
  [[nodiscard]] std::string option(const PlanValue& value) const {
    std::string text = string(value, "a word of the command line");
    for (const char* own :
         {"--mesh", "--latency", "--engine", "--threads", "--timing", "--seed", "--json", "--quiet",
          "--wave", "--wave-nodes", "--wave-window", "--wave-on-fail", "--wave-cycles", "--report",
          "--stop-at", "--cycle-file"}) {
      if (text.substr(0, text.find('=')) == own) {
        fail(value.place, value.found(),
             "no option that the plan has a list for or the runner sets by itself");
      }
    }
    return text;
  }
  void what(const PlanMember& member, PlanTest* test) const {
    const PlanValue& value = member.value;
    if (member.name == "run") {
      want(value, PlanValue::Kind::kArray, "a command: a list of words");
      if (value.items.empty()) fail(value.place, "an empty list", "a command: a list of words");
      test->run = texts(value, "a word of the command");
      test->kind = PlanTest::Kind::kRun;
    } else if (member.name != "gtest") {
      if (surroundings_.machines == nullptr) {
        fail(member.place, "a " + member.name,
             "\"run\" or \"gtest\": torusmu regress plays the rest");
      }
      test->kind = member.name == "scenario" ? PlanTest::Kind::kScenario
                   : member.name == "replay" ? PlanTest::Kind::kReplay
                                             : PlanTest::Kind::kBench;
      test->what = string(value, machines().expected_instead(test->kind, "").value());
      const auto instead = machines().expected_instead(test->kind, test->what);
      if (instead) fail(value.place, value.found(), *instead);
    } else {
      const std::string wanted = "a program of " + tests_folder_ + ", as \"machine_tests\"";
      test->what = string(value, wanted);
      const bool is_named = test->what.find('/') == std::string::npos;
      if (!is_named) fail(value.place, value.found(), wanted);
      test->kind = PlanTest::Kind::kGtest;
    }
  }
  // Names stand in file names, in globs and in one line of a table.
  [[nodiscard]] std::string name(const PlanValue& value) const {
    const std::string wanted = "a name of letters, digits, '.', '_', '-' and '/'";
    std::string text = string(value, wanted);
    const bool legal = std::all_of(text.begin(), text.end(), [](unsigned char c) {
      return std::isalnum(c) != 0 ||
             std::string_view("._-/{}:").find(static_cast<char>(c)) != std::string_view::npos;
    });
    if (!legal) fail(value.place, value.found(), wanted);
    return text;
  }
  // What a kind of test does not know is refused, not passed over.
  void refuse(const PlanMember& member, const std::string& kind,
              std::initializer_list<std::string_view> known) const {
    if (std::find(known.begin(), known.end(), member.name) != known.end()) return;
    std::string names;
    for (const std::string_view name : known) names += ", " + std::string(name);
    fail(member.place, "\"" + member.name + "\"",
         fmt::format("of a {}: name, seeds, time_limit{}", kind, names));
  }
  [[nodiscard]] Range range(const PlanValue& value, std::uint64_t least, std::uint64_t most) const {
    const std::string wanted =
        fmt::format("[from, to], each a whole number from {} to {}", least, most);
    want(value, PlanValue::Kind::kArray, wanted);
    if (value.items.size() != 2)
      fail(value.place, fmt::format("a list of {}", value.items.size()), wanted);
    const Range range{number(value.items[0], least, most), number(value.items[1], least, most)};
    if (range.most < range.least) {
      fail(value.items[1].place, value.items[1].found(), fmt::format("{} or more", range.least));
    }
    return range;
  }
  [[nodiscard]] Draw read_draw(const PlanValue& value) const {
    want(value, PlanValue::Kind::kObject, "an object of what is drawn");
    Draw draw;
    for (const PlanMember& member : value.members) {
      const auto percent = [&] { return number(member.value, 0, 100); };
      if (member.name == "nodes") {
        draw.nodes = range(member.value, 1, machines().most_nodes());
      } else if (member.name == "latency") {
        draw.latency = range(member.value, 1, kMostLatency);
      } else if (member.name == "threads") {
        draw.threads = range(member.value, 1, kMostThreads);
      } else if (member.name == "packet") {
        draw.packet = range(member.value, 1, kMostPacket);
      } else if (member.name == "timings") {
        draw.timings = timings(member.value);
      } else if (member.name == "no_sleep") {
        draw.no_sleep = percent();
      } else if (member.name == "inject") {
        draw.inject = percent();
      } else if (member.name == "page") {
        draw.page = percent();
      } else {
        fail(member.place, "\"" + member.name + "\"",
             "nodes, latency, threads, timings, no_sleep, inject, packet or page");
      }
    }
    return draw;
  }
  // Only machines that the test can be played on are drawn.
  void take_draw(const PlanValue& value, PlanTest* test) const {
    const PlanMember* const runs = member_of(value, "runs");
    const PlanMember* const own = member_of(value, "draw");
    if (runs == nullptr) {
      if (own != nullptr) fail(own->place, "\"draw\" without \"runs\"", "how many runs are drawn");
      return;
    }
    if (own == nullptr && !draw_) {
      fail(runs->place, "\"runs\" without \"draw\"", "what is drawn, here or of the whole plan");
    }
    for (const char* other :
         {"seeds", "shapes", "latencies", "engines", "threads", "timings", "expect", "limits"}) {
      const PlanMember* const member = member_of(value, other);
      if (member != nullptr) {
        fail(member->place, fmt::format("\"{}\" beside \"runs\"", other),
             "what each run draws by itself");
      }
    }
    for (std::size_t i = 0; i < test->options.size(); ++i) {
      if (!test->options[i].starts_with("--inject")) continue;
      fail(member_of(value, "options")->value.items[i].place, "a fault beside \"runs\"",
           "\"inject\" in \"draw\"");
    }
    test->draw = own == nullptr ? *draw_ : read_draw(own->value);
    const Range legal = machines().legal_nodes(*test);
    Range& nodes = test->draw->nodes;
    nodes = {std::max(nodes.least, legal.least), std::min(nodes.most, legal.most)};
    for (std::uint64_t n = nodes.least; n <= nodes.most; ++n) {
      if (!shapes_with(n).empty()) return;
    }
    fail(value.place, "a test that no machine is drawn for",
         fmt::format("\"nodes\" of which it can have {} to {}", legal.least, legal.most));
  }
  [[nodiscard]] std::vector<Limit> limits(const PlanValue& value) const {
    want(value, PlanValue::Kind::kObject, "figures with their limits");
    std::vector<Limit> limits;
    for (const PlanMember& member : value.members) {
      if (member.name != kCycles && !machines().is_figure(member.name)) {
        fail(member.place, "\"" + member.name + "\"",
             "cycles or a figure, as torusmu list --figures names them");
      }
      const std::string wanted = "a limit, as \"5 %\" or \"5 % warns\"";
      const auto limit = parse_limit(member.name, string(member.value, wanted));
      if (!limit) fail(member.value.place, member.value.found(), wanted);
      limits.push_back(*limit);
    }
    return limits;
  }
  [[nodiscard]] Expect expect(const PlanValue& value) const {
    const std::string wanted = "pass, fail or verdict";
    const auto expect = expect_of(string(value, wanted));
    if (!expect) fail(value.place, value.found(), wanted);
    return *expect;
  }
  [[nodiscard]] PlanTest test(const PlanValue& value, const PlanTest& otherwise) const {
    want(value, PlanValue::Kind::kObject, "a test: an object");
    PlanTest test = otherwise;
    const PlanMember* kind = nullptr;
    for (const PlanMember& member : value.members) {
      const bool is_kind = member.name == "scenario" || member.name == "replay" ||
                           member.name == "bench" || member.name == "gtest" || member.name == "run";
      if (is_kind && kind != nullptr) {
        fail(member.place, "\"" + member.name + "\" beside \"" + kind->name + "\"",
             "one of scenario, replay, bench, gtest and run");
      }
      if (is_kind) kind = &member;
    }
    if (kind == nullptr) {
      fail(value.place, "a test without scenario, replay, bench, gtest or run", "one of them");
    }
    what(*kind, &test);
    for (const PlanMember& member : value.members) {
      if (&member != kind) field(member, kind->name, &test);
    }
    const PlanMember* const expected = member_of(value, "expect");
    if ((test.expect == Expect::kFail) != !test.check.empty()) {
      fail(expected != nullptr ? expected->place : value.place,
           test.check.empty() ? "\"expect\": \"fail\" without \"check\""
                              : "\"check\" without \"expect\": \"fail\"",
           "both");
    }
    if (test.kind == PlanTest::Kind::kRun && test.name.empty()) {
      fail(value.place, "a run without \"name\"", "one");
    }
    if (test.kind == PlanTest::Kind::kGtest && (test.name.empty() || test.filter.empty())) {
      fail(value.place, "a gtest without \"name\" or \"filter\"", "both");
    }
    if (test.name.empty() && test.kind == PlanTest::Kind::kReplay) {
      test.name = "replay-" + std::filesystem::path(test.what).stem().string();
    } else if (test.name.empty() && test.what.find('/') != std::string::npos) {
      test.name = std::filesystem::path(test.what).stem().string();
    } else if (test.name.empty()) {
      test.name = (test.kind == PlanTest::Kind::kBench ? "bench-" : "") + test.what;
    }
    judge_command(value, *kind, test);
    take_draw(value, &test);
    return test;
  }
  // Of a gtest or run. False: it has no such member.
  bool check_field(const PlanMember& member, PlanTest* test) const {
    const PlanValue& value = member.value;
    const bool runs = test->kind == PlanTest::Kind::kRun;
    if (member.name == "needs") {
      test->needs = texts(value, "what make builds");
    } else if (member.name == "for") {
      (void)string(value, "\"NAMES in WORDS\"");
    } else if (runs && member.name == "inputs") {
      test->inputs = texts(value, "files");
    } else if (runs && member.name == "results") {
      test->results = string(value, "a file of results");
    } else if (runs && member.name == "cores") {
      test->cores = number(value, 1, kMostThreads);
    } else if (!runs && member.name == "filter") {
      test->filter = string(value, "a filter, as \"*RandomTraffic*\"");
    } else if (!runs && member.name == "shards") {
      test->shards = number(value, 1, kMostThreads);
    } else if (!runs && member.name == "own_seeds") {
      want(value, PlanValue::Kind::kWord, "true");
      test->own_seeds = value.text == "true";
    } else {
      return false;
    }
    return true;
  }
  // The test, or one for each row of its "for", with the values of the row in its words.
  [[nodiscard]] std::vector<PlanTest> repeated(const PlanValue& value, PlanTest test) const {
    if (test.kind != PlanTest::Kind::kRun && test.kind != PlanTest::Kind::kGtest) {
      return {std::move(test)};
    }
    const PlanMember* const loop = member_of(value, "for");
    try {
      std::vector<PlanTest> tests;
      const std::vector<Values> rows =
          loop == nullptr ? std::vector<Values>(1) : rows_of(loop->value.text, surroundings_);
      for (const Values& row : rows) {
        tests.push_back(test);
        PlanTest& one = tests.back();
        for (auto* words : {&one.run, &one.needs, &one.inputs}) *words = all_expanded(*words, row);
        one.name = expanded(test.name, row, surroundings_).front();
        one.what = expanded(test.what, row, surroundings_).front();
        require_program(value, one);
        if (!test.results.empty()) one.results = expanded(test.results, row, surroundings_).front();
      }
      return tests;
    } catch (const UsageError& error) {
      fail(loop == nullptr ? value.place : loop->value.place, error.what(),
           "what docs/testing.md says");
    }
  }
  // What make builds first need not be there yet.
  void require_program(const PlanValue& value, const PlanTest& test) const {
    if (test.kind != PlanTest::Kind::kGtest || !machines_only()) return;
    if (is_file(tests_folder_ + "/" + test.what)) return;
    const PlanMember& gtest = *member_of(value, "gtest");
    fail(gtest.value.place, gtest.value.found(),
         "a program of " + tests_folder_ + ", as \"machine_tests\"; make check builds them");
  }
  [[nodiscard]] std::vector<std::string> all_expanded(const std::vector<std::string>& words,
                                                      const Values& row) const {
    std::vector<std::string> all;
    for (const std::string& word : words) {
      for (std::string& one : expanded(word, row, surroundings_)) all.push_back(std::move(one));
    }
    return all;
  }
  [[nodiscard]] std::vector<std::string> texts(const PlanValue& value,
                                               const std::string& wanted) const {
    want(value, PlanValue::Kind::kArray, "a list: " + wanted);
    std::vector<std::string> texts;
    for (const PlanValue& item : value.items) texts.push_back(string(item, wanted));
    return texts;
  }
  void field(const PlanMember& member, const std::string& kind, PlanTest* test) const {
    const PlanValue& value = member.value;
    if (member.name == "name") {
      test->name = name(value);
      return;
    }
    if (member.name == "seeds") {
      test->seeds = number(value, 1, kMostSeeds);
      return;
    }
    if (member.name == "time_limit") {
      test->time_limit = number(value, 1, kLongest);
      return;
    }
    if (kind == "gtest" || kind == "run") {
      if (check_field(member, test)) return;
      refuse(member, kind,
             kind == "gtest" ? std::initializer_list<std::string_view>{"for", "filter", "shards",
                                                                       "own_seeds", "needs"}
                             : std::initializer_list<std::string_view>{"for", "needs", "inputs",
                                                                       "results", "cores"});
      return;
    }
    if (kind == "bench") {
      refuse(member, kind, {"latencies", "threads", "options", "expect", "check", "limits"});
    } else {
      refuse(member, kind,
             {"shapes", "latencies", "engines", "threads", "timings", "options", "expect", "check",
              "limits", "draw", "runs"});
    }
    const auto from_to = [this](std::uint64_t least, std::uint64_t most) {
      return [this, least, most](const PlanValue& item) {
        return std::to_string(number(item, least, most));
      };
    };
    if (member.name == "shapes") {
      test->shapes = list(value, "shapes", [this](const PlanValue& item) { return shape(item); });
    } else if (member.name == "latencies") {
      test->latencies = list(value, "cycles from 1 to 32", from_to(1, kMostLatency));
    } else if (member.name == "engines") {
      test->engines =
          list(value, "engines", [this](const PlanValue& item) { return engine(item); });
    } else if (member.name == "threads") {
      test->threads = list(value, "numbers from 1 to 256", from_to(1, kMostThreads));
    } else if (member.name == "timings") {
      test->timings = timings(value);
    } else if (member.name == "expect") {
      test->expect = expect(value);
    } else if (member.name == "check") {
      test->check = string(value, "the name of a check, as \"put.bytes\" or \"put.*\"");
    } else if (member.name == "limits") {
      test->limits = limits(value);
    } else if (member.name == "runs") {
      test->seeds = number(value, 1, kMostSeeds);
    } else if (member.name != "draw") {
      want(value, PlanValue::Kind::kArray, "a list of words");
      for (const PlanValue& item : value.items) test->options.push_back(option(item));
    }
  }

  // What the command itself would say, of any of its machines.
  void judge_command(const PlanValue& value, const PlanMember& kind, const PlanTest& test) const {
    if (test.kind == PlanTest::Kind::kGtest || test.kind == PlanTest::Kind::kRun) return;
    const auto refusal = [this](const PlanTest& one, const std::vector<std::string>& options,
                                const std::string& mesh_folder) {
      return machines().refusal(one, options, mesh_folder);
    };
    if (!refusal(test, test.options, mesh_folder_)) return;
    PlanTest on_fast = test;
    on_fast.engines.clear();
    if (const auto reason = refusal(on_fast, {}, mesh_folder_)) {
      fail(kind.value.place, kind.value.found(), "what can be played: " + *reason);
    }
    if (const auto reason = refusal(test, {}, mesh_folder_)) {
      const std::vector<PlanValue>& engines = member_of(value, "engines")->value.items;
      const auto mesh = std::find_if(engines.begin(), engines.end(),
                                     [](const PlanValue& item) { return item.text == "mesh"; });
      fail(mesh->place, mesh->found(), "an engine that can play it: " + *reason);
    }
    const BadOptions bad = bad_options(test);
    const PlanValue& first = member_of(value, "options")->value.items[bad.first];
    std::string words = test.options[bad.first];
    if (bad.count > 1) words += " " + test.options[bad.first + 1];
    fail(first.place, "\"" + words + "\"",
         fmt::format("options of torusmu {}: {}", kind.name, bad.reason));
  }

  // The words of the test's options that are refused.
  struct BadOptions {
    std::size_t first = 0, count = 0;
    std::string reason;
  };
  // Of a test whose options are refused, and that would do without them.
  [[nodiscard]] BadOptions bad_options(const PlanTest& test) const {
    const auto reason_of = [&](std::size_t count) {
      const auto begin = test.options.begin();
      return machines().refusal(test, {begin, begin + static_cast<std::ptrdiff_t>(count)},
                                mesh_folder_);
    };
    BadOptions bad{.first = test.options.size() - 1, .count = 1, .reason = ""};
    // An option without its value is refused too: the last words that were good end before it.
    while (reason_of(bad.first)) --bad.first;
    const std::size_t next = bad.first + 1;
    if (next < test.options.size() && !test.options[next].starts_with("-")) ++bad.count;
    bad.reason = reason_of(bad.first + bad.count).value();
    return bad;
  }

  // Asked only about tests that a runner without machines refuses.
  [[nodiscard]] const MachineTests& machines() const { return *surroundings_.machines; }
  // Nothing is built before such a plan runs.
  [[nodiscard]] bool machines_only() const { return surroundings_.machines != nullptr; }

  const Surroundings& surroundings_;
  std::string file_, tests_folder_, mesh_folder_;
  std::optional<Draw> draw_;  // of tests that have none of their own
  std::map<std::string, Place> places_;
};

}  // namespace

std::vector<PlanTest> read_plan(const std::string& file, const std::string& tests_folder,
                                const Surroundings& surroundings) {
  return PlanReader(file, tests_folder, surroundings).read();
}

}  // namespace torusmu::lab
