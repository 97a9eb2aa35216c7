// Text to words.
//
// A word is a run of letters of one script with their marks, a run of digits, or a run of other signs, and the space
// before it if there is one. Tokens never cross words, so everything downstream works on one word at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "unicode_tables.h"

namespace unilid {

// Longer runs are cut at a character boundary: a 140 kB line without spaces must not need a 140 kB lattice. The bound
// also keeps every sum of 8-bit costs over a word inside 16 bits.
constexpr size_t MAX_WORD_BYTES = 120;
constexpr size_t WORD_CAPACITY = MAX_WORD_BYTES + 1;  // with its space

struct Character {
  uint32_t code_point;  // the byte itself where the text is not UTF-8
  uint32_t size;        // bytes
  bool valid;
};

Character decode_long(const uint8_t* at, const uint8_t* end);  // anything but ASCII

inline Character decode(const uint8_t* at, const uint8_t* end) {
  return *at < 0x80 ? Character{*at, 1, true} : decode_long(at, end);
}

// The class of every code point, see unicode_tables.h.
extern const uint8_t* const CLASS_OF;

inline uint8_t class_of(const Character& character) {
  return character.valid ? CLASS_OF[character.code_point] : unicode::SIGN;
}

struct Word {
  const uint8_t* bytes;  // the space included; valid until the next word
  size_t size;
  size_t begin, end;  // where it stands in the text, without its space
};

// Calls visit(const Word&) for every word of a text, in order.
class WordReader {
 public:
  explicit WordReader(std::string_view text)
      : begin_(reinterpret_cast<const uint8_t*>(text.data())), at_(begin_), end_(begin_ + text.size()) {
    buffer_[0] = ' ';
  }

  // False at the end of the text.
  bool next(Word& word) {
    bool space = at_ == begin_;  // the first word counts as preceded by a space
    Character character{};
    uint8_t kind = unicode::SPACE;
    while (at_ < end_) {
      character = decode(at_, end_);
      kind = class_of(character);
      if (kind != unicode::SPACE) break;
      space = true;
      at_ += character.size;
    }
    if (at_ >= end_) return false;

    const uint8_t* start = at_;
    at_ += character.size;
    // A run that begins with a mark or a common letter takes the script of the first letter that has one.
    uint8_t run = kind == unicode::MARK ? unicode::LETTER : kind;
    while (at_ < end_) {
      character = decode(at_, end_);
      kind = class_of(character);
      if (kind == unicode::MARK) {
      } else if (kind == run) {
      } else if (kind == unicode::LETTER && run >= unicode::FIRST_SCRIPT) {
      } else if (kind >= unicode::FIRST_SCRIPT && run == unicode::LETTER) {
        run = kind;
      } else {
        break;
      }
      if (static_cast<size_t>(at_ - start) + character.size > MAX_WORD_BYTES) break;
      at_ += character.size;
    }

    const size_t size = static_cast<size_t>(at_ - start);
    std::memcpy(buffer_ + 1, start, size);
    word.bytes = space ? buffer_ : buffer_ + 1;
    word.size = size + (space ? 1 : 0);
    word.begin = static_cast<size_t>(start - begin_);
    word.end = static_cast<size_t>(at_ - begin_);
    return true;
  }

 private:
  const uint8_t *begin_, *at_, *end_;
  uint8_t buffer_[WORD_CAPACITY + 7];
};

}  // namespace unilid
