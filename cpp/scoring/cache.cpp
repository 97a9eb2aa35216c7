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
      capacity_(
          std::max<size_t>(bytes / (entry_bytes_ + 2 * sizeof(Set) / WAYS + sizeof(uint64_t) + 1), WordModel::BATCH)),
      set_count_(2 * capacity_ / WAYS),
      main_(capacity_ - capacity_ / (capacity_ < SMALL ? 2 : 4)),
      hashes_(capacity_, false),
      uses_(capacity_),
      sets_(set_count_),
      entries_((capacity_ + WordModel::BATCH) * entry_bytes_, false) {}

void WordCache::add_to_index(uint64_t hash, size_t place) {
  Set& ways = sets_[set(hash)];
  size_t way = 0;
  while (way < WAYS && ways.tags[way] != 0) ++way;
  if (way == WAYS) way = ways.oldest, ways.oldest = (ways.oldest + 1) % WAYS;
  ways.tags[way] = tag(hash);
  ways.entries[way] = static_cast<uint32_t>(place);
}

void WordCache::remove_from_index(size_t place) {
  Set& ways = sets_[set(hashes_[place])];
  for (size_t way = 0; way < WAYS; ++way) {
    if (ways.tags[way] != 0 && ways.entries[way] == place) ways.tags[way] = 0;
  }
}

void WordCache::insert(uint64_t hash, const Word& word) {
  if (is_full_) {
    remove_from_index(next_);
    // The words whose turn comes soon: their sets are on the way when it does.
    if (next_ + AHEAD < capacity_) prefetch_set(hashes_[next_ + AHEAD]);
  }
  if (is_full_ && uses_[next_] > 0) {
    if (Entry* place = promoted()) {
      remove_from_index(hand_);
      std::memcpy(static_cast<void*>(place), &next(), entry_bytes_);
      hashes_[hand_] = hashes_[next_], uses_[hand_] = uses_[next_];
      add_to_index(hashes_[hand_], hand_);
    } else {
      uses_[hand_] /= 2;
    }
    if (++hand_ == main_) hand_ = 0;
  }
  next().key = WordKey(word);
  hashes_[next_] = hash, uses_[next_] = 0;
  add_to_index(hash, next_);
  if (++next_ == capacity_) next_ = main_, is_full_ = true;
}

}  // namespace unilid
