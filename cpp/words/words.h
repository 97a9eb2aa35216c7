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

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/hash.h"
#include "words/characters.h"
#include "words/code.h"
#include "words/noise.h"

namespace unilid {

// The largest word in bytes, without its space. A longer run is cut at a character boundary, so that a line of 140 kB
// without spaces does not need a lattice of 140 kB. With 120, every sum of 8-bit costs over a word fits into 16 bits.
constexpr size_t MAX_WORD_BYTES = 120;
// The largest word in bytes, with its space.
constexpr size_t WORD_CAPACITY = MAX_WORD_BYTES + 1;

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
