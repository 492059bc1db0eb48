// SPDX-License-Identifier: Apache-2.0
// A file of transactions in the format FTR of Minres, which Surfer and SCViewer read: CBOR (RFC
// 8949), a tagged array of chunks: what the times mean, a dictionary of all strings, the directory
// of streams and their generators, the transactions of each stream, and relations between them.
#ifndef TORUSMU_SIM_OBSERVE_FTR_FILE_H_
#define TORUSMU_SIM_OBSERVE_FTR_FILE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace torusmu {

class FtrFile {
 public:
  using Id = std::uint64_t;  // from 1, of each sort

  // Of that name, made when it is first asked for.
  Id stream(const std::string& name, const std::string& kind);
  Id generator(Id stream, const std::string& name);

  // One transaction; `from` and `to` in nanoseconds.
  Id add(Id generator, std::uint64_t from, std::uint64_t to);
  // What is known of it when it begins, and what when it ends.
  void at_begin(Id transaction, std::string_view name, std::uint64_t value) {
    attribute(transaction, kBegin, name, value);
  }
  void at_begin(Id transaction, std::string_view name, std::string_view text) {
    attribute(transaction, kBegin, name, text);
  }
  void at_end(Id transaction, std::string_view name, std::uint64_t value) {
    attribute(transaction, kEnd, name, value);
  }
  void at_end(Id transaction, std::string_view name, std::string_view text) {
    attribute(transaction, kEnd, name, text);
  }
  void relate(std::string_view name, Id source, Id sink);

  // Called once, when all is told.
  [[nodiscard]] std::string bytes();

 private:
  static constexpr unsigned kBegin = 7, kEnd = 9;  // tags of attributes

  struct Transaction {
    Id generator;
    std::uint64_t from, to;
    std::size_t attributes = 0;
    std::string encoded;  // the attributes
  };
  struct Generator {
    Id stream;
    std::string name;
  };
  struct Stream {
    std::string name, kind;
    std::map<std::string, Id> generators;
  };
  struct Relation {
    Id name, source, sink;
  };
  Id word(std::string_view text);
  void attribute(Id transaction, unsigned tag, std::string_view name, std::uint64_t value);
  void attribute(Id transaction, unsigned tag, std::string_view name, std::string_view text);
  [[nodiscard]] Id stream_of(Id transaction) const;
  [[nodiscard]] std::string directory();
  [[nodiscard]] std::string dictionary() const;
  [[nodiscard]] std::string blocks() const;
  [[nodiscard]] std::string relations() const;

  std::map<std::string, Id, std::less<>> words_;
  std::map<std::string, Id> stream_ids_;
  std::vector<Stream> streams_;
  std::vector<Generator> generators_;
  std::vector<Transaction> transactions_;
  std::vector<Relation> relations_;
};

}  // namespace torusmu

#endif  // TORUSMU_SIM_OBSERVE_FTR_FILE_H_
