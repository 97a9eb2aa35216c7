// Tables as they lie in a file. The file has the size of every group; the kernel needs to know where a group begins.
#pragma once

#include <cstddef>
#include <cstdint>

namespace unilid {

// Sizes are stored as bytes. This one stands for a size of 255 or more, which is the next entry of a second array.
constexpr uint8_t LARGE = 255;

struct SizeSum {
  uint64_t end;  // of the last group, also if 32 bits are too few for it
  size_t large;  // how many large sizes there should be; missing ones count as 0
};

// Fills firsts[g] with the beginning of group g, and firsts[groups] with the end of the last one.
inline SizeSum sum_up(const uint8_t* sizes, size_t groups, const uint32_t* large, size_t large_count,
                      uint32_t* firsts) {
  SizeSum sum{0, 0};
  for (size_t g = 0; g < groups; ++g) {
    firsts[g] = static_cast<uint32_t>(sum.end);
    if (sizes[g] < LARGE) {
      sum.end += sizes[g];
    } else {
      sum.end += sum.large < large_count ? large[sum.large] : 0;
      ++sum.large;
    }
  }
  firsts[groups] = static_cast<uint32_t>(sum.end);
  return sum;
}

}  // namespace unilid
