#include "words/spellings.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "words/words.h"

namespace unilid {

namespace {

struct Range {
  uint32_t first, last;
};

// Hamza and madda (U+0653 to U+0655) are parts of letters, not points.
constexpr Range POINTS[] = {
    {0x591, 0x5BD}, {0x5BF, 0x5BF}, {0x5C1, 0x5C2}, {0x5C4, 0x5C5}, {0x5C7, 0x5C7}, {0x610, 0x61A}, {0x640, 0x640},
    {0x64B, 0x652}, {0x656, 0x65F}, {0x670, 0x670}, {0x6D6, 0x6DC}, {0x6DF, 0x6E8}, {0x6EA, 0x6ED}, {0x730, 0x74A},
};

// Two letters of one shape, all of two bytes: kaf, and the gaf of Malay.
constexpr uint32_t SHAPES[][2] = {{0x643, 0x6A9}, {0x6AC, 0x762}};

bool is_point(uint32_t code_point) {
  return std::any_of(std::begin(POINTS), std::end(POINTS), [code_point](const Range& range) {
    return range.first <= code_point && code_point <= range.last;
  });
}

uint32_t of_the_same_shape(uint32_t code_point) {
  for (const auto& [one, other] : SHAPES) {
    if (code_point == one) return other;
    if (code_point == other) return one;
  }
  return code_point;
}

// All of these letters and points have code points of two bytes, and such lead bytes.
bool may_have_others(std::string_view word) {
  return std::any_of(word.begin(), word.end(), [](char byte) { return byte >= '\xD6' && byte <= '\xDD'; });
}

std::string spelled(std::string_view word, bool with_points, bool as_it_is) {
  std::string result;
  const auto* at = reinterpret_cast<const uint8_t*>(word.data());
  for (const uint8_t* const end = at + word.size(); at < end;) {
    const Character next = decode(at, end);
    const std::string_view bytes(reinterpret_cast<const char*>(at), next.size);
    at += next.size;
    if (!with_points && next.valid && is_point(next.code_point)) continue;
    const uint32_t other = as_it_is || !next.valid ? next.code_point : of_the_same_shape(next.code_point);
    if (other == next.code_point) {
      result += bytes;
    } else {
      result += {static_cast<char>(0xC0 | other >> 6), static_cast<char>(0x80 | (other & 0x3F))};
    }
  }
  return result;
}

}  // namespace

std::vector<std::string> other_spellings(std::string_view word) {
  std::vector<std::string> others;
  if (!may_have_others(word)) return others;
  for (const bool with_points : {true, false}) {
    for (const bool as_it_is : {true, false}) {
      std::string other = spelled(word, with_points, as_it_is);
      const bool is_new = other != word && std::find(others.begin(), others.end(), other) == others.end();
      if (is_new && !other.empty() && other != " ") others.push_back(std::move(other));
    }
  }
  return others;
}

}  // namespace unilid
