// Text to words.
//
// A word is a run of letters of one script with their marks, a run of digits, or a run of other signs, and the space
// before it if there is one. Letters have a space in any case, as at the beginning of a line, where only signs stand
// before them: a quotation mark, a bracket, a tag or an emoji does not make another word of a word. They have none
// where they go on from letters or digits that touch them, or that a single sign parts from them, as in "don't". Tokens
// never cross words, so everything downstream works on one word at a time. A word in capitals is read in lower case,
// because a heading says the same in both, and a letter that stands before its mark is read as the one letter that they
// are (Unicode's NFD and NFC). The words of addresses, identifiers, tags and code are marked as noise, because they say
// nothing about the language.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/hash.h"
#include "words/code.h"
#include "words/noise.h"
#include "words/unicode_tables.h"

namespace unilid {

// The largest word in bytes, without its space. A longer run is cut at a character boundary, so that a line of 140 kB
// without spaces does not need a lattice of 140 kB. With 120, every sum of 8-bit costs over a word fits into 16 bits.
constexpr size_t MAX_WORD_BYTES = 120;
// The largest word in bytes, with its space.
constexpr size_t WORD_CAPACITY = MAX_WORD_BYTES + 1;

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

struct Word {
  const uint8_t* bytes;  // the space included; PADDED of them may be read, however short it is
  size_t size;
  size_t begin, end;  // its place in the text, without its space
  uint8_t kind;       // LETTER, DIGIT or SIGN; a script counts as LETTER
  // Whether letters of another script, or the rest of a run that was too long, touch this end of the word. It may then
  // be a part of a word only.
  bool cut_left, cut_right;
  Reason noise;    // ADDRESS, EMAIL, IDENTIFIER, MARKUP or CODE if it is a part of one, or else NONE
  size_t letters;  // characters, without the space; a letter with its mark is one
  uint8_t script;  // the class of its letters; LETTER if they are common to all scripts; without letters, its kind
  bool inner;      // whether it is a single sign with letters on both sides, as in "don't": orthography, then
  bool spaced;     // whether white space stands before it, or the text begins with it
};

// Whether a word is a single letter that goes on from what stands before it: this is what noise leaves of a word.
inline bool is_lone(const Word& word) {
  return word.kind == unicode::LETTER && word.bytes[0] != ' ' && word.letters == 1;
}

// Whether a word says something about the language: a word of letters that is no noise.
inline bool is_linguistic(const Word& word) { return word.kind == unicode::LETTER && word.noise == Reason::NONE; }

// The words of a text, in order.
class WordReader {
 public:
  explicit WordReader(std::string_view text)
      : begin_(reinterpret_cast<const uint8_t*>(text.data())),
        at_(begin_),
        end_(begin_ + text.size()),
        simple_end_(begin_),
        line_end_(begin_) {}

  // False at the end of the text. The word's bytes are valid until the next word.
  bool next(Word& word) { return next(word, buffer_); }

  // The same with a buffer of BUFFER bytes for the bytes of a word that does not stand in the text as it is read.
  static constexpr size_t BUFFER = WORD_CAPACITY + 7;  // bytes: the largest word, rounded up to a multiple of 8
  bool next(Word& word, uint8_t* buffer) { return next_simple(word) || next_any(word, buffer); }

 private:
  size_t rest(const uint8_t* at) const { return static_cast<size_t>(end_ - at); }
  const uint8_t* limit(const uint8_t* start) const {
    return rest(start) < MAX_WORD_BYTES ? end_ : start + MAX_WORD_BYTES;
  }

  // The fast path for what most words are: a space, letters of one script of which at most the first one is a capital,
  // and then a space or a sign, with no chance to be an identifier. Returns false, and changes nothing, if the next
  // word is not of this kind.
  bool next_simple(Word& word) {
    if (simple_end_ - at_ < static_cast<std::ptrdiff_t>(PADDED) || *at_ != ' ') return false;
    const uint8_t *start = at_ + 1, *at = start;
    size_t characters = 0;
    uint8_t script = LATIN;
    if (*start < 0x80) {
      const size_t first = ascii_letters(start);
      if (first == 0 || start[first > 1] < 'a') return false;
      at += first, characters += first;
      for (const uint8_t* before = start; at != before && (*at >= 0x80 || at - before == 8);) {
        if (at - start >= SHORTEST_CAMEL || rest(start) < SHORTEST_CAMEL + 8 + 2) return false;
        before = at;
        at = after_letters(at, start + SHORTEST_CAMEL, LATIN, characters);
        const size_t more = ascii_letters(at);
        at += more, characters += more;
      }
      if (at - start >= SHORTEST_CAMEL || !(*at == ' ' || (at[1] == ' ' && (*at == ',' || *at == '.')))) return false;
    } else {
      const Character first = decode(start, end_);
      script = class_of(first);
      if (script < unicode::FIRST_SCRIPT || small_of(first) > IS_SMALL) return false;
      at = after_letters(start, limit(start), script, characters);
      if (characters == 0 || at == end_ || *at >= 0x80 || CLASS_OF[*at] >= unicode::MARK) return false;
      if (HAS_HALVES[script] && has_halves(start, at)) return false;
    }
    word = {at_,
            static_cast<size_t>(at - at_),
            static_cast<size_t>(start - begin_),
            static_cast<size_t>(at - begin_),
            unicode::LETTER,
            false,
            false,
            Reason::NONE,
            characters,
            script,
            false,
            true};
    at_ = at;
    letters_ = joins_ = true;
    return true;
  }

  bool next_any(Word& word, uint8_t* buffer);

  // Whether a word of signs that begins at `start` ends before the sign at `at`: where a tag or an entity begins or
  // ends, and in Markdown where the address of a link begins, because what comes next is read otherwise.
  bool parts_signs(const uint8_t* start, const uint8_t* at);
  // Finds out whether the line that begins at `start` is code.
  void begin_line(const uint8_t* start);
  // Finds the end of the run that begins at `start`, and whether the run is noise. A run is a tag or an entity, or a
  // piece of code, or consists of visible ASCII.
  void find_run(const uint8_t* start);
  std::string_view text() const { return {reinterpret_cast<const char*>(begin_), static_cast<size_t>(end_ - begin_)}; }
  size_t place(const uint8_t* at) const { return static_cast<size_t>(at - begin_); }

  const uint8_t *begin_, *at_, *end_;
  const uint8_t* simple_end_;             // words that begin before this, and not near it, may be read by next_simple
  const uint8_t* line_end_;               // the end of the line, or of the part of it, that begin_line looked at
  const uint8_t* line_simple_ = nullptr;  // simple_end_ for the line where it is neither code nor a tag
  const uint8_t* look_end_ = nullptr;     // every word that begins before this is a part of a run: in a tag, in code
  const uint8_t* run_end_ = nullptr;      // the end of the run
  const uint8_t* tag_end_ = nullptr;      // the end of the tag or entity that begins where the run ends, or is the run
  const uint8_t* markup_end_ = begin_;    // the end of the last tag or entity that words of signs were parted by
  const uint8_t* piece_end_ = nullptr;    // of a line of code: the end of the piece
  CodeReader code_;
  Reason run_noise_ = Reason::NONE;
  bool in_code_ = false;      // whether the line is code
  bool behind_code_ = false;  // the same for the line that comes next: whether the one before it is code
  bool letters_ = false;      // whether the word before was one of letters
  bool joins_ = false;        // whether letters that touch what was read go on from it
  uint8_t buffer_[BUFFER];
};

}  // namespace unilid
