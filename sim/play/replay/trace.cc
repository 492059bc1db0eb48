// SPDX-License-Identifier: Apache-2.0
#include "sim/play/replay/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "sim/play/replay/trace_words.h"

namespace torusmu::replay {
namespace {

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
    spread_broadcasts();
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

  // "# key value". Other lines that start with # are comments, but one of just two words before the
  // first event looks like a header, so somebody may count on it.
  void read_header() {
    if (words_[0].text != "#" || words_.size() < 2) return;
    const std::string_view key = words_[1].text;
    const bool known = key == "mpitrace" || key == "ranks" || key == "app";
    if (!known) {
      if (words_.size() == 3 && !has_events_) warn_of_header(words_[1]);
      return;
    }
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

  void warn_of_header(const Word& key) {
    constexpr std::size_t kMostWarnings = 20;
    if (trace_.warnings.size() == kMostWarnings) return;
    trace_.warnings.push_back(
        fmt::format("{}:{}:{}: header {} is unknown and has no effect: there are mpitrace, ranks, "
                    "app; a comment starts with ##",
                    trace_.name, line_number_, key.column, shown(key.text)));
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
    has_events_ = true;
    if (words_.size() < 2) fail(line_.size() + 1, "the call is missing");
    if (words_[1].text == kWaitall) {
      read_waitall(own);
    } else if (words_[1].text == kSendrecv) {
      read_sendrecv(own);
    } else {
      read_call(own);
    }
  }

  void need_operands(std::string_view call, std::size_t wanted, std::string_view form) const {
    const std::size_t found = words_.size() - 2;
    if (found == wanted) return;
    const std::size_t column = found > wanted ? words_[wanted + 2].column : line_.size() + 1;
    fail(column, fmt::format("{} takes {} operands, not {}: {}", call, wanted, found, form));
  }

  void read_call(std::uint32_t own) {
    const auto call =
        std::find_if(std::begin(kCalls), std::end(kCalls),
                     [&](const CallName& known) { return known.name == words_[1].text; });
    if (call == std::end(kCalls)) {
      fail(words_[1].column,
           "unknown call " + shown(words_[1].text) + ": there are " + known_calls());
    }
    need_operands(call->name, call->operands, call->form);
    TraceEvent event = event_of(call->call);
    read_operands(own, event);
    add(own, std::move(event));
  }

  [[nodiscard]] TraceEvent event_of(Call call) const {
    TraceEvent event;
    event.call = call;
    event.line = line_number_;
    return event;
  }
  void add(std::uint32_t own, TraceEvent event) { trace_.ranks[own].push_back(std::move(event)); }

  // A wait for each of the requests.
  void read_waitall(std::uint32_t own) {
    if (words_.size() < 3) {
      fail(line_.size() + 1, "waitall takes one operand or more: REQ REQ ...");
    }
    for (std::size_t i = 2; i < words_.size(); ++i) {
      TraceEvent event = event_of(Call::kWait);
      read_wait(own, words_[i], event);
      add(own, std::move(event));
    }
  }

  // DST BYTES TAG SRC CAPACITY TAG: both are under way before either is waited for.
  void read_sendrecv(std::uint32_t own) {
    need_operands(kSendrecv, kSendrecvOperands, "DST BYTES TAG SRC BYTES TAG");
    Requests& requests = requests_[own];
    for (const auto& [call, first] : {std::pair(Call::kIrecv, 5), std::pair(Call::kIsend, 2)}) {
      TraceEvent event = event_of(call);
      event.request = requests.posted++;
      ++requests.under_way;
      read_message(own, static_cast<std::size_t>(first), event);
      add(own, std::move(event));
    }
    for (const std::uint64_t back : {2, 1}) {
      TraceEvent event = event_of(Call::kWait);
      event.request = requests.posted - back;
      --requests.under_way;
      add(own, std::move(event));
    }
  }

  void read_operands(std::uint32_t own, TraceEvent& event) {
    switch (event.call) {
      case Call::kCompute:
        event.cycles = number(words_[2], "time", kMostNanoseconds);
        return;
      case Call::kIsend:
      case Call::kIrecv:
        read_request(own, words_[5], event);
        read_message(own, 2, event);
        return;
      case Call::kSend:
      case Call::kRecv:
        read_message(own, 2, event);
        return;
      case Call::kWait:
        read_wait(own, words_[2], event);
        return;
      case Call::kProbe:
        event.peer = source(words_[2]);
        event.tag = static_cast<Tag>(number(words_[3], "tag", kMostTag));
        probes_.push_back({own, trace_.ranks[own].size()});
        event.number = event.peer == kAnyRank
                           ? count_in(received_from_any_, Port{own, event.tag})
                           : count_in(received_, Route{event.peer, own, event.tag});
        return;
      case Call::kAllreduce:
        read_reduction(2, event);
        event.out = hex(words_[6], "OUT", event.in.size());
        break;
      case Call::kReduce:
        event.peer = rank(words_[2], "root");
        read_reduction(3, event);
        if (own == event.peer) {
          event.out = hex(words_[7], "OUT", event.in.size());
        } else if (words_[7].text != "-") {
          fail(words_[7].column, "OUT is \"-\" where the rank is not the root");
        }
        break;
      case Call::kBroadcast:
        event.peer = rank(words_[2], "root");
        event.bytes = number(words_[3], "length", kMostBytes);
        if (words_[4].text != "-") {
          if (event.bytes > kMostBroadcastDigits)
            fail(words_[4].column, "DATA longer than 64 bytes");
          event.in = hex(words_[4], "DATA", event.bytes);
        }
        break;
      case Call::kBarrier:
        break;
      case Call::kScatter:
      case Call::kGather:
        event.peer = rank(words_[2], "root");
        event.bytes = number(words_[3], "length", kMostBytes);
        break;
      case Call::kAllgather:
      case Call::kAlltoall:
        event.bytes = number(words_[2], "length", kMostBytes);
        break;
    }
    event.number = requests_[own].collectives++;
  }

  void read_request(std::uint32_t own, const Word& word, TraceEvent& event) {
    Requests& requests = requests_[own];
    const std::uint64_t name = number(word, "request", ~std::uint64_t{0});
    if (!requests.names.emplace(name, Requests::Named{requests.posted, false}).second) {
      fail(word.column, fmt::format("request {} is used twice", name));
    }
    event.request = requests.posted++;
    ++requests.under_way;
  }

  void read_wait(std::uint32_t own, const Word& word, TraceEvent& event) {
    Requests& requests = requests_[own];
    const std::uint64_t name = number(word, "request", ~std::uint64_t{0});
    const auto found = requests.names.find(name);
    if (found == requests.names.end()) {
      fail(word.column, fmt::format("rank {} has no request {}", own, name));
    }
    if (found->second.waited_for) {
      fail(word.column, fmt::format("request {} has been waited for", name));
    }
    found->second.waited_for = true;
    event.request = found->second.place;
    --requests.under_way;
  }

  // `more`: what the call takes beside the requests that are under way.
  void require_requests(std::uint32_t own, std::uint64_t more, std::size_t word) const {
    const std::uint64_t under_way = requests_[own].under_way + more;
    if (under_way <= kMostRequests) return;
    fail(word < words_.size() ? words_[word].column : 1,
         fmt::format("rank {} has {} requests under way here: at most {}, so wait for some before",
                     own, under_way, kMostRequests));
  }

  std::uint32_t source(const Word& word) const {
    return word.text == kAnySource ? kAnyRank : rank(word, "rank");
  }

  // DST BYTES TAG or SRC BYTES TAG from word `at` on.
  void read_message(std::uint32_t own, std::size_t at, TraceEvent& event) {
    const bool sends = is_send(event.call);
    event.peer = sends ? rank(words_[at], "rank") : source(words_[at]);
    event.bytes = number(words_[at + 1], "length", kMostBytes);
    event.tag = static_cast<Tag>(number(words_[at + 2], "tag", kMostTag));
    const bool is_blocking = event.call == Call::kSend || event.call == Call::kRecv;
    require_requests(own, is_blocking ? 1 : 0, at);
    const Message message{line_number_, event.bytes, own, trace_.ranks[own].size()};
    std::vector<Message>& list = sends                    ? sent_[{own, event.peer, event.tag}]
                                 : event.peer == kAnyRank ? received_from_any_[{own, event.tag}]
                                                          : received_[{event.peer, own, event.tag}];
    event.number = list.size();
    list.push_back(message);
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
  using Port = std::pair<std::uint32_t, Tag>;                   // to, tag
  struct Message {
    std::uint32_t line;
    Bytes bytes;
    std::uint32_t rank;  // whose call
    std::size_t place;   // among its events
  };
  using Messages = std::vector<Message>;
  struct Requests {
    struct Named {
      std::uint64_t place;
      bool waited_for;
    };
    std::map<std::uint64_t, Named> names;
    std::uint64_t posted = 0;
    std::uint64_t under_way = 0;
    std::uint64_t collectives = 0;
  };

  // A route or port without a message is not in the map: whoever finds one finds a message.
  template <typename Key>
  [[nodiscard]] static std::size_t count_in(const std::map<Key, Messages>& all, const Key& key) {
    const auto found = all.find(key);
    return found == all.end() ? 0 : found->second.size();
  }

  void check_messages() {
    for (const auto& [route, receives] : received_) check_sends(route, receives);
    for (const auto& [port, receives] : received_from_any_) check_port(port, receives);
    for (const auto& [route, sends] : sent_) {
      const auto& [from, to, tag] = route;
      if (received_from_any_.contains({to, tag})) continue;
      const std::size_t receives = count_in(received_, route);
      if (receives < sends.size()) fail_never_received(sends[receives], to);
    }
    check_probes();
  }

  [[noreturn]] void fail_never_received(const Message& message, std::uint32_t to) const {
    fail_at(message.line, fmt::format("rank {} never receives this message", to));
  }
  [[noreturn]] void fail_too_long(const Message& receive, const Message& send) const {
    fail_at(receive.line, fmt::format("the message has {} bytes (line {}), the buffer {}",
                                      send.bytes, send.line, receive.bytes));
  }

  // Messages are matched in order for each route. Where no receive of that rank and tag takes
  // messages from everybody, who gets what is known beforehand.
  void check_sends(const Route& route, const Messages& receives) {
    const auto& [from, to, tag] = route;
    const auto found = sent_.find(route);
    const std::size_t sends = found == sent_.end() ? 0 : found->second.size();
    if (sends < receives.size()) {
      fail_at(receives[sends].line,
              fmt::format("rank {} sends only {} messages with tag {} to rank {}: this receive "
                          "would wait for ever",
                          from, sends, tag, to));
    }
    const bool open = received_from_any_.contains({to, tag});
    if (open) return check_open(receives, longest_of(found->second));
    for (std::size_t i = 0; i < receives.size(); ++i) {
      const Message& send = found->second[i];
      if (send.bytes > receives[i].bytes) fail_too_long(receives[i], send);
    }
  }

  static const Message& longest_of(const Messages& messages) {
    return *std::max_element(messages.begin(), messages.end(),
                             [](const Message& a, const Message& b) { return a.bytes < b.bytes; });
  }

  // Which of the messages each takes depends on the run, so that there must be room for any.
  void check_open(const Messages& receives, const Message& longest) {
    for (const Message& receive : receives) {
      trace_.ranks[receive.rank][receive.place].open = true;
      if (longest.bytes > receive.bytes) fail_too_long(receive, longest);
    }
  }

  // All messages with this tag to this rank, of which `receives` take those of any source.
  void check_port(const Port& port, const Messages& receives) {
    const auto& [to, tag] = port;
    std::size_t left = 0;  // for them
    const Message* longest = nullptr;
    const Message* last = nullptr;
    for (std::uint32_t from = 0; from < trace_.ranks.size(); ++from) {
      const auto found = sent_.find({from, to, tag});
      if (found == sent_.end()) continue;
      const std::size_t taken = count_in(received_, found->first);
      left += found->second.size() - taken;
      if (found->second.size() > taken) last = &found->second.back();
      const Message& candidate = longest_of(found->second);
      if (longest == nullptr || candidate.bytes > longest->bytes) longest = &candidate;
    }
    if (left < receives.size()) {
      fail_at(receives[left].line,
              fmt::format("only {} messages with tag {} to rank {} are left for receives from any "
                          "rank: this one would wait for ever",
                          left, tag, to));
    }
    if (left > receives.size()) fail_never_received(*last, to);
    check_open(receives, *longest);
  }

  void check_probes() {
    std::map<Port, std::size_t> sends;
    for (const auto& [route, messages] : sent_) {
      sends[{std::get<1>(route), std::get<2>(route)}] += messages.size();
    }
    for (const auto& [own, place] : probes_) {
      TraceEvent& probe = trace_.ranks[own][place];
      const bool from_any = probe.peer == kAnyRank;
      const std::size_t most =
          from_any ? sends[{own, probe.tag}] : count_in(sent_, Route{probe.peer, own, probe.tag});
      // The receives before it have a better claim to the messages.
      if (most <= probe.number) {
        fail_at(probe.line, "no message is left for this probe: it would wait for ever");
      }
      probe.open = from_any || received_from_any_.contains({own, probe.tag});
    }
  }

  static std::vector<const TraceEvent*> collectives_of(const std::vector<TraceEvent>& events) {
    std::vector<const TraceEvent*> list;
    for (const TraceEvent& event : events) {
      if (is_collective(event.call)) list.push_back(&event);
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

  // All ranks get the data of a broadcast, and any of their lines may say what it is.
  void spread_broadcasts() {
    std::map<std::uint64_t, const TraceEvent*> known;  // by number of the collective
    const auto for_each = [this](const auto& visit) {
      for (auto& events : trace_.ranks) {
        for (TraceEvent& event : events) {
          if (event.call == Call::kBroadcast) visit(event);
        }
      }
    };
    for_each([&](const TraceEvent& event) {
      if (event.in.empty()) return;
      const auto [found, fresh] = known.emplace(event.number, &event);
      if (!fresh && found->second->in != event.in) {
        fail_at(event.line, fmt::format("DATA is not that of line {}: all ranks get the same bytes",
                                        found->second->line));
      }
    });
    for_each([&](TraceEvent& event) {
      const auto found = known.find(event.number);
      if (found != known.end()) event.in = found->second->in;
    });
  }

  std::istream& input_;
  Trace trace_;
  std::string line_;
  std::uint32_t line_number_ = 0;
  std::vector<Word> words_;
  bool has_version_ = false;
  std::uint32_t last_rank_ = 0;
  bool has_events_ = false;
  std::vector<Requests> requests_;  // of each rank
  std::map<Route, Messages> sent_;
  std::map<Route, Messages> received_;
  std::map<Port, Messages> received_from_any_;
  std::vector<std::pair<std::uint32_t, std::size_t>> probes_;  // rank, place among its events
};

}  // namespace

std::string_view name_of(Call call) {
  for (const CallName& known : kCalls) {
    if (known.call == call) return known.name;
  }
  return "";
}

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
