#include "scoring/cache.h"

#include <algorithm>
#include <cstring>

#include "models/word_model.h"

namespace unilid {

WordKey::WordKey(const Word& word) : size_(static_cast<uint8_t>(word.size)), cut_(cut(word)) {
  std::memcpy(bytes_, word.bytes, word.size);
}

// The words of a batch need their entries at the same time, so there are at least as many. The index has two ways for
// each entry: few of its sets overflow.
WordCache::WordCache(size_t bytes, size_t vector_bytes)
    : entry_bytes_(HEADER + vector_bytes),
      capacity_(std::max<size_t>(bytes / (entry_bytes_ + 2 * sizeof(Set) / WAYS), WordModel::BATCH)),
      set_count_(2 * capacity_ / WAYS),
      sets_(set_count_),
      entries_(capacity_ * entry_bytes_, false) {}

void WordCache::insert(uint64_t hash, const Word& word) {
  victim().key = WordKey(word);
  victim().is_used = 0;
  Set& ways = sets_[set(hash)];
  ways.tags[ways.oldest] = tag(hash);
  ways.entries[ways.oldest] = static_cast<uint32_t>(hand_);
  ways.oldest = (ways.oldest + 1) % WAYS;
  for (size_t spared = 0; spared <= MAX_SPARED; ++spared) {
    if (++hand_ == capacity_) hand_ = 0, is_full_ = true;
    if (!is_full_ || victim().is_used == 0) return;
    victim().is_used = 0;
  }
}

}  // namespace unilid
