#include "words.h"

#include <vector>

namespace unilid {

namespace {

// One byte a code point: 1.1 MB of which a text touches a few pages, and no branch.
const std::vector<uint8_t>& classes() {
  static const std::vector<uint8_t> table = [] {
    std::vector<uint8_t> all(0x110000);
    const size_t runs = sizeof(unicode::RUNS) / sizeof(unicode::RUNS[0]);
    for (size_t r = 0; r < runs; ++r) {
      const size_t end = r + 1 < runs ? unicode::RUNS[r + 1].start : all.size();
      std::memset(all.data() + unicode::RUNS[r].start, unicode::RUNS[r].value, end - unicode::RUNS[r].start);
    }
    return all;
  }();
  return table;
}

}  // namespace

const uint8_t* const CLASS_OF = classes().data();

namespace {

const std::vector<uint32_t>& small_letters() {
  static const std::vector<uint32_t> table = [] {
    std::vector<uint32_t> all(CASED);
    for (const unicode::Fold& fold : unicode::FOLDS) {
      for (uint32_t capital = fold.first; capital <= fold.last; capital += fold.step) {
        const uint32_t small = capital + static_cast<uint32_t>(fold.distance);
        all[capital] = small;
        all[small] = IS_SMALL;
      }
    }
    return all;
  }();
  return table;
}

}  // namespace

const uint32_t* const SMALL_OF = small_letters().data();

namespace {

const std::vector<uint8_t>& ascii_kinds() {
  static const std::vector<uint8_t> table = [] {
    std::vector<uint8_t> all(256, END_OF_RUN);
    for (int c = '!'; c <= '~'; ++c) all[static_cast<size_t>(c)] = 0;
    for (int c = 'a'; c <= 'z'; ++c) all[static_cast<size_t>(c)] = SMALL;
    for (int c = 'A'; c <= 'Z'; ++c) all[static_cast<size_t>(c)] = CAPITAL;
    for (const char c : {'0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '@', '/', '.', '_', '\\'}) {
      all[static_cast<size_t>(c)] = SUSPICIOUS;
    }
    return all;
  }();
  return table;
}

}  // namespace

const uint8_t* const ASCII_KIND = ascii_kinds().data();

void fold_capitals(uint8_t* word, size_t size) {
  size_t capitals = 0;
  const uint8_t* end = word + size;
  for (const uint8_t* at = word; at < end;) {
    const Character character = decode(at, end);
    const uint32_t small = small_of(character);
    if (small == IS_SMALL) return;
    capitals += small != 0;
    at += character.size;
  }
  if (capitals < 2) return;
  for (uint8_t* at = word; at < end;) {
    const Character character = decode(at, end);
    uint32_t small = small_of(character);
    if (small != 0 && character.size == 1) {
      *at = static_cast<uint8_t>(small);
    } else if (small != 0) {
      for (uint32_t i = character.size - 1; i > 0; --i, small >>= 6)
        at[i] = static_cast<uint8_t>(0x80 | (small & 0x3F));
      at[0] = static_cast<uint8_t>((0xF00 >> character.size & 0xFF) | small);
    }
    at += character.size;
  }
}

Character decode_rare(const uint8_t* at, const uint8_t* end) {
  const uint32_t first = *at;
  const Character invalid{first, 1, false};
  uint32_t size, code_point, least;
  if (first >= 0xC2 && first < 0xE0) {
    size = 2, code_point = first & 0x1F, least = 0x80;
  } else if (first >= 0xE0 && first < 0xF0) {
    size = 3, code_point = first & 0x0F, least = 0x800;
  } else if (first >= 0xF0 && first < 0xF5) {
    size = 4, code_point = first & 0x07, least = 0x10000;
  } else {
    return invalid;
  }
  if (static_cast<size_t>(end - at) < size) return invalid;
  for (uint32_t i = 1; i < size; ++i) {
    if ((at[i] & 0xC0) != 0x80) return invalid;
    code_point = code_point << 6 | (at[i] & 0x3F);
  }
  if (code_point < least || code_point > 0x10FFFF || (code_point >= 0xD800 && code_point < 0xE000)) return invalid;
  return {code_point, size, true};
}

}  // namespace unilid
