// Tables as they lie in a file. The file has the size of every group; the kernel needs to know where a group begins.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

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

// The keys of the members of groups. A key is the first two bytes of a member: a language, or a character.
struct Keys {
  uint32_t largest;  // 0 if there are no members
  bool ascend;       // strictly, within every group
};

// Members of BYTES bytes each; `firsts` may be any numbers, and those beyond the members are passed over. Everybody who
// loads a model waits for this: instead of one group after the other, it counts where keys do not ascend at all, and
// takes off those that are the first of their group. The first loop has no branch that depends on the keys.
template <size_t BYTES>
Keys keys_of(const uint8_t* members, size_t count, const uint32_t* firsts, size_t groups) {
  const auto key = [&](size_t member) {
    uint16_t result;
    std::memcpy(&result, members + member * BYTES, sizeof result);
    return result;
  };
  if (count == 0) return {0, true};
  uint32_t largest = key(0), descents = 0;
  for (size_t m = 1; m < count; ++m) {
    largest = std::max<uint32_t>(largest, key(m));
    descents += key(m) <= key(m - 1);
  }
  for (size_t g = 1; g < groups; ++g) {
    if (firsts[g] == firsts[g - 1] || firsts[g] - size_t{1} >= count - 1) continue;  // no member, or not a second one
    descents -= key(firsts[g]) <= key(firsts[g] - 1);
  }
  return {largest, descents == 0};
}

}  // namespace unilid
