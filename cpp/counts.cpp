#include "counts.h"

#include <algorithm>
#include <cstring>

#include "hash.h"
#include "words.h"

namespace unilid {

WordCounts::WordCounts(size_t max_words) : max_words_(max_words), slots_(1024) {}

void WordCounts::add_text(std::string_view text, double count) {
  WordReader reader(text);
  for (Word word; reader.next(word);) {
    if (word.noise == Reason::NONE) add(word.bytes, word.size, count);
  }
}

void WordCounts::add(const uint8_t* bytes, size_t size, double count) {
  const uint32_t hash = static_cast<uint32_t>(hash_bytes(bytes, size));
  const size_t mask = slots_.size() - 1;
  size_t slot = hash & mask;
  for (; slots_[slot] != 0; slot = (slot + 1) & mask) {
    Entry& entry = entries_[slots_[slot] - 1];
    if (entry.hash == hash && entry.size == size && std::memcmp(blob_.data() + entry.begin, bytes, size) == 0) {
      entry.count += count;
      return;
    }
  }
  entries_.push_back({hash, static_cast<uint32_t>(size), blob_.size(), count});
  blob_.append(reinterpret_cast<const char*>(bytes), size);
  slots_[slot] = static_cast<uint32_t>(entries_.size());
  if (entries_.size() >= 2 * max_words_) forget_rarest();
  if (entries_.size() * 2 > slots_.size()) grow();
}

void WordCounts::grow() {
  slots_.assign(slots_.size() * 2, 0);
  const size_t mask = slots_.size() - 1;
  for (size_t e = 0; e < entries_.size(); ++e) {
    size_t slot = entries_[e].hash & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = static_cast<uint32_t>(e + 1);
  }
}

void WordCounts::forget_rarest() {
  // Among equally rare words the bytes decide, so that the outcome does not depend on the order of the table.
  std::nth_element(
      entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(max_words_), entries_.end(),
      [&](const Entry& a, const Entry& b) { return a.count != b.count ? a.count > b.count : word(a) < word(b); });
  entries_.resize(max_words_);
  std::string blob;
  for (Entry& entry : entries_) {
    const size_t begin = blob.size();
    blob.append(word(entry));
    entry.begin = begin;
  }
  blob_ = std::move(blob);
  slots_.assign(slots_.size() / 2, 0);
  grow();
}

WordCounts::Table WordCounts::table() const {
  // Most words differ in their first eight bytes, which compare as one number.
  struct Key {
    uint64_t first;
    uint32_t entry;
  };
  std::vector<Key> order(entries_.size());
  for (size_t e = 0; e < order.size(); ++e) {
    uint64_t first = 0;
    const std::string_view bytes = word(entries_[e]).substr(0, 8);
    for (size_t i = 0; i < 8; ++i) first = first << 8 | (i < bytes.size() ? static_cast<uint8_t>(bytes[i]) : 0);
    order[e] = {first, static_cast<uint32_t>(e)};
  }
  std::sort(order.begin(), order.end(), [&](const Key& a, const Key& b) {
    return a.first != b.first ? a.first < b.first : word(entries_[a.entry]) < word(entries_[b.entry]);
  });
  Table table;
  table.blob.reserve(blob_.size());
  table.offsets.push_back(0);
  for (const auto& [first, e] : order) {
    table.blob.append(word(entries_[e]));
    table.offsets.push_back(static_cast<int64_t>(table.blob.size()));
    table.counts.push_back(entries_[e].count);
  }
  return table;
}

WordCounts::Table WordCounts::with_fragments(std::string_view blob, const int64_t* offsets, const double* counts,
                                             size_t words, double share) {
  WordCounts all(words * MAX_WORD_BYTES + 1);  // nothing is forgotten
  for (size_t w = 0; w < words; ++w) {
    const uint8_t* begin = reinterpret_cast<const uint8_t*>(blob.data()) + offsets[w];
    const uint8_t* end = reinterpret_cast<const uint8_t*>(blob.data()) + offsets[w + 1];
    all.add(begin, static_cast<size_t>(end - begin), counts[w]);
    const uint8_t* first = begin + (*begin == ' ');
    if (first == end || class_of(decode(first, end)) < unicode::MARK) continue;
    size_t characters = 0;
    for (const uint8_t* at = first; at < end; at += decode(at, end).size) ++characters;
    if (characters < 2) continue;
    const double count = counts[w] * share / static_cast<double>(characters);
    for (const uint8_t* at = first; at < end;) {
      const uint8_t* next = at + decode(at, end).size;
      if (at > first) all.add(begin, static_cast<size_t>(at - begin), count);
      if (next < end) all.add(next, static_cast<size_t>(end - next), count);
      at = next;
    }
  }
  return all.table();
}

}  // namespace unilid
