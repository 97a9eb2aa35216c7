#include "models/lexicon.h"

#include <algorithm>
#include <cstring>

#include "base/simd.h"

namespace unilid {

// FNV-1a with a final mix: it is stored, so it must be the same on every machine.
uint64_t lexicon_key(const Word& word) {
  if (word.kind != unicode::LETTER || word.cut_left || word.cut_right) return NO_KEY;
  const size_t space = word.bytes[0] == ' ';
  const size_t size = word.size - space;
  uint8_t letters[MAX_WORD_BYTES];
  std::memcpy(letters, word.bytes + space, size);
  write_small(letters, letters + size);
  uint64_t hash = 0xCBF29CE484222325u;
  for (size_t i = 0; i < size; ++i) hash = (hash ^ letters[i]) * 0x100000001B3u;
  hash = (hash ^ hash >> 32) * 0xD6E8FEB86659FD93u;
  return (hash ^ hash >> 32) >> 16;
}

void Lexicon::prefetch_bucket(uint64_t key) const {
  if (key != NO_KEY) prefetch(table_.first_word + (key >> 32));
}

void Lexicon::prefetch_words(uint64_t key) const {
  if (key != NO_KEY) prefetch(table_.fingerprints + table_.first_word[key >> 32]);
}

Lexicon::Gains Lexicon::find(uint64_t key) const {
  if (key == NO_KEY) return {nullptr, nullptr};
  const uint32_t* first = table_.fingerprints + table_.first_word[key >> 32];
  const uint32_t* last = table_.fingerprints + table_.first_word[(key >> 32) + 1];
  const uint32_t fingerprint = static_cast<uint32_t>(key);
  const uint32_t* found = std::lower_bound(first, last, fingerprint);
  if (found == last || *found != fingerprint) return {nullptr, nullptr};
  const size_t word = static_cast<size_t>(found - table_.fingerprints);
  const uint8_t* begin = table_.entries + table_.first_entry[word] * ENTRY_BYTES;
  prefetch(begin);
  return {begin, table_.entries + table_.first_entry[word + 1] * ENTRY_BYTES};
}

void Lexicon::subtract(const Gains& gains, uint16_t* costs) {
  for (const uint8_t* entry = gains.begin; entry < gains.end; entry += ENTRY_BYTES) {
    uint16_t& cost = costs[entry[0] | entry[1] << 8];
    cost = static_cast<uint16_t>(cost - std::min<uint16_t>(cost, entry[2]));
  }
}

}  // namespace unilid
