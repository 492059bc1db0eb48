// SPDX-License-Identifier: Apache-2.0
#include "sim/app/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "sim/app/replay.h"
#include "sim/machine/errors.h"
#include "sim/machine/profile.h"
#include "sim/machine/random_timing.h"
#include "sim/observe/pin_watch.h"
#include "sim/observe/progress.h"
#include "sim/observe/wave.h"

namespace torusmu {
namespace {

constexpr unsigned kMostThreads = 256;

// A whole decimal number, or UsageError with `legal`.
std::uint64_t number(const std::string& text, const std::string& option, const std::string& legal) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    throw UsageError(fmt::format("{} \"{}\": {}", option, text, legal));
  }
  return value;
}

CLI::Validator not_empty() {
  return {[](const std::string& text) {
            return text.empty() ? std::string("must not be empty") : std::string();
          },
          ""};
}

Fault parse_fault(const std::string& text) {
  if (text.empty()) return {};
  const std::string legal = "must be flip-payload-bit:N or drop-packet:N, N from 1";
  const std::size_t colon = text.find(':');
  const std::string kind = text.substr(0, colon);
  Fault fault;
  if (kind == "flip-payload-bit") fault.kind = Fault::Kind::kFlipPayloadBit;
  if (kind == "drop-packet") fault.kind = Fault::Kind::kDropPacket;
  if (fault.kind == Fault::Kind::kNone || colon == std::string::npos) {
    throw UsageError(fmt::format("--inject \"{}\": {}", text, legal));
  }
  fault.number = number(text.substr(colon + 1), "--inject", legal);
  if (fault.number == 0) throw UsageError(fmt::format("--inject \"{}\": {}", text, legal));
  return fault;
}

// "xz"
void set_lines(Shape& shape, const std::string& dimensions) {
  for (const char dimension : dimensions) {
    bool* const wraps = dimension == 'x'   ? &shape.torus_x
                        : dimension == 'y' ? &shape.torus_y
                        : dimension == 'z' ? &shape.torus_z
                                           : nullptr;
    if (wraps == nullptr || !*wraps) {
      throw UsageError(
          fmt::format("--mesh-lines \"{}\": must be some of x, y and z, each once", dimensions));
    }
    *wraps = false;
  }
}

// "0,3,5-7"
std::vector<NodeId> parse_nodes(const std::string& text, const Shape& shape) {
  const std::string legal =
      fmt::format("must be node numbers 0 to {}, as 0,3,5-7", shape.nodes() - 1);
  std::vector<NodeId> nodes;
  std::size_t at = 0;
  while (!text.empty() && at <= text.size()) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const std::string item = text.substr(at, comma - at);
    const std::size_t dash = item.find('-');
    const std::uint64_t first = number(item.substr(0, dash), "--wave-nodes", legal);
    const std::uint64_t last =
        dash == std::string::npos ? first : number(item.substr(dash + 1), "--wave-nodes", legal);
    if (first > last || last >= shape.nodes()) {
      throw UsageError(fmt::format("--wave-nodes \"{}\": {}", item, legal));
    }
    for (std::uint64_t n = first; n <= last; ++n) {
      const NodeId node{static_cast<std::uint32_t>(n)};
      // Verilator takes a scope once.
      if (std::find(nodes.begin(), nodes.end(), node) == nodes.end()) nodes.push_back(node);
    }
    at = comma + 1;
  }
  return nodes;
}

WaveConfig parse_wave(const Options& options, const Shape& shape) {
  WaveConfig wave;
  wave.file = options.wave;
  wave.open = open_fst_wave;
  if (wave.file.empty()) {
    const bool nodes_have_waves = options.wave_nodes.empty() || !options.wave_on_fail.empty();
    if (!nodes_have_waves || !options.wave_window.empty()) {
      throw UsageError(nodes_have_waves ? "--wave-window needs --wave FILE.fst"
                                        : "--wave-nodes and --wave-window need --wave FILE.fst");
    }
    (void)parse_nodes(options.wave_nodes, shape);
    return wave;
  }
  if (!wave.file.ends_with(".fst")) {
    throw UsageError(
        fmt::format("--wave \"{}\": must be a file name that ends with .fst", wave.file));
  }
  wave.nodes = parse_nodes(options.wave_nodes, shape);
  if (!options.wave_window.empty()) {
    const std::string legal = "must be FROM:TO in cycles, FROM before TO";
    const std::size_t colon = options.wave_window.find(':');
    if (colon == std::string::npos) {
      throw UsageError(fmt::format("--wave-window \"{}\": {}", options.wave_window, legal));
    }
    wave.from = number(options.wave_window.substr(0, colon), "--wave-window", legal);
    wave.to = number(options.wave_window.substr(colon + 1), "--wave-window", legal);
    if (wave.from >= wave.to) {
      throw UsageError(fmt::format("--wave-window \"{}\": {}", options.wave_window, legal));
    }
  }
  return wave;
}

// Numbers are numbers, also those that are checked by a text's validator.
nlohmann::json value_of(const CLI::Option& option, const std::string& text) {
  if (!option.get_type_name().starts_with("UINT")) return text;
  const nlohmann::json number = nlohmann::json::parse(text, nullptr, false);
  return number.is_number() ? number : nlohmann::json(text);
}

nlohmann::json value_of(const CLI::Option& option) {
  const bool is_flag = option.get_items_expected_max() == 0;
  if (is_flag) return option.count() != 0;
  const std::vector<std::string> given =
      option.count() != 0 ? option.reduced_results() : std::vector<std::string>{};
  if (option.get_items_expected_max() > 1) {
    nlohmann::json list = nlohmann::json::array();
    for (const std::string& text : given) list.push_back(value_of(option, text));
    return list;
  }
  const std::string text = given.empty() ? option.get_default_str() : given.front();
  if (given.empty() && text.empty()) return nullptr;
  return value_of(option, text);
}

}  // namespace

CLI::Validator whole_number(std::uint64_t least, std::uint64_t most) {
  return {[least, most](std::string& text) {
            std::uint64_t value = 0;
            const char* const end = text.data() + text.size();
            const auto [stop, error] = std::from_chars(text.data(), end, value);
            const bool legal =
                error == std::errc{} && stop == end && value >= least && value <= most;
            if (!legal) return fmt::format("\"{}\" must be {} to {}", text, least, most);
            text = std::to_string(value);
            return std::string();
          },
          ""};
}

void add_options(CLI::App& command, Options& options) {
  command.add_option("--mesh", options.mesh, "machine size XxYxZ, each 1 to 16")
      ->check(not_empty());
  command
      .add_option(
          "--mesh-lines", options.mesh_lines,
          "dimensions that are lines, as xz: no link joins their last node with their first")
      ->check(not_empty());
  command.add_option("--engine", options.engine, "fast (any size) or mesh (sizes that were built)")
      ->capture_default_str();
  command.add_option("--latency", options.latency, "cycles from node to node on a link, 1 to 32")
      ->transform(whole_number(1, 32))
      ->capture_default_str();
  command.add_option("--seed", options.seed, "of everything random")
      ->transform(whole_number(0, ~std::uint64_t{0}))
      ->capture_default_str();
  command.add_option("--threads", options.threads, "threads of the fast engine")
      ->transform(whole_number(1, kMostThreads))
      ->capture_default_str();
  command
      .add_option(
          "--timing", options.timing,
          "of node memories and cores: fixed, random-memory, random-cores or random (both), "
          "by --seed")
      ->check(not_empty())
      ->capture_default_str();
  command.add_flag("--no-sleep", options.no_sleep, "evaluate quiescent nodes too");
  command
      .add_option("--inject", options.inject,
                  "a fault on the links: flip-payload-bit:N flips a bit of the N-th packet that "
                  "has a payload, drop-packet:N takes the N-th packet away")
      ->check(not_empty());
  command
      .add_option("--wave", options.wave,
                  "writes waves to FILE.fst and views to FILE.gtkw and FILE.sucl")
      ->check(not_empty());
  command.add_option("--wave-nodes", options.wave_nodes, "nodes in the waves, as 0,3,5-7")
      ->check(not_empty());
  command.add_option("--wave-window", options.wave_window, "cycles in the waves, FROM:TO")
      ->check(not_empty());
  command
      .add_option("--wave-on-fail", options.wave_on_fail,
                  "if a check fails, plays the run again with waves of what came before, FILE.fst")
      ->check(not_empty());
  constexpr std::uint64_t kMostWaveCycles = 1'000'000'000;
  command
      .add_option("--wave-cycles", options.wave_cycles,
                  "how many cycles before the failure --wave-on-fail shows")
      ->transform(whole_number(1, kMostWaveCycles))
      ->capture_default_str();
  command
      .add_option("--stop-at", options.stop_at,
                  "the run fails if it comes to that cycle, with the waves up to there")
      ->transform(whole_number(1, kNever - 1));
  command
      .add_option("--cycle-file", options.cycle_file,
                  "keeps the cycle that the run has reached in a file, 8 bytes, however it ends")
      ->check(not_empty());
  command.add_option("--json", options.json, "writes the result to a file")->check(not_empty());
  command.add_option("--report", options.report, "writes the result as a page, FILE.html")
      ->check(not_empty());
  command
      .add_option("--messages", options.messages,
                  "writes a row for each message and transfer, FILE.csv")
      ->check(not_empty());
  command
      .add_option("--links", options.links,
                  "writes a row for each link and part of the program's time, FILE.csv")
      ->check(not_empty());
  command
      .add_option("--ftr", options.ftr,
                  "writes messages as linked transactions, FILE.ftr, for scenarios and replays")
      ->check(not_empty());
  command.add_flag("--quiet", options.quiet, "prints failures alone");
}

MachineConfig machine_config(const Options& options, const std::string& default_mesh) {
  MachineConfig config;
  config.engine.shape = parse_shape(options.mesh.empty() ? default_mesh : options.mesh);
  set_lines(config.engine.shape, options.mesh_lines);
  if (options.engine != "fast" && options.engine != "mesh") {
    throw UsageError(fmt::format("--engine \"{}\": must be fast or mesh", options.engine));
  }
  config.kind = options.engine == "fast" ? EngineKind::kFast : EngineKind::kMesh;
  config.engine.latency = options.latency;
  config.engine.threads = options.threads;
  config.engine.sleeping = !options.no_sleep;
  config.engine.fault = parse_fault(options.inject);
  config.engine.wave = parse_wave(options, config.engine.shape);
  config.seed = options.seed;
  set_timing(config, options.timing);
  config.progress = terminal_progress(options.quiet);
  config.stop_at = options.stop_at;
  if (options.watches_machines())
    config.observer = options.ftr.empty() ? make_watch : make_packet_watch;
  if (!options.cycle_file.empty()) {
    config.engine.reached = std::make_shared<CycleFile>(options.cycle_file);
  }
  if (config.kind == EngineKind::kMesh) {
    if (config.engine.fault.kind != Fault::Kind::kNone) {
      throw UsageError("--inject works with --engine fast only");
    }
    if (!config.engine.wave.file.empty()) {
      throw UsageError("--wave works with --engine fast only");
    }
  }
  config.mesh_folder = mesh_folder();
  return config;
}

std::string mesh_folder() {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? MachineConfig{}.mesh_folder : (self.parent_path() / "mesh").string();
}

void refuse_machine_options(const Options& options) {
  const std::pair<const char*, bool> given[] = {{"--mesh", !options.mesh.empty()},
                                                {"--mesh-lines", !options.mesh_lines.empty()},
                                                {"--engine mesh", options.engine != "fast"},
                                                {"--timing", options.timing != "fixed"},
                                                {"--no-sleep", options.no_sleep},
                                                {"--inject", !options.inject.empty()},
                                                {"--wave", !options.wave.empty()},
                                                {"--stop-at", options.stop_at != kNever},
                                                {"--cycle-file", !options.cycle_file.empty()},
                                                {"--wave-on-fail", !options.wave_on_fail.empty()},
                                                {"--ftr", !options.ftr.empty()},
                                                {"--wave-nodes", !options.wave_nodes.empty()},
                                                {"--wave-window", !options.wave_window.empty()}};
  for (const auto& [name, is_given] : given) {
    if (is_given) {
      throw UsageError(
          fmt::format("{}: each bench has machines of its own; it takes --latency, "
                      "--seed, --threads, --json, --report, --messages, --links and --quiet",
                      name));
    }
  }
}

std::vector<std::string> as_arguments(const Options& options) {
  std::vector<std::string> words;
  const auto add = [&words](const char* option, const std::string& value) {
    words.insert(words.end(), {option, value});
  };
  if (!options.mesh.empty()) add("--mesh", options.mesh);
  if (!options.mesh_lines.empty()) add("--mesh-lines", options.mesh_lines);
  if (options.engine != "fast") add("--engine", options.engine);
  if (options.latency != 8) add("--latency", std::to_string(options.latency));
  add("--seed", std::to_string(options.seed));
  if (options.timing != "fixed") add("--timing", options.timing);
  if (options.threads != 1) add("--threads", std::to_string(options.threads));
  if (options.no_sleep) words.emplace_back("--no-sleep");
  if (!options.inject.empty()) add("--inject", options.inject);
  if (options.stop_at != kNever) add("--stop-at", std::to_string(options.stop_at));
  return words;
}

void add_replay_options(CLI::App& command, ReplayOptions& options) {
  constexpr std::uint64_t kMostEager = 65536;
  command
      .add_option("--eager-limit", options.eager_limit,
                  "longest message sent without asking, bytes: 0 to 65536")
      ->transform(whole_number(0, kMostEager))
      ->capture_default_str();
  command
      .add_option(
          "--send-end", options.send_end,
          "when longer sends end: received, the receiver's core has all of it; reflected, a "
          "neighbour has told that the data has left, for links that lose no packet")
      ->check(CLI::IsMember({"received", "reflected"}))
      ->capture_default_str();
  command
      .add_option("--store-by", options.store_by,
                  "who stores what comes along with a message where it is received: core; mu, the "
                  "MU out of its FIFO, where there are enough bytes")
      ->check(CLI::IsMember({"core", "mu"}))
      ->capture_default_str();
  command
      .add_option("--collectives", options.collectives,
                  "who runs collectives: software, the cores by messages; offload, the MU")
      ->check(CLI::IsMember({"software", "offload"}))
      ->capture_default_str();
  command
      .add_option("--polling", options.polling,
                  fmt::format("when the library polls: {}", kPollingNames))
      ->capture_default_str();
  command
      .add_option("--tasks-per-node", options.tasks_per_node,
                  "ranks that share a node: rank r runs on node r / N")
      ->transform(whole_number(1, kProfile.clients))
      ->capture_default_str();
  constexpr std::uint64_t kMostSkew = 1'000'000'000;
  command
      .add_option("--start-skew", options.start_skew,
                  "each rank starts in a cycle of its own, by --seed: 0 to this")
      ->transform(whole_number(0, kMostSkew))
      ->capture_default_str();
  constexpr std::uint64_t kMostStall = 1'000'000'000'000;
  command
      .add_option("--stall-after", options.stall_after,
                  "the run fails, with who waits for whom, if for so many cycles no rank's call "
                  "ends and none computes; 0: 50,000,000 and 8 for each byte of the longest "
                  "message")
      ->transform(whole_number(0, kMostStall))
      ->capture_default_str();
}

nlohmann::json options_said(const CLI::App& app) {
  nlohmann::json options = nlohmann::json::object();
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  for (const CLI::Option* option : command->get_options()) {
    if (option == command->get_help_ptr()) continue;
    options[option->get_single_name()] = value_of(*option);
  }
  return options;
}

}  // namespace torusmu
