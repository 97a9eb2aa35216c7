// Tables as they lie in a file: the sizes of groups, where the kernel wants to know where a group begins.
#pragma once

#include <cstddef>
#include <cstdint>

namespace unilid {

// A size that has no room in a byte stands here instead: the next one of `large`.
constexpr uint8_t LARGE = 255;

// Fills firsts[0 .. groups] with where each group begins, and the end of the last. Returns that end, also where 32 bits
// have no room for it.
inline uint64_t sum_up(const uint8_t* sizes, size_t groups, const uint32_t* large, uint32_t* firsts) {
  uint64_t sum = 0;
  for (size_t g = 0; g < groups; ++g) {
    firsts[g] = static_cast<uint32_t>(sum);
    sum += sizes[g] == LARGE ? *large++ : sizes[g];
  }
  firsts[groups] = static_cast<uint32_t>(sum);
  return sum;
}

}  // namespace unilid
