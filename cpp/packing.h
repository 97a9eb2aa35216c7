// Tables as they lie in a file: the sizes of groups, where the kernel wants to know where a group begins.
#pragma once

#include <cstddef>
#include <cstdint>

namespace unilid {

// A size that has no room in a byte is written as this; it stands beside, among the large ones.
constexpr uint8_t LARGE = 255;

struct Summed {
  uint64_t end;  // of the last group, also where 32 bits have no room for it
  size_t large;  // how many were needed; those that are missing count as 0
};

// Fills firsts[0 .. groups] with where each group begins, and the end of the last.
inline Summed sum_up(const uint8_t* sizes, size_t groups, const uint32_t* large, size_t large_count, uint32_t* firsts) {
  Summed summed{0, 0};
  for (size_t g = 0; g < groups; ++g) {
    firsts[g] = static_cast<uint32_t>(summed.end);
    if (sizes[g] < LARGE) {
      summed.end += sizes[g];
    } else {
      summed.end += summed.large < large_count ? large[summed.large] : 0;
      ++summed.large;
    }
  }
  firsts[groups] = static_cast<uint32_t>(summed.end);
  return summed;
}

}  // namespace unilid
