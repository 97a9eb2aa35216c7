// The words of one language with their counts, which is all that estimation needs of a corpus.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"

namespace unilid {

class WordCounts {
 public:
  WordCounts();

  size_t size() const { return entries_.size(); }

  // Splits a text into words and adds `count` to each of them. Addresses and identifiers are left out. A negative count
  // takes back what was added.
  void add_text(std::string_view text, double count);

  struct Table {
    std::string blob;              // the words, sorted by their bytes
    std::vector<int64_t> offsets;  // one more than words
    std::vector<double> counts;
  };
  Table table() const;  // of the words whose count is more than 0
  void add_table(std::string_view blob, const int64_t* offsets, const double* counts, size_t words);
  // Drops all but this many words. Of equally common words, those whose bytes come first are kept.
  void keep_most_common(size_t words);

  // Words with their counts that stand elsewhere, sorted by their bytes.
  struct View {
    std::string_view blob;
    const int64_t* offsets;
    const double* counts;
    size_t size;

    std::string_view word(size_t w) const {
      return blob.substr(static_cast<size_t>(offsets[w]), static_cast<size_t>(offsets[w + 1] - offsets[w]));
    }
  };
  // The words whose count is more than 0 after that of another table was subtracted.
  static Table subtract(const View& from, const View& other);

  // The words of a table, and what is left of them where one character is lost: of a word of n >= 2 letters, each
  // prefix and each suffix is added with the count of the word times share / n.
  static Table with_fragments(std::string_view blob, const int64_t* offsets, const double* counts, size_t words,
                              double share);

  // The words of a table, and their other spellings (words/spellings.h), each with the count of the word times `share`.
  static Table with_spellings(std::string_view blob, const int64_t* offsets, const double* counts, size_t words,
                              double share);

 private:
  struct Entry {
    Beginning beginning;
    double count;
    size_t begin;  // in blob_
    uint32_t size, hash;
  };
  struct Slot {
    uint32_t hash;
    uint32_t entry;  // its index + 1; 0: the slot is empty
  };
  void add(const uint8_t* word, size_t size, double count) { add(word, size, hash_of(word, size), count); }
  void add(const uint8_t* word, size_t size, uint32_t hash, double count);
  void fill_slots(size_t slots);
  // The word is a padded string (hash.h).
  static uint32_t hash_of(const uint8_t* word, size_t size) {
    return static_cast<uint32_t>(hash_padded(word, size) >> 32);
  }
  std::string_view word(const Entry& entry) const { return {blob_.data() + entry.begin, entry.size}; }

  std::string blob_;
  std::vector<Entry> entries_;
  std::vector<Slot> slots_;  // open addressing
};

}  // namespace unilid
