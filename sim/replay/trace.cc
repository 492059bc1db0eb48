// SPDX-License-Identifier: Apache-2.0
#include "sim/replay/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

namespace torusmu::replay {
namespace {

constexpr std::size_t kMostLineBytes = 1 << 20;
constexpr std::uint64_t kMostRanks = 4096;  // 16x16x16 nodes
constexpr std::uint64_t kMostNanoseconds = 1'000'000'000'000;
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 32;
constexpr std::uint64_t kMostTag = 0x7FFFFFFF;
constexpr std::uint64_t kMostBroadcastDigits = 64;  // longer data is not in the trace

struct Word {
  std::string_view text;
  std::size_t column = 1;
};

struct CallName {
  std::string_view name;
  Call call;
  std::size_t operands;
};
constexpr CallName kCalls[] = {{"compute", Call::kCompute, 1},     {"isend", Call::kIsend, 4},
                               {"irecv", Call::kIrecv, 4},         {"send", Call::kSend, 3},
                               {"recv", Call::kRecv, 3},           {"wait", Call::kWait, 1},
                               {"allreduce", Call::kAllreduce, 5}, {"reduce", Call::kReduce, 6},
                               {"bcast", Call::kBroadcast, 3},     {"barrier", Call::kBarrier, 0}};

constexpr std::pair<std::string_view, ReduceOp> kOps[] = {{"sum", ReduceOp::kSum},
                                                          {"min", ReduceOp::kMin},
                                                          {"max", ReduceOp::kMax},
                                                          {"prod", ReduceOp::kProd}};
constexpr std::pair<std::string_view, DataType> kTypes[] = {{"f64", DataType::kF64},
                                                            {"f32", DataType::kF32},
                                                            {"i32", DataType::kI32},
                                                            {"i64", DataType::kI64},
                                                            {"u8", DataType::kU8}};

// A piece of input made fit for a message on a terminal: short, printable, in quotes.
std::string shown(std::string_view text) {
  std::string result = "\"";
  for (const char c : text.substr(0, 40)) {
    const auto byte = static_cast<unsigned char>(c);
    result += byte >= 0x20 && byte < 0x7F ? std::string(1, c) : fmt::format("\\x{:02x}", byte);
  }
  return result + (text.size() > 40 ? "...\"" : "\"");
}

class Reader {
 public:
  Reader(std::istream& input, const std::string& name) : input_(input) { trace_.name = name; }

  Trace read() {
    while (next_line()) {
      split();
      if (words_.empty()) continue;
      if (words_[0].text[0] == '#') {
        read_header();
      } else {
        read_event();
      }
    }
    words_.clear();
    need_headers();
    check_messages();
    check_collectives();
    // What was cut off behind its headers would be replayed in no time, and right.
    if (std::all_of(trace_.ranks.begin(), trace_.ranks.end(), only_computes)) {
      fail(1, "no rank has a message or a collective");
    }
    return std::move(trace_);
  }

 private:
  [[noreturn]] void fail(std::size_t column, const std::string& what) const {
    throw TraceError(fmt::format("{}:{}:{}: {}", trace_.name, line_number_, column, what));
  }
  [[noreturn]] void fail_at(std::uint32_t line, const std::string& what) const {
    throw TraceError(fmt::format("{}:{}:1: {}", trace_.name, line, what));
  }

  // A line of bounded length; std::getline alone would take a file of any size into memory.
  bool next_line() {
    line_.clear();
    ++line_number_;
    int c = input_.get();
    if (c == std::char_traits<char>::eof()) return false;
    for (; c != std::char_traits<char>::eof() && c != '\n'; c = input_.get()) {
      if (line_.size() == kMostLineBytes) {
        fail(kMostLineBytes, fmt::format("the line is longer than {} bytes", kMostLineBytes));
      }
      line_.push_back(static_cast<char>(c));
    }
    if (!line_.empty() && line_.back() == '\r') line_.pop_back();
    return true;
  }

  void split() {
    words_.clear();
    const std::string_view line = line_;
    for (std::size_t at = 0; at < line.size();) {
      if (line[at] == ' ' || line[at] == '\t') {
        ++at;
        continue;
      }
      const std::size_t end = std::min(line.find_first_of(" \t", at), line.size());
      words_.push_back({line.substr(at, end - at), at + 1});
      at = end;
    }
  }

  std::uint64_t number(const Word& word, const char* what, std::uint64_t most,
                       std::uint64_t least = 0) const {
    std::uint64_t value = 0;
    const char* end = word.text.data() + word.text.size();
    const auto [stop, error] = std::from_chars(word.text.data(), end, value);
    if (error != std::errc() || stop != end || value < least || value > most) {
      fail(word.column,
           fmt::format("{} {} is no number from {} to {}", what, shown(word.text), least, most));
    }
    return value;
  }

  std::vector<std::byte> hex(const Word& word, const char* what, std::uint64_t bytes) const {
    if (word.text.size() % 2 != 0 || word.text.size() / 2 != bytes) {
      fail(word.column,
           fmt::format("{} has {} hex digits, not {}", what, word.text.size(), 2 * bytes));
    }
    std::vector<std::byte> data(bytes);
    for (std::size_t i = 0; i < data.size(); ++i) {
      unsigned value = 0;
      const char* digits = word.text.data() + 2 * i;
      const auto [stop, error] = std::from_chars(digits, digits + 2, value, 16);
      if (error != std::errc() || stop != digits + 2) {
        fail(word.column + 2 * i, fmt::format("{} has something that is no hex digit", what));
      }
      data[i] = static_cast<std::byte>(value);
    }
    return data;
  }

  template <typename Names>
  auto pick(const Word& word, const char* what, const Names& names) const {
    std::string known;
    for (const auto& [name, value] : names) {
      if (word.text == name) return value;
      known += (known.empty() ? "" : ", ") + std::string(name);
    }
    fail(word.column, fmt::format("unknown {} {}: there are {}", what, shown(word.text), known));
  }

  // --- lines ---

  // "# key value"; a # alone, or an unknown key, is a comment.
  void read_header() {
    if (words_[0].text != "#" || words_.size() < 2) return;
    const std::string_view key = words_[1].text;
    const bool known = key == "mpitrace" || key == "ranks" || key == "app";
    if (!known) return;
    if (words_.size() < 3) fail(words_[1].column, fmt::format("header \"{}\" has no value", key));
    if (key == "app") {
      trace_.app = std::string(words_[2].text.substr(0, 100));
    } else if (key == "mpitrace") {
      if (words_[2].text != "1") {
        fail(words_[2].column, "version " + shown(words_[2].text) + " is unknown: this reads 1");
      }
      has_version_ = true;
    } else {
      if (!trace_.ranks.empty()) fail(words_[1].column, "a second header \"ranks\"");
      const std::uint64_t ranks = number(words_[2], "number of ranks", kMostRanks, 1);
      trace_.ranks.resize(ranks);
      requests_.resize(ranks);
    }
  }

  void need_headers() const {
    if (!has_version_) fail(1, "header \"# mpitrace 1\" is missing before the first event");
    if (trace_.ranks.empty()) fail(1, "header \"# ranks N\" is missing before the first event");
  }

  std::uint32_t rank(const Word& word, const char* what) const {
    return static_cast<std::uint32_t>(number(word, what, trace_.ranks.size() - 1));
  }

  void read_event() {
    need_headers();
    const std::uint32_t own = rank(words_[0], "rank");
    if (own < last_rank_) {
      fail(words_[0].column, fmt::format("rank {} again: ranks follow one another", own));
    }
    last_rank_ = own;
    if (words_.size() < 2) fail(line_.size() + 1, "the call is missing");
    const auto call =
        std::find_if(std::begin(kCalls), std::end(kCalls),
                     [&](const CallName& known) { return known.name == words_[1].text; });
    if (call == std::end(kCalls)) {
      fail(words_[1].column, "unknown call " + shown(words_[1].text) +
                                 ": there are compute, isend, irecv, send, recv, wait, allreduce, "
                                 "reduce, bcast, barrier");
    }
    if (words_.size() - 2 != call->operands) {
      const std::size_t column =
          words_.size() - 2 > call->operands ? words_[call->operands + 2].column : line_.size() + 1;
      fail(column, fmt::format("{} takes {} operands, not {}", call->name, call->operands,
                               words_.size() - 2));
    }
    TraceEvent event;
    event.call = call->call;
    event.line = line_number_;
    read_operands(own, event);
    trace_.ranks[own].push_back(std::move(event));
  }

  void read_operands(std::uint32_t own, TraceEvent& event) {
    switch (event.call) {
      case Call::kCompute:
        event.cycles = number(words_[2], "time", kMostNanoseconds);
        return;
      case Call::kIsend:
      case Call::kIrecv:
      case Call::kSend:
      case Call::kRecv:
        read_message(own, event);
        return;
      case Call::kWait: {
        event.request = number(words_[2], "request", ~std::uint64_t{0});
        const auto found = requests_[own].find(event.request);
        if (found == requests_[own].end()) {
          fail(words_[2].column, fmt::format("rank {} has no request {}", own, event.request));
        }
        if (found->second) {
          fail(words_[2].column, fmt::format("request {} has been waited for", event.request));
        }
        found->second = true;
        return;
      }
      case Call::kAllreduce:
        read_reduction(2, event);
        event.out = hex(words_[6], "OUT", event.in.size());
        return;
      case Call::kReduce:
        event.peer = rank(words_[2], "root");
        read_reduction(3, event);
        if (own == event.peer) {
          event.out = hex(words_[7], "OUT", event.in.size());
        } else if (words_[7].text != "-") {
          fail(words_[7].column, "OUT is \"-\" where the rank is not the root");
        }
        return;
      case Call::kBroadcast:
        event.peer = rank(words_[2], "root");
        event.bytes = number(words_[3], "length", kMostBytes);
        if (words_[4].text != "-") {
          if (event.bytes > kMostBroadcastDigits)
            fail(words_[4].column, "DATA longer than 64 bytes");
          event.in = hex(words_[4], "DATA", event.bytes);
        }
        return;
      case Call::kBarrier:
        return;
    }
  }

  void read_message(std::uint32_t own, TraceEvent& event) {
    event.peer = rank(words_[2], "rank");
    event.bytes = number(words_[3], "length", kMostBytes);
    event.tag = static_cast<Tag>(number(words_[4], "tag", kMostTag));
    const bool sends = event.call == Call::kIsend || event.call == Call::kSend;
    if (event.call == Call::kIsend || event.call == Call::kIrecv) {
      event.request = number(words_[5], "request", ~std::uint64_t{0});
      if (!requests_[own].emplace(event.request, false).second) {
        fail(words_[5].column, fmt::format("request {} is used twice", event.request));
      }
    }
    const Route route =
        sends ? Route{own, event.peer, event.tag} : Route{event.peer, own, event.tag};
    auto& list = sends ? sent_[route] : received_[route];
    event.number = list.size();
    list.push_back({event.line, event.bytes});
    if (sends) {
      ++trace_.messages;
      trace_.bytes += event.bytes;
    }
  }

  // OP TYPE COUNT IN from word `at` on.
  void read_reduction(std::size_t at, TraceEvent& event) const {
    event.op = pick(words_[at], "operation", kOps);
    event.type = pick(words_[at + 1], "type", kTypes);
    event.count = number(words_[at + 2], "count", kMostLineBytes);
    if (event.count == 0) fail(words_[at + 2].column, "a reduction of no elements");
    event.in = hex(words_[at + 3], "IN", event.count * size_of(event.type));
  }

  // --- the whole ---

  using Route = std::tuple<std::uint32_t, std::uint32_t, Tag>;  // from, to, tag
  struct Message {
    std::uint32_t line;
    Bytes bytes;
  };

  // Messages are matched in order for each route, so who gets what is known beforehand.
  void check_messages() const {
    for (const auto& [route, receives] : received_) {
      const auto found = sent_.find(route);
      const std::size_t sends = found == sent_.end() ? 0 : found->second.size();
      const auto& [from, to, tag] = route;
      if (sends < receives.size()) {
        fail_at(receives[sends].line,
                fmt::format("rank {} sends only {} messages with tag {} to rank {}: this receive "
                            "would wait for ever",
                            from, sends, tag, to));
      }
      for (std::size_t i = 0; i < receives.size(); ++i) {
        if (found->second[i].bytes > receives[i].bytes) {
          fail_at(receives[i].line,
                  fmt::format("the message has {} bytes (line {}), the buffer {}",
                              found->second[i].bytes, found->second[i].line, receives[i].bytes));
        }
      }
    }
    for (const auto& [route, sends] : sent_) {
      const auto found = received_.find(route);
      const std::size_t receives = found == received_.end() ? 0 : found->second.size();
      if (receives < sends.size()) {
        fail_at(sends[receives].line,
                fmt::format("rank {} never receives this message", std::get<1>(route)));
      }
    }
  }

  static std::vector<const TraceEvent*> collectives_of(const std::vector<TraceEvent>& events) {
    std::vector<const TraceEvent*> list;
    for (const TraceEvent& event : events) {
      if (event.call >= Call::kAllreduce) list.push_back(&event);
    }
    return list;
  }

  static bool only_computes(const std::vector<TraceEvent>& events) {
    return std::all_of(events.begin(), events.end(),
                       [](const TraceEvent& event) { return event.call == Call::kCompute; });
  }

  void check_collectives() const {
    const auto first = collectives_of(trace_.ranks[0]);
    for (std::size_t r = 1; r < trace_.ranks.size(); ++r) {
      const auto list = collectives_of(trace_.ranks[r]);
      for (std::size_t i = 0; i < std::max(first.size(), list.size()); ++i) {
        if (i >= first.size() || i >= list.size()) {
          const bool here = i < list.size();
          fail_at(here ? list[i]->line : first[i]->line,
                  fmt::format("rank {} takes no part in this collective", here ? 0 : r));
        }
        const TraceEvent& a = *first[i];
        const TraceEvent& b = *list[i];
        if (a.call != b.call || a.peer != b.peer || a.bytes != b.bytes || a.op != b.op ||
            a.type != b.type || a.count != b.count) {
          fail_at(b.line, fmt::format("rank {}'s collective number {} is another one than rank 0's "
                                      "(line {})",
                                      r, i, a.line));
        }
      }
    }
  }

  std::istream& input_;
  Trace trace_;
  std::string line_;
  std::uint32_t line_number_ = 0;
  std::vector<Word> words_;
  bool has_version_ = false;
  std::uint32_t last_rank_ = 0;
  std::vector<std::map<std::uint64_t, bool>> requests_;  // of each rank; true: waited for
  std::map<Route, std::vector<Message>> sent_;
  std::map<Route, std::vector<Message>> received_;
};

}  // namespace

Trace read_trace(std::istream& input, const std::string& name) {
  return Reader(input, name).read();
}

Trace read_trace_file(const std::string& file) {
  std::ifstream input(file, std::ios::binary);
  std::error_code error;
  if (!input || std::filesystem::is_directory(file, error)) {
    throw TraceError("\"" + file + "\": cannot be opened as a trace file");
  }
  return read_trace(input, file);
}

}  // namespace torusmu::replay
