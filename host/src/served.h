// SPDX-License-Identifier: Apache-2.0
// What advance() asks of the parts of a context now and then.
#ifndef TORUSMU_HOST_SRC_SERVED_H_
#define TORUSMU_HOST_SRC_SERVED_H_

namespace torusmu {

class Served {
 public:
  // The send queue was found full, by this part or another, and has room again.
  virtual void use_room() = 0;
  // A timer is due, perhaps one of this part. All are disarmed: whoever still waits arms its own.
  virtual void run_timers() = 0;

 protected:
  ~Served() = default;
};

}  // namespace torusmu

#endif  // TORUSMU_HOST_SRC_SERVED_H_
