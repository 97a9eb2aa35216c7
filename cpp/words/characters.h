// What characters are: their classes, their small letters, letters with marks, letters in a style.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "words/unicode_tables.h"

namespace unilid {

struct Character {
  uint32_t code_point;  // the byte itself where the text is not UTF-8
  uint32_t size;        // bytes
  bool valid;
};

Character decode_rare(const uint8_t* at, const uint8_t* end);

inline Character decode(const uint8_t* at, const uint8_t* end) {
  const uint32_t first = *at;
  if (first < 0x80) return {first, 1, true};
  const auto continues = [at](size_t i) { return (at[i] & 0xC0) == 0x80; };
  if (first >= 0xC2 && first < 0xE0 && end - at >= 2 && continues(1)) {
    return {(first & 0x1F) << 6 | (at[1] & 0x3Fu), 2, true};
  }
  if (first >= 0xE0 && first < 0xED && end - at >= 3 && continues(1) && continues(2) &&
      (first > 0xE0 || at[1] >= 0xA0)) {
    return {(first & 0x0F) << 12 | (at[1] & 0x3Fu) << 6 | (at[2] & 0x3Fu), 3, true};
  }
  return decode_rare(at, end);
}

// The class of every code point, see unicode_tables.h.
extern const uint8_t* const CLASS_OF;

inline uint8_t class_of(const Character& character) {
  return character.valid ? CLASS_OF[character.code_point] : unicode::SIGN;
}

// The small letter of a capital; IS_SMALL for such a small letter; 0 for everything else.
extern const uint32_t* const SMALL_OF;
constexpr uint32_t IS_SMALL = 1;
// The size of the table: no capital has a code point as high as this.
constexpr uint32_t CASED = 0x20000;

inline uint32_t small_of(const Character& character) {
  return character.valid && character.code_point < CASED ? SMALL_OF[character.code_point] : 0;
}

// The class of Latin letters, which is the first one of the scripts. All ASCII letters belong to it.
constexpr uint8_t LATIN = unicode::FIRST_SCRIPT;

// How many of the eight bytes at `at` are ASCII letters, up to the first one that is not.
inline size_t ascii_letters(const uint8_t* at) {
  constexpr uint64_t EACH = 0x0101010101010101, HIGH = 0x80 * EACH;
  uint64_t bytes = 0;
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(&bytes, at, 8);
  } else {
    for (size_t i = 0; i < 8; ++i) bytes |= uint64_t{at[i]} << 8 * i;
  }
  const uint64_t small = (bytes | 0x20 * EACH) & ~HIGH;
  const uint64_t from_a = small + (0x80 - 'a') * EACH, beyond_z = small + (0x80 - 'z' - 1) * EACH;
  const uint64_t others = (~from_a | beyond_z | bytes) & HIGH;
  return static_cast<size_t>(std::countr_zero(others)) / 8;
}

// Skips letters of the script and marks, as far as they have two or three bytes, and adds their number to `characters`;
// stops at marks that may become one letter with what is before them.
// None of them begins in the last two bytes, so that nothing beyond the end is read.
inline const uint8_t* after_letters(const uint8_t* at, const uint8_t* end, uint8_t script, size_t& characters) {
  const uint8_t *last = end - at > 2 ? end - 2 : at, *before;
  do {
    before = at;
    for (; at < last && at[0] >= 0xC2 && at[0] < 0xE0 && (at[1] & 0xC0) == 0x80; at += 2) {
      const uint8_t kind = CLASS_OF[(at[0] & 0x1Fu) << 6 | (at[1] & 0x3Fu)];
      if (kind != script && kind != unicode::MARK) break;
    }
    characters += static_cast<size_t>(at - before) / 2;
    for (; at < last && at[0] >= 0xE0 && at[0] < 0xED; at += 3, ++characters) {
      const uint32_t second = at[1] ^ 0x80u, third = at[2] ^ 0x80u;  // less than 0x40 for continuation bytes
      const uint32_t code_point = (at[0] & 0x0Fu) << 12 | second << 6 | third;
      if ((second | third) >= 0x40 || code_point < 0x800) break;
      const uint8_t kind = CLASS_OF[code_point];
      if (kind != script && kind != unicode::MARK) break;
    }
  } while (at != before && at < last && *at >= 0xC2);
  return at;
}

// Whether a word has at least two capitals and no small letter.
bool is_in_capitals(const uint8_t* word, const uint8_t* end);

// Replaces the capitals of a word by small letters, which have as many bytes.
void write_small(uint8_t* word, const uint8_t* end);

// The letter that a Latin letter in bold, italic or another style is read as; 0 for any other character.
inline uint32_t without_style(const Character& character) {
  for (const unicode::Styled& range : unicode::STYLED) {
    if (character.code_point < range.first) break;
    const uint32_t place = character.code_point - range.first;
    if (place < range.letters.size()) return range.letters[place] == ' ' ? 0 : range.letters[place];
  }
  return 0;
}

inline bool is_styled(const Character& character) { return without_style(character) != 0; }

// Vowel signs of India that consist of two: their halves are letters of the script, many of which stand by themselves,
// so that a word is to be composed only if two of them meet.
constexpr uint8_t FIRST_HALF = 1, SECOND_HALF = 2;
constexpr uint32_t HALVES = 0x17000;  // no half has a code point as high as this
extern const uint8_t* const HALF_OF;  // which half a code point below that may be
extern const bool* const HAS_HALVES;  // whether letters of a class may be halves

// Whether two halves meet in a word.
inline bool has_halves(const uint8_t* at, const uint8_t* end) {
  uint32_t before = 0, met = 0;
  const auto meet = [&](uint32_t half) {
    met |= before & half;
    before = half << 1;
  };
  for (; end - at >= 3 && at[0] == 0xE0 && (at[1] & 0xC0) == 0x80 && (at[2] & 0xC0) == 0x80; at += 3) {
    meet(HALF_OF[(at[1] & 0x3Fu) << 6 | (at[2] & 0x3Fu)]);  // most of them, without a branch
  }
  while (at < end) {
    const Character character = decode(at, end);
    meet(character.valid && character.code_point < HALVES ? HALF_OF[character.code_point] : 0);
    at += character.size;
  }
  return met != 0;
}

// Replaces letters in a style by those without, and letters and the marks behind them by the letters with marks that
// they are, where there is one, and returns the end of the word, which has no more bytes then. Where `places` has room
// for each byte of the word, it becomes the place where each byte of the new one stood; the bytes of a letter with
// marks, that of the letter.
uint8_t* compose(uint8_t* word, const uint8_t* end, uint8_t* places = nullptr);

}  // namespace unilid
