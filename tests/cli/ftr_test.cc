// SPDX-License-Identifier: Apache-2.0
// Files of transactions, read back by a reader of CBOR (RFC 8949) and FTR that knows their
// descriptions alone, and held against what the same run says elsewhere.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/own_folder.h"
#include "tests/support/shell.h"

namespace torusmu {
namespace {

namespace fs = std::filesystem;
using ::testing::AnyOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Eq;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::Output;
using testing::shell;
using ::testing::SizeIs;

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// An item of CBOR: a number, a string, or what others are in.
struct Item {
  enum class Type { kUnsigned, kNegative, kBytes, kText, kArray, kMap, kTag } type{};
  std::uint64_t number = 0;  // kNegative: -1 - number; kTag: the tag
  bool is_endless = false;   // an array up to a break
  std::string text;
  std::vector<Item> items;  // of a map key and value in turn; of a tag one

  [[nodiscard]] const Item& is(Type wanted) const {
    if (type != wanted) throw std::runtime_error("an item of another type");
    return *this;
  }
  [[nodiscard]] std::uint64_t value() const { return is(Type::kUnsigned).number; }
  [[nodiscard]] const Item& tagged() const { return is(Type::kTag).items.at(0); }
  // Of an array of that many.
  [[nodiscard]] const std::vector<Item>& array(std::size_t size) const {
    if (is(Type::kArray).items.size() != size || is_endless) throw std::runtime_error("size");
    return items;
  }
};

class Cbor {
 public:
  explicit Cbor(std::string bytes) : bytes_(std::move(bytes)) {}

  Item item() {
    const unsigned head = byte();
    Item item;
    item.type = static_cast<Item::Type>(head >> 5);
    constexpr unsigned kEndless = 31, kLong = 24;
    unsigned short_value = head & 31;
    if (short_value == kEndless) {
      (void)item.is(Item::Type::kArray);
      item.is_endless = true;
      while (!at_break()) item.items.push_back(this->item());
      return item;
    }
    item.number = short_value;
    if (short_value >= kLong) {
      if (short_value > kLong + 3) throw std::runtime_error("length of a number");
      item.number = 0;
      for (unsigned i = 0; i < 1U << (short_value - kLong); ++i) {
        item.number = item.number << 8 | byte();
      }
    }
    fill(item);
    return item;
  }
  [[nodiscard]] bool at_end() const { return at_ == bytes_.size(); }

 private:
  void fill(Item& item) {
    switch (item.type) {
      case Item::Type::kUnsigned:
      case Item::Type::kNegative:
        return;
      case Item::Type::kBytes:
      case Item::Type::kText:
        if (item.number > bytes_.size() - at_) throw std::runtime_error("a string goes on");
        item.text = bytes_.substr(at_, item.number);
        at_ += item.number;
        return;
      case Item::Type::kArray:
      case Item::Type::kMap:
      case Item::Type::kTag: {
        const bool is_map = item.type == Item::Type::kMap;
        std::uint64_t left = item.type == Item::Type::kTag ? 1 : item.number * (is_map ? 2 : 1);
        for (; left != 0; --left) item.items.push_back(this->item());
        return;
      }
      default:
        throw std::runtime_error("a value that FTR has not");
    }
  }
  unsigned byte() {
    if (at_end()) throw std::runtime_error("the end comes too early");
    return static_cast<unsigned char>(bytes_[at_++]);
  }
  bool at_break() {
    if (byte() == 0xff) return true;
    --at_;
    return false;
  }

  std::string bytes_;
  std::size_t at_ = 0;
};

Item content_of(const Item& bytes) {
  Cbor cbor(bytes.is(Item::Type::kBytes).text);
  Item item = cbor.item();
  if (!cbor.at_end()) throw std::runtime_error("something behind the content of a chunk");
  return item;
}

struct Transaction {
  std::string stream, generator;
  std::uint64_t from = 0, to = 0;
  std::map<std::string, std::string> text;
  std::map<std::string, std::uint64_t> number;
};

// A file of FTR. Throws where it is none, or refers to what it has not said before.
class Ftr {
 public:
  explicit Ftr(const std::string& bytes) {
    Cbor cbor(bytes);
    const Item all = cbor.item();
    if (!cbor.at_end() || all.number != 55799 || !all.tagged().is_endless) {
      throw std::runtime_error("no FTR");
    }
    for (const Item& chunk : all.tagged().is(Item::Type::kArray).items) add(chunk);
    for (const auto& [name, ends] : relations) {
      (void)transactions.at(ends.first);
      (void)transactions.at(ends.second);
    }
  }

  std::vector<std::uint64_t> chunks;  // their tags
  std::int64_t time_scale = 0;
  std::map<std::uint64_t, Transaction> transactions;
  std::multimap<std::string, std::pair<std::uint64_t, std::uint64_t>> relations;

  [[nodiscard]] std::vector<std::uint64_t> of(const std::string& generator) const {
    std::vector<std::uint64_t> ids;
    for (const auto& [id, transaction] : transactions) {
      if (transaction.generator == generator) ids.push_back(id);
    }
    return ids;
  }
  // Where relations of that name lead to from `source`.
  [[nodiscard]] std::vector<std::uint64_t> from(std::uint64_t source,
                                                const std::string& name) const {
    std::vector<std::uint64_t> sinks;
    const auto [begin, end] = relations.equal_range(name);
    for (auto r = begin; r != end; ++r) {
      if (r->second.first == source) sinks.push_back(r->second.second);
    }
    return sinks;
  }

 private:
  void add(const Item& chunk) {
    chunks.push_back(chunk.is(Item::Type::kTag).number);
    switch (chunk.number) {
      case 6: {
        const Item info = content_of(chunk.tagged());
        time_scale =
            -1 - static_cast<std::int64_t>(info.array(2)[0].is(Item::Type::kNegative).number);
        if (info.items[1].number != 1) throw std::runtime_error("no time of writing");
        return (void)info.items[1].tagged().value();
      }
      case 8: {
        const Item words = content_of(chunk.tagged()).is(Item::Type::kMap);
        for (std::size_t i = 0; i < words.items.size(); i += 2) {
          const std::uint64_t id = words.items[i].value();
          const bool is_new =
              words_.emplace(id, words.items[i + 1].is(Item::Type::kText).text).second;
          if (!is_new) throw std::runtime_error("a word twice");
        }
        return;
      }
      case 10:
        for (const Item& entry : endless(content_of(chunk.tagged()))) add_place(entry);
        return;
      case 12:
        return add_block(chunk.tagged().array(4));
      case 14:
        for (const Item& r : endless(content_of(chunk.tagged()))) add_relation(r.array(5));
        return;
      default:
        throw std::runtime_error("chunk of an unknown tag");
    }
  }
  static std::vector<Item> endless(const Item& item) {
    if (!item.is(Item::Type::kArray).is_endless) throw std::runtime_error("an array of a size");
    return item.items;
  }
  void add_place(const Item& entry) {
    const std::vector<Item>& values = entry.tagged().array(3);
    if (entry.number == 16) {
      streams_[values[0].value()] = words_.at(values[1].value());
      (void)words_.at(values[2].value());
    } else if (entry.number == 17) {
      (void)streams_.at(values[2].value());
      generators_[values[0].value()] = {words_.at(values[1].value()), values[2].value()};
    } else {
      throw std::runtime_error("entry of an unknown tag");
    }
  }
  void add_block(const std::vector<Item>& block) {
    const std::uint64_t stream = block[0].value(), from = block[1].value(), to = block[2].value();
    std::uint64_t last = from;
    for (const Item& entry : endless(content_of(block[3]))) {
      const std::vector<Item>& parts = entry.is(Item::Type::kArray).items;
      const std::vector<Item>& event = parts.at(0).tagged().array(4);
      const auto& generator = generators_.at(event[1].value());
      Transaction transaction{
          streams_.at(stream), generator.first, event[2].value(), event[3].value(), {}, {}};
      if (parts[0].number != 6 || generator.second != stream || transaction.from < last ||
          transaction.to < transaction.from || transaction.to > to) {
        throw std::runtime_error("a transaction that its block cannot have");
      }
      last = transaction.from;
      for (std::size_t i = 1; i < parts.size(); ++i) add_attribute(transaction, parts[i]);
      if (!transactions.emplace(event[0].value(), transaction).second) {
        throw std::runtime_error("a transaction twice");
      }
    }
  }
  void add_attribute(Transaction& transaction, const Item& attribute) const {
    const std::vector<Item>& values = attribute.tagged().array(3);
    if (attribute.number < 7 || attribute.number > 9) throw std::runtime_error("attribute");
    const std::string& name = words_.at(values[0].value());
    constexpr std::uint64_t kUnsigned = 3, kString = 10;
    if (values[1].value() == kString) {
      transaction.text[name] = words_.at(values[2].value());
    } else if (values[1].value() == kUnsigned) {
      transaction.number[name] = values[2].value();
    } else {
      throw std::runtime_error("an attribute of another type");
    }
  }
  void add_relation(const std::vector<Item>& values) {
    const std::pair ends{values[1].value(), values[2].value()};
    relations.emplace(words_.at(values[0].value()), ends);
    for (const auto& [id, stream] :
         {std::pair{ends.first, values[3].value()}, std::pair{ends.second, values[4].value()}}) {
      if (transactions.at(id).stream != streams_.at(stream)) {
        throw std::runtime_error("a relation that names another stream");
      }
    }
  }

  std::map<std::uint64_t, std::string> words_, streams_;
  std::map<std::uint64_t, std::pair<std::string, std::uint64_t>> generators_;
};

// A row of --messages by the names of its columns.
using Row = std::map<std::string, std::string>;
std::vector<Row> rows_of(const fs::path& csv) {
  std::istringstream lines(read_file(csv));
  const auto fields = [](const std::string& line) {
    std::vector<std::string> words;
    std::istringstream text(line + ",");
    for (std::string word; std::getline(text, word, ',');) words.push_back(word);
    return words;
  };
  std::string line;
  std::getline(lines, line);
  const std::vector<std::string> columns = fields(line);
  std::vector<Row> rows;
  while (std::getline(lines, line)) {
    const std::vector<std::string> values = fields(line);
    Row row;
    for (std::size_t i = 0; i < columns.size(); ++i) row[columns[i]] = values.at(i);
    rows.push_back(row);
  }
  return rows;
}

class FtrRun : public testing::InOwnFolder {
 protected:
  FtrRun() : InOwnFolder("ftr") {}

  // Runs with all three files.
  Output run(const std::string& words) {
    return shell(TORUSMU_BUILD "/torusmu " + words + " --quiet --ftr " + path("x.ftr") +
                 " --messages " + path("x.csv") + " --json " + path("x.json"));
  }
  [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }
  [[nodiscard]] Ftr ftr() const { return Ftr(read_file(path("x.ftr"))); }
  [[nodiscard]] std::vector<Row> rows(const std::string& of) const {
    std::vector<Row> found;
    for (const Row& row : rows_of(path("x.csv"))) {
      if (row.at("of") == of) found.push_back(row);
    }
    return found;
  }
  [[nodiscard]] nlohmann::json json() const {
    return nlohmann::json::parse(read_file(path("x.json")));
  }
};

// Adds up an attribute of transactions.
std::uint64_t sum(const Ftr& ftr, const std::vector<std::uint64_t>& ids, const std::string& name) {
  std::uint64_t all = 0;
  for (const std::uint64_t id : ids) all += ftr.transactions.at(id).number.at(name);
  return all;
}

// What is wrong with the packets of a descriptor that ended well; the way of its last byte is
// appended to `way`.
std::vector<std::string> complaints_of_packets(const Ftr& ftr, std::uint64_t descriptor,
                                               std::vector<std::uint64_t>& completions) {
  std::vector<std::string> wrong;
  const Transaction& d = ftr.transactions.at(descriptor);
  const std::vector<std::uint64_t> packets = ftr.from(descriptor, "sends");
  if (packets.size() != d.number.at("packets")) wrong.emplace_back("number of packets");
  if (sum(ftr, packets, "bytes") != d.number.at("bytes")) wrong.emplace_back("bytes of packets");
  for (const std::uint64_t packet : packets) {
    const Transaction& p = ftr.transactions.at(packet);
    if (p.text.at("status") != "ARRIVED") wrong.emplace_back("a packet is lost");
    if (p.from < d.from || p.from > d.to) wrong.emplace_back("a packet before or behind");
    const std::vector<std::uint64_t> writes = ftr.from(packet, "writes");
    const std::uint64_t written = sum(ftr, writes, "bytes"), bytes = p.number.at("bytes");
    constexpr std::uint64_t kSlot = 32;
    const std::string& kind = d.text.at("kind");
    if (kind == "PUT" && written != bytes) wrong.emplace_back("bytes written of a PUT");
    if (kind == "FIFO" && written != kSlot + (bytes + kSlot - 1) / kSlot * kSlot) {
      wrong.emplace_back("bytes written of an entry");
    }
    std::vector<std::uint64_t> lasts = writes;
    lasts.push_back(packet);
    for (const std::uint64_t last : lasts) {
      const Transaction& l = ftr.transactions.at(last);
      if (l.to < p.from) wrong.emplace_back("written before it is sent");
      for (const std::uint64_t end : ftr.from(last, "completes")) {
        completions.push_back(end);
        if (last == packet && !writes.empty()) wrong.emplace_back("completes without a write");
        if (ftr.transactions.at(end).from < l.to) wrong.emplace_back("completes too early");
      }
    }
  }
  if (completions.size() != 1) wrong.emplace_back("number of completions");
  return wrong;
}

class FtrScenario : public FtrRun, public ::testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    const Output output = run("scenario " + std::string(GetParam()));
    ASSERT_EQ(output.status, 0) << output.text;
    EXPECT_THAT(output.text, IsEmpty());
  }
};

TEST_P(FtrScenario, HasItsChunksInTheirOrder) {
  const Ftr file = ftr();
  ASSERT_GT(file.chunks.size(), 5U);
  EXPECT_TRUE(std::is_sorted(file.chunks.begin(), file.chunks.end()));
  const std::set<std::uint64_t> tags(file.chunks.begin(), file.chunks.end());
  EXPECT_THAT(tags, ElementsAre(6, 8, 10, 12, 14));
  EXPECT_EQ(std::count(file.chunks.begin(), file.chunks.end(), 8), 1);
  EXPECT_EQ(file.time_scale, -9);  // a cycle is a nanosecond, as in the waves
}

// Each transfer of --messages is one descriptor, with the same times.
TEST_P(FtrScenario, HasTheTransfersOfTheTables) {
  const Ftr file = ftr();
  std::multiset<std::string> wanted, found;
  const auto key = [](std::uint64_t from, std::uint64_t to, const std::string& kind,
                      std::uint64_t bytes, std::uint64_t begin) {
    return std::to_string(from) + ">" + std::to_string(to) + " " + kind + " " +
           std::to_string(bytes) + " @" + std::to_string(begin);
  };
  for (const Row& row : rows("transfer")) {
    const std::string& begin =
        row.at("doorbell").empty() ? row.at("first_out") : row.at("doorbell");
    wanted.insert(key(std::stoull(row.at("from")), std::stoull(row.at("to")), row.at("kind"),
                      std::stoull(row.at("bytes")), std::stoull(begin)));
  }
  for (const std::uint64_t id : file.of("descriptor")) {
    const Transaction& d = file.transactions.at(id);
    found.insert(key(d.number.at("source"), d.number.at("destination"),
                     d.text.at("kind") + (d.text.contains("for") ? " of " + d.text.at("for") : ""),
                     d.number.at("bytes"), d.from));
  }
  EXPECT_GT(found.size(), 10U);
  EXPECT_EQ(found, wanted);
}

// A descriptor that ended well leads to its packets, these to their writes and to one completion,
// in the cycle that --messages says.
TEST_P(FtrScenario, LinksDescriptorsToTheirEnds) {
  const Ftr file = ftr();
  std::multiset<std::uint64_t> wanted, found;
  for (const Row& row : rows("transfer")) {
    const bool is_put = row.at("kind").starts_with("PUT");
    if (!row.at("in_memory").empty()) wanted.insert(std::stoull(row.at("in_memory")));
    if (is_put && row.at("in_memory").empty()) wanted.insert(std::stoull(row.at("arrived")));
  }
  std::size_t refused = 0;
  for (const std::uint64_t id : file.of("descriptor")) {
    const Transaction& d = file.transactions.at(id);
    if (d.text.at("status") != "OK") {
      ++refused;
      continue;
    }
    std::vector<std::uint64_t> completions;
    EXPECT_THAT(complaints_of_packets(file, id, completions), IsEmpty()) << id;
    if (d.text.at("kind") == "GET") continue;
    for (const std::uint64_t end : completions) found.insert(file.transactions.at(end).from);
  }
  EXPECT_EQ(found, wanted);
  EXPECT_EQ(file.of("completion").size() + refused, file.of("descriptor").size());
}

TEST_P(FtrScenario, StaysWithinTheRun) {
  const Ftr file = ftr();
  const auto cycles = json().at("cycles").get<std::uint64_t>();
  for (const auto& [id, transaction] : file.transactions) {
    EXPECT_LE(transaction.to, cycles) << transaction.generator;
  }
}

TEST_P(FtrScenario, SaysWhyWhatWasRefusedWasRefused) {
  const Ftr file = ftr();
  std::set<std::uint64_t> sources;
  const auto [begin, end] = file.relations.equal_range("is refused by");
  for (auto r = begin; r != end; ++r) {
    const Transaction& refusal = file.transactions.at(r->second.second);
    sources.insert(r->second.first);
    EXPECT_THAT(refusal.text.at("status"), Not(Eq("OK")));
  }
  for (const std::uint64_t id : file.of("descriptor")) {
    const std::string& status = file.transactions.at(id).text.at("status");
    if (status == "OK") continue;
    const std::vector<std::uint64_t> packets = file.from(id, "sends");
    ASSERT_FALSE(packets.empty());
    EXPECT_TRUE(sources.contains(packets.back())) << status;
  }
}

INSTANTIATE_TEST_SUITE_P(Scenarios, FtrScenario,
                         ::testing::Values("put", "reflection", "get", "fifo"),
                         [](const auto& chosen) { return std::string(chosen.param); });

// The journey of a reflection: a GET, the PUT that it fetches, and the interrupt that this raises.
TEST_F(FtrRun, OfAReflectionLeadsFromTheGetToTheInterrupt) {
  ASSERT_EQ(run("scenario reflection").status, 0);
  const Ftr file = ftr();
  std::size_t gets = 0, raised = 0;
  for (const std::uint64_t id : file.of("descriptor")) {
    const Transaction& get = file.transactions.at(id);
    if (get.text.at("kind") != "GET") continue;
    ++gets;
    std::vector<std::uint64_t> completions;
    EXPECT_THAT(complaints_of_packets(file, id, completions), IsEmpty());
    const std::vector<std::uint64_t> puts = file.from(completions.at(0), "fetches");
    ASSERT_THAT(puts, SizeIs(get.number.at("bytes") / 64));
    for (const std::uint64_t put : puts) {
      const Transaction& p = file.transactions.at(put);
      EXPECT_EQ(p.text.at("for"), "a get");
      EXPECT_EQ(p.number.at("destination"), get.number.at("source"));
      EXPECT_EQ(p.number.at("index"), get.number.at("number"));
      EXPECT_GE(p.from, file.transactions.at(completions[0]).from);
      completions.clear();
      EXPECT_THAT(complaints_of_packets(file, put, completions), IsEmpty());
      raised += file.from(completions.at(0), "raises").size();
    }
  }
  EXPECT_GT(gets, 0U);
  // The last interrupt is raised by a core that touches memory.
  EXPECT_EQ(raised + 1, file.of("client_0").size());
  EXPECT_GT(raised, 0U);
}

TEST_F(FtrRun, OfAReplayCarriesTheMessagesOfItsProgram) {
  ASSERT_EQ(run("replay tests/traces/lulesh-8.trace").status, 0);
  const Ftr file = ftr();
  std::multiset<std::string> wanted, found;
  for (const Row& row : rows("message")) {
    wanted.insert(row.at("from_rank") + ">" + row.at("to_rank") + " " + row.at("tag") + " " +
                  row.at("bytes") + " @" + row.at("called") + "-" + row.at("complete"));
  }
  for (const std::uint64_t id : file.of("message")) {
    const Transaction& m = file.transactions.at(id);
    found.insert(std::to_string(m.number.at("from rank")) + ">" +
                 std::to_string(m.number.at("to rank")) + " " + std::to_string(m.number.at("tag")) +
                 " " + std::to_string(m.number.at("bytes")) + " @" + std::to_string(m.from) + "-" +
                 std::to_string(m.to));
    const std::vector<std::uint64_t> carriers = file.from(id, "is carried by");
    ASSERT_EQ(carriers.size(), m.text.at("kind") == "not on a link" ? 0U : 1U);
    for (const std::uint64_t carrier : carriers) {
      EXPECT_EQ(file.transactions.at(carrier).number.at("bytes"), m.number.at("bytes"));
      EXPECT_GE(file.transactions.at(carrier).to, m.from);
    }
  }
  EXPECT_GT(found.size(), 100U);
  EXPECT_EQ(found, wanted);
  EXPECT_EQ(file.of("descriptor").size(), rows("transfer").size());
}

TEST_F(FtrRun, TellsOfCompletionEntries) {
  ASSERT_EQ(run("scenario discard").status, 0);
  const Ftr file = ftr();
  std::size_t sends = 0;
  for (const std::uint64_t id : file.of("completion")) {
    const Transaction& end = file.transactions.at(id);
    for (const std::uint64_t entry : file.from(id, "is reported by")) {
      const Transaction& e = file.transactions.at(entry);
      EXPECT_THAT(e.text.at("opcode"), AnyOf("SEND", "RECEIVE"));
      EXPECT_EQ(e.number.at("bytes"), end.number.at("bytes"));
      sends += e.text.at("opcode") == "SEND" ? 1U : 0U;
    }
  }
  EXPECT_GT(sends, 10U);
}

TEST_F(FtrRun, ThatFailsShowsWhatWasLost) {
  EXPECT_EQ(run("scenario put --inject drop-packet:40").status, 1);
  const Ftr file = ftr();
  std::vector<std::string> lost;
  for (const std::uint64_t id : file.of("descriptor")) {
    if (file.transactions.at(id).text.at("status") == "OK") continue;
    lost.push_back(file.transactions.at(id).text.at("status"));
    for (const std::uint64_t packet : file.from(id, "sends")) {
      EXPECT_THAT(file.from(packet, "completes"), IsEmpty());
    }
  }
  EXPECT_THAT(lost, ElementsAre("LOST"));
  std::size_t packets = 0;
  for (const std::uint64_t id : file.of("packet")) {
    packets += file.transactions.at(id).text.at("status") == "LOST" ? 1U : 0U;
  }
  EXPECT_EQ(packets, 1U);
}

// One that ends before anything was sent.
TEST_F(FtrRun, WithoutMessagesHasAnEmptyDirectory) {
  EXPECT_EQ(run("scenario put --stop-at 100").status, 1);
  const Ftr file = ftr();
  EXPECT_THAT(file.chunks, ElementsAre(6, 8, 10));
  EXPECT_THAT(file.transactions, IsEmpty());
}

TEST_F(FtrRun, IsTheSameOnBothEngines) {
  ASSERT_EQ(run("scenario put --engine fast --threads 2").status, 0);
  const std::string fast = read_file(path("x.ftr"));
  ASSERT_EQ(run("scenario put --engine mesh").status, 0);
  EXPECT_TRUE(read_file(path("x.ftr")) == fast);
}

TEST_F(FtrRun, RefusesFilesThatItCannotWriteAndBenches) {
  const Output nowhere = shell(TORUSMU_BUILD "/torusmu scenario put --ftr /nonexistent/x.ftr");
  EXPECT_EQ(nowhere.status, 2);
  EXPECT_THAT(nowhere.text, HasSubstr("--ftr: cannot write /nonexistent/x.ftr"));
  const Output twice =
      shell(TORUSMU_BUILD "/torusmu scenario put --ftr " + path("a") + " --json " + path("a"));
  EXPECT_EQ(twice.status, 2);
  EXPECT_THAT(twice.text, HasSubstr("--ftr"));
  const Output bench = shell(TORUSMU_BUILD "/torusmu bench put --ftr " + path("a"));
  EXPECT_EQ(bench.status, 2);
  EXPECT_THAT(bench.text, HasSubstr("--ftr: each bench has machines of its own"));
  EXPECT_FALSE(fs::exists(path("a")));
}

}  // namespace
}  // namespace torusmu
