// SPDX-License-Identifier: Apache-2.0
// The seed of a random test: printed with every failure, replayed by TORUSMU_SEED=N.

#ifndef TESTS_SUPPORT_SEED_H_
#define TESTS_SUPPORT_SEED_H_

#include <cstdint>
#include <random>
#include <string>

namespace torusmu::testing {

// The value of the environment variable TORUSMU_SEED if set, `otherwise` if not. Throws
// std::invalid_argument if it is not a number.
std::uint64_t seed_or(std::uint64_t otherwise);

// A generator of random stimulus. Make it in the test's body together with
// SCOPED_TRACE(random.replay()), so that a failure shows how to repeat it.
class Random {
 public:
  explicit Random(std::uint64_t default_seed = 1);

  std::uint64_t seed() const { return seed_; }
  // "seed 7: repeat with TORUSMU_SEED=7".
  std::string replay() const;
  // Uniform in [0, bound); bound > 0.
  std::uint64_t below(std::uint64_t bound);
  std::uint64_t bits64() { return engine_(); }
  // True with a probability of `percent` in a hundred.
  bool chance(unsigned percent) { return below(100) < percent; }

 private:
  std::uint64_t seed_;
  std::mt19937_64 engine_;
};

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_SEED_H_
