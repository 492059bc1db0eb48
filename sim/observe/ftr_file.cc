// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/ftr_file.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

namespace torusmu {
namespace {

// Major types of CBOR.
constexpr unsigned kUnsigned = 0, kNegative = 1, kBytes = 2, kText = 3, kArray = 4, kMap = 5,
                   kTag = 6;
constexpr char kBreak = '\xff';
constexpr char kEndlessArray = '\x9f';  // up to a break

// Tags of chunks whose contents are not compressed, and of what is in them.
constexpr unsigned kInfo = 6, kDictionary = 8, kDirectory = 10, kBlock = 12, kRelations = 14;
constexpr unsigned kStream = 16, kGenerator = 17;
constexpr unsigned kEvent = 6;
constexpr unsigned kSelfDescribed = 55799, kEpoch = 1;
// Types of attributes.
constexpr unsigned kUnsignedValue = 3, kString = 10;

void put_head(std::string& out, unsigned major, std::uint64_t value) {
  constexpr unsigned kMajorBits = 5;
  constexpr std::uint64_t kShort = 24;  // smaller values stand in the head itself
  const auto type = static_cast<unsigned char>(major << kMajorBits);
  if (value < kShort) {
    out += static_cast<char>(type | value);
    return;
  }
  unsigned log_bytes = 0;
  while (log_bytes < 3 && value >> (8U << log_bytes) != 0) ++log_bytes;
  out += static_cast<char>(type | (kShort + log_bytes));
  for (unsigned shift = 8U << log_bytes; shift != 0; shift -= 8) {
    out += static_cast<char>(value >> (shift - 8) & 0xff);
  }
}
void put_string(std::string& out, unsigned major, std::string_view text) {
  put_head(out, major, text.size());
  out += text;
}
void put_array(std::string& out, std::initializer_list<std::uint64_t> values) {
  put_head(out, kArray, values.size());
  for (const std::uint64_t value : values) put_head(out, kUnsigned, value);
}
std::string chunk(unsigned tag, std::string_view content) {
  std::string out;
  put_head(out, kTag, tag);
  put_string(out, kBytes, content);
  return out;
}

// Times are nanoseconds. The moment of writing is left out, so that equal runs give equal files.
std::string info() {
  constexpr unsigned kNanoseconds = 9;
  std::string content;
  put_head(content, kArray, 2);
  put_head(content, kNegative, kNanoseconds - 1);
  put_head(content, kTag, kEpoch);
  put_head(content, kUnsigned, 0);
  return chunk(kInfo, content);
}

}  // namespace

FtrFile::Id FtrFile::word(std::string_view text) {
  const auto found = words_.find(text);
  if (found != words_.end()) return found->second;
  const Id id = words_.size() + 1;
  words_.emplace(text, id);
  return id;
}

FtrFile::Id FtrFile::stream(const std::string& name, const std::string& kind) {
  const auto [at, is_new] = stream_ids_.try_emplace(name, streams_.size() + 1);
  if (is_new) streams_.push_back({name, kind, {}});
  return at->second;
}

FtrFile::Id FtrFile::generator(Id stream, const std::string& name) {
  const auto [at, is_new] =
      streams_[stream - 1].generators.try_emplace(name, generators_.size() + 1);
  if (is_new) generators_.push_back({stream, name});
  return at->second;
}

FtrFile::Id FtrFile::add(Id generator, std::uint64_t from, std::uint64_t to) {
  transactions_.push_back({generator, from, to, 0, {}});
  return transactions_.size();
}

void FtrFile::attribute(Id transaction, unsigned tag, std::string_view name, std::uint64_t value) {
  Transaction& to = transactions_[transaction - 1];
  ++to.attributes;
  put_head(to.encoded, kTag, tag);
  put_array(to.encoded, {word(name), kUnsignedValue, value});
}

void FtrFile::attribute(Id transaction, unsigned tag, std::string_view name,
                        std::string_view text) {
  Transaction& to = transactions_[transaction - 1];
  ++to.attributes;
  put_head(to.encoded, kTag, tag);
  put_array(to.encoded, {word(name), kString, word(text)});
}

void FtrFile::relate(std::string_view name, Id source, Id sink) {
  relations_.push_back({word(name), source, sink});
}

FtrFile::Id FtrFile::stream_of(Id transaction) const {
  return generators_[transactions_[transaction - 1].generator - 1].stream;
}

std::string FtrFile::dictionary() const {
  std::vector<std::pair<Id, std::string_view>> sorted;
  for (const auto& [text, id] : words_) sorted.emplace_back(id, text);
  std::sort(sorted.begin(), sorted.end());
  std::string content;
  put_head(content, kMap, sorted.size());
  for (const auto& [id, text] : sorted) {
    put_head(content, kUnsigned, id);
    put_string(content, kText, text);
  }
  return chunk(kDictionary, content);
}

std::string FtrFile::directory() {
  std::string content(1, kEndlessArray);
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    put_head(content, kTag, kStream);
    put_array(content, {i + 1, word(streams_[i].name), word(streams_[i].kind)});
  }
  for (std::size_t i = 0; i < generators_.size(); ++i) {
    put_head(content, kTag, kGenerator);
    put_array(content, {i + 1, word(generators_[i].name), generators_[i].stream});
  }
  content += kBreak;
  return chunk(kDirectory, content);
}

// The transactions of a stream by their begin, in blocks that a reader can pass over.
std::string FtrFile::blocks() const {
  constexpr std::size_t kBlockBytes = 65'536;
  std::vector<std::vector<Id>> of_stream(streams_.size());
  for (Id id = 1; id <= transactions_.size(); ++id) of_stream[stream_of(id) - 1].push_back(id);
  std::string out;
  for (std::size_t s = 0; s < of_stream.size(); ++s) {
    std::vector<Id>& ids = of_stream[s];
    std::stable_sort(ids.begin(), ids.end(), [&](Id a, Id b) {
      return transactions_[a - 1].from < transactions_[b - 1].from;
    });
    for (std::size_t at = 0; at < ids.size();) {
      std::string content(1, kEndlessArray);
      const std::uint64_t from = transactions_[ids[at] - 1].from;
      std::uint64_t to = 0;
      for (; at < ids.size() && content.size() < kBlockBytes; ++at) {
        const Transaction& transaction = transactions_[ids[at] - 1];
        put_head(content, kArray, transaction.attributes + 1);
        put_head(content, kTag, kEvent);
        put_array(content, {ids[at], transaction.generator, transaction.from, transaction.to});
        content += transaction.encoded;
        to = std::max(to, transaction.to);
      }
      content += kBreak;
      put_head(out, kTag, kBlock);
      put_head(out, kArray, 4);
      for (const std::uint64_t value : {std::uint64_t{s + 1}, from, to}) {
        put_head(out, kUnsigned, value);
      }
      put_string(out, kBytes, content);
    }
  }
  return out;
}

std::string FtrFile::relations() const {
  if (relations_.empty()) return "";
  std::string content(1, kEndlessArray);
  for (const Relation& r : relations_) {
    put_array(content, {r.name, r.source, r.sink, stream_of(r.source), stream_of(r.sink)});
  }
  content += kBreak;
  return chunk(kRelations, content);
}

std::string FtrFile::bytes() {
  const std::string places = directory();  // its words go into the dictionary
  std::string out;
  put_head(out, kTag, kSelfDescribed);
  out += kEndlessArray;
  out += info() + dictionary() + places + blocks() + relations();
  out += kBreak;
  return out;
}

}  // namespace torusmu
