// SPDX-License-Identifier: Apache-2.0
// What a model that is verilated with --trace takes for a writer of waves, and counts toggles
// instead. (--coverage-toggle of Verilator 5.006 makes 275 MB of C++ of the node.) It is included
// in the place of verilated_vcd_c.h and has the names that the written C++ uses.
//
// A bit has toggled when it has had both values after an evaluation. A table of bits is kept for
// each model; its instances have their last values.
#ifndef TORUSMU_TESTS_COVERAGE_TOGGLES_H_
#define TORUSMU_TESTS_COVERAGE_TOGGLES_H_

#include <verilated.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tests/coverage/recorder.h"

// What a writer of waves would be told of the model.
class VerilatedTraceConfig {
 public:
  VerilatedTraceConfig(bool, bool, bool) {}
};

class VerilatedVcdBuffer {
 public:
  void resize(std::uint32_t words, torusmu::coverage::ToggleTable* table) {
    old_.resize(words);
    table_ = table;
  }
  std::uint32_t* oldp(std::uint32_t code) { return old_.data() + code; }

  void fullBit(std::uint32_t* old, CData value) { *old = value; }
  void fullCData(std::uint32_t* old, CData value, int) { *old = value; }
  void fullSData(std::uint32_t* old, SData value, int) { *old = value; }
  void fullIData(std::uint32_t* old, IData value, int) { *old = value; }
  void fullQData(std::uint32_t* old, QData value, int) { std::memcpy(old, &value, sizeof value); }
  void fullWData(std::uint32_t* old, const WData* value, int bits) {
    for (int i = 0; i < (bits + 31) / 32; ++i) old[i] = value[i];
  }
  void chgBit(std::uint32_t* old, CData value) { word(old, value); }
  void chgCData(std::uint32_t* old, CData value, int) { word(old, value); }
  void chgSData(std::uint32_t* old, SData value, int) { word(old, value); }
  void chgIData(std::uint32_t* old, IData value, int) { word(old, value); }
  void chgQData(std::uint32_t* old, QData value, int) {
    word(old, static_cast<std::uint32_t>(value));
    word(old + 1, static_cast<std::uint32_t>(value >> 32));
  }
  void chgWData(std::uint32_t* old, const WData* value, int bits) {
    for (int i = 0; i < (bits + 31) / 32; ++i) word(old + i, value[i]);
  }

 private:
  void word(std::uint32_t* old, std::uint32_t value) {
    const std::uint32_t change = *old ^ value;
    if (change == 0) return;
    table_->toggled[static_cast<std::size_t>(old - old_.data())] |= change;
    *old = value;
  }

  std::vector<std::uint32_t> old_;
  torusmu::coverage::ToggleTable* table_ = nullptr;
};

class VerilatedVcd {
 public:
  using Buffer = VerilatedVcdBuffer;
  using Init = void (*)(void*, VerilatedVcd*, std::uint32_t);
  using Dump = void (*)(void*, Buffer*);
  using Cleanup = void (*)(void*, VerilatedVcd*);

  // What the model says of itself.
  void addModel(VerilatedModel*) {}
  void addInitCb(Init init, void* model) {
    init_ = init;
    model_ = model;
  }
  void addFullCb(Dump full, void*) { full_ = full; }
  void addChgCb(Dump change, void*) { change_ = change; }
  void addCleanupCb(Cleanup cleanup, void*) { cleanup_ = cleanup; }
  void scopeEscape(char) {}
  void pushNamePrefix(const std::string& name) { scopes_.push_back(name); }
  void popNamePrefix(unsigned count = 1) { scopes_.resize(scopes_.size() - count); }
  void declBit(std::uint32_t code, const char* name, bool array, int) {
    declare(code, name, array, 0, 0, true);
  }
  void declBus(std::uint32_t code, const char* name, bool array, int, int msb, int lsb) {
    declare(code, name, array, msb, lsb, false);
  }
  void declQuad(std::uint32_t code, const char* name, bool array, int, int msb, int lsb) {
    declare(code, name, array, msb, lsb, false);
  }
  void declArray(std::uint32_t code, const char* name, bool array, int, int msb, int lsb) {
    declare(code, name, array, msb, lsb, false);
  }

  // After each evaluation.
  void sample() {
    if (table_ == nullptr) {
      begin();
    } else {
      change_(model_, &buffer_);
      cleanup_(model_, this);
    }
  }

 private:
  // Machines may be evaluated by several threads from their first cycle on.
  void begin() {
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    table_ = &torusmu::coverage::toggle_table(reinterpret_cast<const void*>(init_));
    init_(model_, this, 0);
    table_->toggled.resize(words_);
    table_->known = true;
    buffer_.resize(words_, table_);
    full_(model_, &buffer_);
    cleanup_(model_, this);
  }
  void declare(std::uint32_t code, const char* name, bool array, int msb, int lsb, bool bit) {
    const auto bits = static_cast<std::uint32_t>(msb > lsb ? msb - lsb : lsb - msb) + 1;
    words_ = std::max(words_, code + (bits + 31) / 32 + 1);
    // The elements of memories are not signals.
    if (!table_->known && !array) table_->declare(scopes_, name, code, lsb, bits, bit);
  }

  Init init_ = nullptr;
  Dump full_ = nullptr;
  Dump change_ = nullptr;
  Cleanup cleanup_ = nullptr;
  void* model_ = nullptr;
  torusmu::coverage::ToggleTable* table_ = nullptr;
  std::uint32_t words_ = 0;
  std::vector<std::string> scopes_;
  Buffer buffer_;
};

class VerilatedVcdC {
 public:
  [[nodiscard]] bool isOpen() const { return false; }
  VerilatedVcd* spTrace() { return &trace_; }
  // tests/coverage/model.awk has the model's evaluation call this at its end.
  template <typename Model>
  void sample(Model& model) {
    if (!known_) {
      known_ = true;
      model.contextp()->calcUnusedSigs(true);
      model.trace(this, 99, 0);
    }
    trace_.sample();
  }

  // The same for a large model, which is looked at after one evaluation in five: it is several
  // times faster, and what is missed is only what lasts no longer.
  template <typename Model>
  void sample_some(Model& model) {
    if (++evaluations_ % 5 == 0) sample(model);
  }

 private:
  bool known_ = false;
  unsigned evaluations_ = 0;
  VerilatedVcd trace_;
};

#endif  // TORUSMU_TESTS_COVERAGE_TOGGLES_H_
