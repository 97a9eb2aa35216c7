// The third word model: frequent whole words.
//
// The character model forgets how frequent a word is. The lexicon knows it: for some words and languages it has a gain,
// by which the word costs the language less than the other word models say.
//
// clang-format off
//   cost_l(word) = cost of the other word models - gain_l(word)
//   gain_l(word) = share * (their cost + log p_l(word)), where that is positive and worth its room
// clang-format on
//
// A word is found by its key: 48 bits of a hash of its letters in lower case, without its space. (Among a million
// words, one unknown word in 280 million is taken for a known one.) A word that is cut may be a part of one, and has no
// key.
#pragma once

#include <cstddef>
#include <cstdint>

#include "words/words.h"

namespace unilid {

// The key of a word without one.
constexpr uint64_t NO_KEY = ~uint64_t{0};
// The words of a lexicon are in buckets by the first bits of their keys; the rest of a key has 32 bits.
constexpr size_t BUCKETS = size_t{1} << 16;

uint64_t lexicon_key(const Word& word);

// All pointers are views of arrays that the caller keeps and has checked.
struct LexiconTable {
  const uint32_t* first_word;    // BUCKETS + 1 entries
  const uint32_t* fingerprints;  // the rest of a word's key; ascending in a bucket
  const uint32_t* first_entry;   // one more than words
  const uint8_t* entries;        // language (two bytes, the lower one first) and gain in steps
};

class Lexicon {
 public:
  static constexpr size_t ENTRY_BYTES = 3;

  explicit Lexicon(LexiconTable table) : table_(table) {}

  // The entries of a word; none if the lexicon does not have it.
  struct Gains {
    const uint8_t *begin, *end;
  };
  // A look-up takes three cache misses. For a batch of words they overlap: first prefetch_bucket for all of the words,
  // then prefetch_words, then find, which prefetches the entries.
  void prefetch_bucket(uint64_t key) const;
  void prefetch_words(uint64_t key) const;
  Gains find(uint64_t key) const;
  // Subtracts the gains of a word from its costs, which do not fall below 0.
  static void subtract(const Gains& gains, uint16_t* costs);

 private:
  LexiconTable table_;
};

}  // namespace unilid
