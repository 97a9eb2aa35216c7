// A cache of word vectors with CLOCK eviction (also known as second chance).
//
// Entries lie one after the other and are filled in this order, so that a few texts touch little memory. When the cache
// is full, the hand of the clock moves on: it spares an entry that was used since the hand came by last, and evicts the
// first one that was not. A set-associative index finds entries by their hashes. The index may be stale; the entry's
// key decides.
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
  WordKey() = default;
  explicit WordKey(const Word& word);
  bool is_of(const Word& word) const {
    return size_ == word.size && cut_ == cut(word) && equal_padded(bytes_, word.bytes, word.size);
  }
  static uint64_t hash(const Word& word) { return hash_padded(word.bytes, word.size, cut(word)); }

 private:
  static uint8_t cut(const Word& word) { return static_cast<uint8_t>(word.cut_left | word.cut_right << 1); }

  uint8_t size_, cut_;
  uint8_t bytes_[WORD_CAPACITY + 1];
};

class WordCache {
 public:
  // The cache takes about `bytes` of memory; `vector_bytes` is the size of one vector, a multiple of 64.
  WordCache(size_t bytes, size_t vector_bytes);

  struct Entry {
    uint16_t least;    // see WordVector
    uint16_t is_used;  // whether the entry was used since the hand came by
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
      if (candidate.is_used == 0) candidate.is_used = 1;
      return &candidate;
    }
    return nullptr;
  }

  // The entry under the hand, which the next new word gets.
  Entry& victim() const { return entry(hand_); }
  // Gives the victim to the word, and moves the hand to the next one.
  void insert(uint64_t hash, const Word& word);

 private:
  // Entries in a set of the index: as many as fit into a cache line, with their tags.
  static constexpr size_t WAYS = 8;
  // Bytes of an entry before its vector: two cache lines, so that the vector is aligned.
  static constexpr size_t HEADER = 128;
  static_assert(sizeof(Entry) <= HEADER);
  // Entries that the hand spares at most before it evicts one that was used, too: an insertion takes bounded time.
  static constexpr size_t MAX_SPARED = 16;

  struct Set {
    uint16_t tags[WAYS];  // a part of the hashes; 0: the way is empty
    uint32_t entries[WAYS];
    uint32_t oldest;  // the way that is replaced next
    uint32_t unused[3];
  };
  static_assert(sizeof(Set) == 64);

  static uint16_t tag(uint64_t hash) { return static_cast<uint16_t>(hash | 1); }
  size_t set(uint64_t hash) const { return (hash >> 32) * set_count_ >> 32; }
  Entry& entry(size_t place) const {
    return *reinterpret_cast<Entry*>(const_cast<uint8_t*>(entries_.data()) + place * entry_bytes_);
  }

  size_t entry_bytes_, capacity_, set_count_;
  size_t hand_ = 0;
  bool is_full_ = false;
  Aligned<Set> sets_;
  Aligned<uint8_t> entries_;
};

}  // namespace unilid
