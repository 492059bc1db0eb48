// SPDX-License-Identifier: Apache-2.0
#include "sim/play/scenario/calc_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "sim/machine/mix.h"

namespace torusmu {
namespace {

// The source bytes: six areas, each a matrix of 32 rows of 512 bytes where it holds numbers.
constexpr Bytes kAreaBytes = 0x4000;
constexpr Bytes kIntegers = 0, kFloats = kAreaBytes, kDoubles = 2 * kAreaBytes;
constexpr Bytes kDoubleRecords =
    3 * kAreaBytes;                              // of double, index, 4 zeros and 8 bytes of padding
constexpr Bytes kFloatRecords = 4 * kAreaBytes;  // of float, index and 12 bytes of padding
constexpr Bytes kShorts = 5 * kAreaBytes;        // of 16 bits, among them floats of both formats
constexpr std::int64_t kPitch = 512;
constexpr std::int64_t kDoubleRecord = 24, kFloatRecord = 20;
constexpr std::uint32_t kMostSide = 8;  // of a block: 64 pairs of 16 bytes are kMostCalcBytes

constexpr std::array kReductions{Reduction::kMax,      Reduction::kMin,    Reduction::kSum,
                                 Reduction::kProd,     Reduction::kLand,   Reduction::kBand,
                                 Reduction::kLor,      Reduction::kBor,    Reduction::kLxor,
                                 Reduction::kBxor,     Reduction::kMaxloc, Reduction::kMinloc,
                                 Reduction::kMinmaxloc};
constexpr std::array kElements{Element::kI32, Element::kU32, Element::kI64, Element::kU64,
                               Element::kF32, Element::kF64, Element::kI8,  Element::kU8,
                               Element::kI16, Element::kU16, Element::kF16, Element::kBf16};

bool is_float(Element element) {
  return element == Element::kF32 || element == Element::kF64 || element == Element::kF16 ||
         element == Element::kBf16;
}
bool is_defined(Reduction op, Element element) {
  return !is_float(element) || op <= Reduction::kProd || finds_place(op);
}
template <typename T>
void put(std::vector<std::byte>& bytes, Bytes at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

// A quarter are one of four values, so that there are ties, zeros and ones.
template <typename T>
T number(Rng& random) {
  const std::uint64_t bits = random.next();
  if (bits % 4 == 0) return static_cast<T>(bits >> 8U & 3U);
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(bits);
  } else {
    const auto part = static_cast<T>(bits >> 40U) / static_cast<T>(1 << 12);
    return (bits >> 8U & 1U) != 0 ? -part : part + static_cast<T>(0.1);
  }
}

// Floats of both formats of 16 bits: mostly of small numbers, sometimes any.
std::uint16_t short_number(Rng& random) {
  constexpr std::array<std::uint16_t, 4> kSome{0x0000, 0x8000, 0x3C00, 0x3F80};
  const std::uint64_t bits = random.next();
  if (bits % 4 == 0) return kSome.at(bits >> 8U & 3U);
  if (bits % 16 == 1) return static_cast<std::uint16_t>(bits >> 8U);
  return static_cast<std::uint16_t>((bits >> 8U & 0x8FFFU) | 0x3000U);
}

// --- the list of jobs ---------------------------------------------------------------------------

class Jobs {
 public:
  explicit Jobs(std::uint64_t seed) : random_(mix(seed) + 5) {}

  std::vector<CalcJob> make() {
    add_by_name();
    add_all();
    add_apart();
    add_with_index();
    add_loaded();
    add_in_descriptors();
    add_refused();
    return std::move(jobs_);
  }

 private:
  static Bytes area_of(Element element) {
    if (width_of(element) == 2) return kShorts;
    return element == Element::kF32 ? kFloats : element == Element::kF64 ? kDoubles : kIntegers;
  }
  static Bytes place(Bytes area, std::uint32_t row, Bytes column_bytes) {
    return area + row * kPitch + column_bytes;
  }

  void add_by_name() {
    constexpr std::int64_t kDouble = 8, kWord = 4;
    jobs_.push_back({.name = "column of a matrix",
                     .element = Element::kF64,
                     .elements = 32,
                     .operands = {{place(kDoubles, 0, 40), kPitch}}});
    jobs_.push_back({.name = "sum of three columns",
                     .element = Element::kF64,
                     .elements = 32,
                     .operands = {{place(kDoubles, 0, 8), kPitch},
                                  {place(kDoubles, 0, 496), kPitch},
                                  {place(kDoubles, 0, 136), kPitch}}});
    jobs_.push_back({.name = "sum of three columns of bytes",
                     .element = Element::kU8,
                     .elements = 32,
                     .operands = {{place(kIntegers, 0, 3), kPitch},
                                  {place(kIntegers, 0, 498), kPitch},
                                  {place(kIntegers, 0, 141), kPitch}}});
    jobs_.push_back({.name = "sum of two rows of bfloat16",
                     .element = Element::kBf16,
                     .elements = 201,
                     .operands = {{place(kShorts, 5, 34), 2}, {place(kShorts, 11, 6), 2}}});
    jobs_.push_back({.name = "transpose",
                     .element = Element::kU32,
                     .elements = 7 * 32,
                     .row_elements = 32,
                     .operands = {{place(kIntegers, 0, 12), kPitch, kWord}}});
    jobs_.push_back({.name = "block plus a block transposed",
                     .element = Element::kF32,
                     .elements = 5 * 11,
                     .row_elements = 5,
                     .operands = {{place(kFloats, 3, 40), kWord, kPitch},
                                  {place(kFloats, 9, 100), kPitch, kWord}}});
    jobs_.push_back({.name = "row backwards",
                     .element = Element::kU64,
                     .elements = 60,
                     .operands = {{place(kIntegers, 4, 488), -kDouble}}});
    jobs_.push_back(
        {.name = "block times a number",
         .op = Reduction::kProd,
         .element = Element::kF64,
         .elements = 6 * 9,
         .row_elements = 9,
         .operands = {{place(kDoubles, 20, 24), kDouble, kPitch}, {place(kDoubles, 2, 8), 0, 0}}});
    add_planes();
    add_records();
  }
  // Three dimensions: of two blocks of 3 planes, 4 rows and 5 columns, one with its axes exchanged,
  // the sum, a CALC for each plane.
  void add_planes() {
    constexpr std::uint32_t kPlanes = 3, kRows = 4, kColumns = 5;
    constexpr std::int64_t kWord = 4;
    for (std::uint32_t plane = 0; plane < kPlanes; ++plane) {
      jobs_.push_back({.name = fmt::format("plane {} of the sum of two blocks", plane),
                       .element = Element::kI32,
                       .elements = kRows * kColumns,
                       .row_elements = kColumns,
                       .operands = {{place(kIntegers, plane * kRows, 44), kWord, kPitch},
                                    {place(kIntegers, 2, 200 + plane * Bytes{kWord}), kPitch,
                                     kColumns * kPitch}}});
    }
  }
  // The layout of MPI_DOUBLE_INT with its padding, in records that have more of it behind.
  void add_records() {
    jobs_.push_back({.name = "lowest of doubles with index and padding",
                     .op = Reduction::kMinloc,
                     .element = Element::kF64,
                     .elements = 40,
                     .operands = {{kDoubleRecords, kDoubleRecord},
                                  {kDoubleRecords + 100 * kDoubleRecord, kDoubleRecord},
                                  {kDoubleRecords + 300 * kDoubleRecord, -kDoubleRecord}}});
    CalcJob job{.name = "highest of floats with index and padding, of 16 vectors",
                .op = Reduction::kMaxloc,
                .element = Element::kF32,
                .elements = 50};
    for (Bytes n = 0; n < 16; ++n) {
      job.operands.push_back({kFloatRecords + n * 48 * kFloatRecord, kFloatRecord});
    }
    jobs_.push_back(job);
  }

  // Every operation with every type, with operands of other shapes each.
  void add_all() {
    for (const Reduction op : kReductions) {
      for (const Element element : kElements) {
        auto width = static_cast<std::uint32_t>(1 + random_.below(kMostSide));
        if (op == Reduction::kMinmaxloc) width += width % 2;
        const auto height = static_cast<std::uint32_t>(1 + random_.below(kMostSide));
        CalcJob job{.name = fmt::format("{} of {}", name_of(op), name_of(element)),
                    .op = op,
                    .element = element,
                    .elements = width * height,
                    .row_elements = width};
        const std::uint64_t operands = 2 + random_.below(3);
        for (std::uint64_t n = 0; n < operands; ++n) job.operands.push_back(some_vector(job));
        if (!is_defined(op, element)) job.status = Status::kReductionUndefined;
        jobs_.push_back(job);
      }
    }
  }
  // A block, a block transposed, one from its last element backwards, one row repeated, or one
  // element.
  CalcVector some_vector(const CalcJob& job) {
    const auto unit = static_cast<std::int64_t>(job.element_bytes());
    const Bytes first = place(area_of(job.element), static_cast<std::uint32_t>(random_.below(24)),
                              random_.below(20) * job.element_bytes());
    const auto back = (kMostSide - 1) * (kPitch + unit);
    switch (random_.below(5)) {
      case 0:
        return {first, unit, kPitch};
      case 1:
        return {first, kPitch, unit};
      case 2:
        return {first + static_cast<Bytes>(back), -unit, -kPitch};
      case 3:
        return {first, unit, 0};
      default:
        return {first, 0, 0};
    }
  }
  // Results whose elements or rows lie apart; bytes between them stay as they were.
  void add_apart() {
    constexpr std::int64_t kDouble = 8, kWord = 4;
    jobs_.push_back({.name = "row into a column",
                     .element = Element::kF64,
                     .elements = 12,
                     .operands = {{place(kDoubles, 6, 16), kDouble}},
                     .result = {0, 80}});
    jobs_.push_back({.name = "block into a block",
                     .element = Element::kU32,
                     .elements = 9 * 7,
                     .row_elements = 9,
                     .operands = {{place(kIntegers, 8, 20), kWord, kPitch}},
                     .result = {4, 0, 100}});
    jobs_.push_back({.name = "sum of two blocks, transposed where it goes",
                     .element = Element::kF32,
                     .elements = 8 * 6,
                     .row_elements = 8,
                     .operands = {{place(kFloats, 2, 4), kWord, kPitch},
                                  {place(kFloats, 14, 60), kWord, kPitch}},
                     .result = {0, 40, kWord}});
    jobs_.push_back(
        {.name = "bytes spread backwards",
         .op = Reduction::kBxor,
         .element = Element::kU8,
         .elements = 3 * 11,
         .row_elements = 11,
         .operands = {{place(kIntegers, 1, 7), 1, kPitch}, {place(kIntegers, 4, 90), kPitch, 1}},
         .result = {700, -3, -101}});
    jobs_.push_back({.name = "pairs into records",
                     .op = Reduction::kMaxloc,
                     .element = Element::kF64,
                     .elements = 20,
                     .operands = {{kDoubleRecords + 3 * kDoubleRecord, kDoubleRecord},
                                  {kDoubleRecords + 90 * kDoubleRecord, kDoubleRecord}},
                     .result = {8, kDoubleRecord}});
  }
  // Which operand has the largest, or the smallest, of each element: of every type.
  void add_with_index() {
    for (const Element element : kElements) {
      const auto unit = static_cast<std::int64_t>(width_of(element));
      CalcJob job{.name = fmt::format("which operand has the extreme of {}", name_of(element)),
                  .op = kPlaceSearches.at(random_.below(kPlaceSearches.size())),
                  .element = element,
                  .elements = static_cast<std::uint32_t>(2 * (1 + random_.below(30))),
                  .attach = true};
      const std::uint64_t operands = 1 + random_.below(16);
      for (std::uint64_t n = 0; n < operands; ++n) {
        job.operands.push_back({place(area_of(element), static_cast<std::uint32_t>(n), 0), unit});
      }
      jobs_.push_back(job);
    }
  }
  static ReductionStep step(StepOf changes, Reduction op, Element element) {
    namespace r = layout::reduction_step;
    return ReductionStep().set<r::changes>(changes).set<r::reduction>(op).set<r::element>(element);
  }
  static ReductionStep step(StepOf changes, Reduction op, Element element, std::uint64_t constant) {
    namespace r = layout::reduction_step;
    return step(changes, op, element).set<r::constant_valid>(1).set<r::constant>(constant);
  }
  static ReductionStep step(StepOf changes, Reduction op, double constant) {
    return step(changes, op, Element::kF64, std::bit_cast<std::uint64_t>(constant));
  }
  CalcJob four_rows(std::string name, Reduction op, Element element,
                    std::vector<ReductionStep> steps) {
    CalcJob job{.name = std::move(name),
                .op = op,
                .element = element,
                .elements = 50,
                .steps = std::move(steps)};
    for (std::uint32_t n = 0; n < 4; ++n) {
      job.operands.push_back({place(area_of(element), 9 + n, 32 * random_.below(3)),
                              static_cast<std::int64_t>(width_of(element))});
    }
    return job;
  }
  // What a program may load: each takes what the ALU has and puts it together anew.
  void add_loaded() {
    constexpr Element kF64 = Element::kF64;
    jobs_.push_back(four_rows("sum of squares", Reduction::kSum, kF64,
                              {step(StepOf::kOperand, Reduction::kProd, kF64)}));
    jobs_.push_back(four_rows("mean of four", Reduction::kSum, kF64,
                              {step(StepOf::kResult, Reduction::kProd, 0.25)}));
    jobs_.push_back(four_rows("polynomial", Reduction::kSum, kF64,
                              {step(StepOf::kSoFar, Reduction::kProd, 0.5)}));
    jobs_.push_back(
        four_rows("largest magnitude", Reduction::kMax, kF64,
                  {step(StepOf::kOperand, Reduction::kBand, Element::kU64, ~0ULL >> 1)}));
    jobs_.push_back(four_rows("sum that stays within bounds", Reduction::kSum, kF64,
                              {step(StepOf::kCombined, Reduction::kMin, 300.0),
                               step(StepOf::kCombined, Reduction::kMax, -300.0)}));
    jobs_.push_back(
        four_rows("whether any has one of these bits", Reduction::kBor, Element::kI32,
                  {step(StepOf::kResult, Reduction::kBand, Element::kI32, 0x00ff'0101'00ff'0101),
                   step(StepOf::kResult, Reduction::kLand, Element::kI32)}));
    jobs_.push_back(
        four_rows("all eight steps", Reduction::kSum, Element::kU16,
                  {step(StepOf::kOperand, Reduction::kBxor, Element::kU16, 0x1234'1234'1234'1234),
                   step(StepOf::kResult, Reduction::kMin, Element::kU16, 0xf000'f000'f000'f000),
                   step(StepOf::kOperand, Reduction::kSum, Element::kU16),
                   step(StepOf::kSoFar, Reduction::kBor, Element::kU16, 0x0001'0001'0001'0001),
                   step(StepOf::kCombined, Reduction::kProd, Element::kU16, 0x0003'0003'0003'0003),
                   step(StepOf::kCombined, Reduction::kSum, Element::kU16, 0x0007'0007'0007'0007),
                   step(StepOf::kSoFar, Reduction::kProd, Element::kU16),
                   step(StepOf::kResult, Reduction::kMax, Element::kU16, 0x0400'0400'0400'0400)}));
    jobs_.push_back(four_rows("nine steps", Reduction::kSum, kF64,
                              std::vector(9, step(StepOf::kResult, Reduction::kProd, 1.0))));
    jobs_.back().status = Status::kOperandsInvalid;
    jobs_.push_back(four_rows("a step that no float has", Reduction::kSum, kF64,
                              {step(StepOf::kResult, Reduction::kBand, kF64, 1)}));
    jobs_.back().status = Status::kReductionUndefined;
    jobs_.push_back(four_rows("a step of larger elements", Reduction::kSum, Element::kF32,
                              {step(StepOf::kResult, Reduction::kBand, Element::kU64, 1)}));
    jobs_.back().status = Status::kReductionUndefined;
  }

  void add_in_descriptors() {
    jobs_.push_back({.name = "copy without a list",
                     .element = Element::kU32,
                     .elements = 33,
                     .operands = {{place(kIntegers, 1, 4), 4}},
                     .immediate = true});
    jobs_.push_back({.name = "sum without a list",
                     .element = Element::kF64,
                     .elements = 21,
                     .operands = {{place(kDoubles, 7, 8), 8}, {place(kDoubles, 8, 24), 8}},
                     .immediate = true});
  }

  void refuse(CalcJob job, const char* name, Status status) {
    job.name = name;
    job.status = status;
    jobs_.push_back(job);
  }
  void add_refused() {
    CalcJob job{.name = "", .elements = 12, .row_elements = 4, .operands = {{kDoubles, 8, kPitch}}};
    CalcJob bad = job;
    bad.row_elements = 5;
    refuse(bad, "rows that are not whole", Status::kOperandsInvalid);
    bad = job;
    bad.operands.clear();
    refuse(bad, "no operand", Status::kOperandsInvalid);
    bad = job;
    bad.elements = 0;
    refuse(bad, "no element", Status::kLengthZero);
    bad = job;
    bad.attach = true;
    refuse(bad, "an index for a sum", Status::kOperandsInvalid);
    bad = job;
    bad.result = {0, std::int64_t{1} << 36};
    refuse(bad, "a result beyond its region", Status::kRegionBounds);
    bad = job;
    bad.operands.push_back({kCalcSourceBytes - 2 * kPitch - 24 - 7, 8, kPitch});
    refuse(bad, "last element one byte past the region", Status::kRegionBounds);
    bad = job;
    bad.operands.push_back({2 * kPitch + 24 - 1, -8, -kPitch});
    refuse(bad, "last element one byte before the region", Status::kRegionBounds);
  }

  Rng random_;
  std::vector<CalcJob> jobs_;
};

}  // namespace

Bytes CalcJob::element_bytes() const { return width_of(element) * (finds_place(op) ? 2 : 1); }

std::vector<std::byte> calc_source(std::uint64_t seed) {
  std::vector<std::byte> bytes(kCalcSourceBytes);
  Rng random(mix(seed) + 11);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.next());
  for (Bytes at = 0; at < kAreaBytes; at += 8) {
    put(bytes, kIntegers + at, number<std::uint64_t>(random));
    put(bytes, kFloats + at, number<float>(random));
    put(bytes, kFloats + at + 4, number<float>(random));
    put(bytes, kDoubles + at, number<double>(random));
  }
  for (Bytes at = 0; at + kDoubleRecord <= kAreaBytes; at += kDoubleRecord) {
    put(bytes, kDoubleRecords + at, number<double>(random));
    put(bytes, kDoubleRecords + at + 8, static_cast<std::uint32_t>(random.below(1000)));
    put(bytes, kDoubleRecords + at + 12, std::uint32_t{0});
  }
  for (Bytes at = 0; at + kFloatRecord <= kAreaBytes; at += kFloatRecord) {
    put(bytes, kFloatRecords + at, number<float>(random));
    put(bytes, kFloatRecords + at + 4, static_cast<std::uint32_t>(random.below(1000)));
  }
  for (Bytes at = 0; at < kAreaBytes; at += 2) put(bytes, kShorts + at, short_number(random));
  return bytes;
}

std::vector<CalcJob> calc_jobs(std::uint64_t seed) { return Jobs(seed).make(); }

}  // namespace torusmu
