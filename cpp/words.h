// Text to words.
//
// A word is a run of letters of one script with their marks, a run of digits, or a run of other signs, and the space
// before it if there is one. Tokens never cross words, so everything downstream works on one word at a time. A word all
// in capitals is written small: a heading says the same in both. Words of a run of ASCII that is an address or an
// identifier are marked, because they say nothing about the language.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "noise.h"
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
constexpr uint32_t CASED = 0x20000;  // no capital lies beyond

inline uint32_t small_of(const Character& character) {
  return character.valid && character.code_point < CASED ? SMALL_OF[character.code_point] : 0;
}

// What a byte says about the run that it stands in.
constexpr uint8_t END_OF_RUN = 0x80, SUSPICIOUS = 1, CAPITAL = 3, SMALL = 4;
extern const uint8_t* const ASCII_KIND;

// Writes a word of at least two capitals and no small letter small; a small letter has as many bytes as its capital.
void fold_capitals(uint8_t* word, size_t size);

struct Word {
  const uint8_t* bytes;  // the space included
  size_t size;
  size_t begin, end;  // where it stands in the text, without its space
  uint8_t kind;       // LETTER, DIGIT or SIGN; a script counts as LETTER
  // Letters of another script, or more of a run that was too long, touch it there: it may be part of a word.
  bool cut_left, cut_right;
  Reason noise;    // NONE, or what it is a part of
  size_t letters;  // characters, without the space
};

// A single letter that no space precedes: what noise leaves of a word.
inline bool is_lone(const Word& word) {
  return word.kind == unicode::LETTER && word.bytes[0] != ' ' && word.letters == 1;
}

// The words of a text, in order.
class WordReader {
 public:
  explicit WordReader(std::string_view text)
      : begin_(reinterpret_cast<const uint8_t*>(text.data())), at_(begin_), end_(begin_ + text.size()) {}

  // False at the end of the text. The word's bytes are valid until the next word.
  bool next(Word& word) { return next(word, buffer_); }

  // Its bytes are written to the buffer, of BUFFER bytes.
  static constexpr size_t BUFFER = WORD_CAPACITY + 7;
  bool next(Word& word, uint8_t* buffer) {
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
    if (*start < 0x80 && start >= run_end_) find_run(start);
    word.noise = start < run_end_ ? run_noise_ : Reason::NONE;
    at_ += character.size;
    // A run that begins with a mark or a common letter takes the script of the first letter that has one.
    uint8_t run = kind == unicode::MARK ? unicode::LETTER : kind;
    word.cut_left = !space && letters_ && run >= unicode::LETTER;
    bool more = false, letters = kind >= unicode::LETTER;
    word.letters = 1;
    const uint8_t* limit = static_cast<size_t>(end_ - start) < MAX_WORD_BYTES ? end_ : start + MAX_WORD_BYTES;
    while (at_ < end_) {
      const uint8_t* before = at_;
      while (at_ < limit && *at_ < 0x80 && CLASS_OF[*at_] == run) ++at_;  // most of the world's text
      word.letters += static_cast<size_t>(at_ - before);
      if (at_ == end_) {
        more = false;
        break;
      }
      character = decode(at_, end_);
      kind = class_of(character);
      const bool first_of_a_script = kind >= unicode::FIRST_SCRIPT && run == unicode::LETTER;
      const bool common_letter = kind == unicode::LETTER && run >= unicode::FIRST_SCRIPT;
      more = kind >= unicode::MARK;
      if (kind != unicode::MARK && kind != run && !common_letter && !first_of_a_script) break;
      if (static_cast<size_t>(at_ - start) + character.size > MAX_WORD_BYTES) break;
      more = false;
      if (first_of_a_script) run = kind;
      letters |= kind >= unicode::LETTER;
      ++word.letters;
      at_ += character.size;
    }

    const size_t size = static_cast<size_t>(at_ - start);
    buffer[0] = ' ';
    if (size <= 16 && end_ - start >= 16) {
      std::memcpy(buffer + 1, start, 16);  // of known size: two instructions
    } else {
      std::memcpy(buffer + 1, start, size);
    }
    if (small_of(decode(start, at_)) > IS_SMALL) fold_capitals(buffer + 1, size);
    word.bytes = space ? buffer : buffer + 1;
    word.size = size + (space ? 1 : 0);
    word.begin = static_cast<size_t>(start - begin_);
    word.end = static_cast<size_t>(at_ - begin_);
    letters_ = run >= unicode::LETTER;
    word.kind = letters ? unicode::LETTER : letters_ ? unicode::SIGN : run;  // marks alone are signs
    word.cut_right = letters_ && more;
    return true;
  }

 private:
  // The run of visible ASCII that begins here. Only what has a digit or one of a few signs, or a capital inside, is
  // worth a closer look.
  void find_run(const uint8_t* start) {
    uint8_t kinds = 0;
    const uint8_t* at = start;
    for (uint8_t before = 0; at < end_ && ASCII_KIND[*at] != END_OF_RUN; before = *at++) {
      kinds |= ASCII_KIND[*at] == CAPITAL ? (ASCII_KIND[before] == SMALL ? CAPITAL : 0) : ASCII_KIND[*at];
    }
    run_end_ = at;
    run_noise_ = Reason::NONE;
    if ((kinds & SUSPICIOUS) != 0) {
      run_noise_ = noise_of({reinterpret_cast<const char*>(start), static_cast<size_t>(at - start)});
    }
  }

  const uint8_t *begin_, *at_, *end_;
  const uint8_t* run_end_ = nullptr;
  Reason run_noise_ = Reason::NONE;
  bool letters_ = false;  // whether the word before was one of letters
  uint8_t buffer_[BUFFER];
};

}  // namespace unilid
