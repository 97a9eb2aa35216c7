// A cache of word vectors that a scan over more words than it holds does not empty.
//
// Entries lie one after the other and are filled in this order, so that a few texts touch little memory. When the cache
// is full, new words are on trial in the last part of it, which is a queue. A word whose turn is over there moves to
// the main part if it was used meanwhile, and no less often than the word under the hand of the main part, whose place
// it takes; or else it is evicted. The hand moves on with every such comparison, and a word that wins one counts half
// as often used the next time. So words that come once never push out those that come again, and words of a new subject
// soon push out those of the last one.
//
// Words longer than LONGEST bytes are not kept: runs of scripts without spaces, which hardly ever come again, and would
// need larger entries.
//
// A set-associative index finds entries by their hashes. A set that overflows forgets a way; the entry is then not
// found until its turn is over.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/hash.h"
#include "base/memory.h"
#include "base/simd.h"
#include "words/words.h"

namespace unilid {

// All that the vector of a word depends on: its bytes, and at which ends it is cut.
class WordKey {
 public:
  static constexpr size_t LONGEST = 60;  // bytes

  WordKey() = default;
  explicit WordKey(const Word& word);
  bool is_of(const Word& word) const {
    return size_ == word.size && cut_ == cut(word) && equal_padded(bytes_, word.bytes, word.size);
  }
  static uint64_t hash(const Word& word) { return hash_padded(word.bytes, word.size, cut(word)); }

 private:
  static uint8_t cut(const Word& word) { return static_cast<uint8_t>(word.cut_left | word.cut_right << 1); }

  uint8_t size_, cut_;
  uint8_t bytes_[LONGEST];
};

class WordCache {
 public:
  // The cache takes about `bytes` of memory; `vector_bytes` is the size of one vector, a multiple of 64.
  WordCache(size_t bytes, size_t vector_bytes);

  struct Entry {
    uint16_t least;  // see WordVector
    WordKey key;
    uint8_t* vector() { return reinterpret_cast<uint8_t*>(this) + HEADER; }
  };

  // A look-up takes two cache misses. For a batch of words they overlap: first prefetch_set for all of the words, then
  // prefetch_entry, then find.
  void prefetch_set(uint64_t hash) const { prefetch(&sets_[set(hash)]); }
  void prefetch_entry(uint64_t hash) const {
    const Set& ways = sets_[set(hash)];
    for (size_t way = 0; way < WAYS; ++way) {
      if (ways.tags[way] != tag(hash)) continue;
      const uint8_t* bytes = entries_.data() + ways.entries[way] * entry_bytes_;
      for (size_t line = 0; line < entry_bytes_; line += 64) prefetch(bytes + line);
    }
  }
  // Returns null if the word is not in the cache.
  Entry* find(uint64_t hash, const Word& word) {
    const Set& ways = sets_[set(hash)];
    for (size_t way = 0; way < WAYS; ++way) {
      if (ways.tags[way] != tag(hash)) continue;
      Entry& candidate = entry(ways.entries[way]);
      if (!candidate.key.is_of(word)) continue;
      uint8_t& uses = uses_[ways.entries[way]];
      if (uses < MAX_USES) ++uses;
      return &candidate;
    }
    return nullptr;
  }

  static bool keeps(const Word& word) { return word.size <= WordKey::LONGEST; }
  // The entry of a word that is not kept, for as long as it has this place in a batch.
  Entry& transient(size_t place) const { return entry(capacity_ + place); }
  // The entry that the next new word gets.
  Entry& next() const { return entry(next_); }
  // The entry that the word which is there now gets in the main part; null if it is evicted.
  Entry* promoted() const {
    return is_full_ && uses_[next_] > 0 && uses_[next_] >= uses_[hand_] ? &entry(hand_) : nullptr;
  }
  // Gives the next entry to the word.
  void insert(uint64_t hash, const Word& word);

 private:
  // Entries in a set of the index: as many as fit into a cache line, with their tags.
  static constexpr size_t WAYS = 8;
  // Bytes of an entry before its vector: a cache line, so that the vector is aligned.
  static constexpr size_t HEADER = 64;
  static_assert(sizeof(Entry) == HEADER);
  // What is counted of the uses of a word: few, so that old ones are soon outdone, and that counting writes little.
  static constexpr uint8_t MAX_USES = 15;
  // Words that are pushed out later, and whose sets are prefetched.
  static constexpr size_t AHEAD = 8;
  // Entries of a cache that counts as small, where a longer trial is better.
  static constexpr size_t SMALL = 16'384;

  struct Set {
    uint16_t tags[WAYS];  // a part of the hashes; 0: the way is empty
    uint32_t entries[WAYS];
    uint32_t oldest;  // the way that is replaced next if all are taken
    uint32_t unused[3];
  };
  static_assert(sizeof(Set) == 64);

  static uint16_t tag(uint64_t hash) { return static_cast<uint16_t>(hash | 1); }
  size_t set(uint64_t hash) const { return (hash >> 32) * set_count_ >> 32; }
  Entry& entry(size_t place) const {
    return *reinterpret_cast<Entry*>(const_cast<uint8_t*>(entries_.data()) + place * entry_bytes_);
  }

  void add_to_index(uint64_t hash, size_t place);
  void remove_from_index(size_t place);

  size_t entry_bytes_, capacity_, set_count_;
  size_t main_;  // entries of the main part; those behind it are for trials
  size_t next_ = 0, hand_ = 0;
  bool is_full_ = false;
  // Of each entry: the hash of its word, and how often it was used since it is there, up to MAX_USES. They stand apart
  // from the entries, because the word that makes room for a new one is hardly ever in the processor's cache.
  Aligned<uint64_t> hashes_;
  Aligned<uint8_t> uses_;
  Aligned<Set> sets_;
  Aligned<uint8_t> entries_;
};

}  // namespace unilid
