// SPDX-License-Identifier: Apache-2.0
// Every header of the library begins with this one, so that a program that is compiled as older C++
// is told so first.
#ifndef TORUSMU_STANDARD_H_
#define TORUSMU_STANDARD_H_

#if __cplusplus < 202002L
#error "the headers of torusmu need C++20: compile with -std=c++20 or later"
#endif

#endif  // TORUSMU_STANDARD_H_
