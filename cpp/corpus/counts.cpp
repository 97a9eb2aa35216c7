#include "corpus/counts.h"

#include <algorithm>
#include <cstring>

#include "base/simd.h"
#include "base/stop.h"
#include "words/spellings.h"
#include "words/words.h"

namespace unilid {

WordCounts::WordCounts() : slots_(1024) {}

void WordCounts::add_text(std::string_view text, double count) {
  // The words are looked up in batches of 16, so that their cache misses overlap.
  constexpr size_t BATCH = 16;
  struct BatchWord {
    Word word;
    uint32_t hash;
    uint8_t bytes[WordReader::BUFFER];
  };
  BatchWord words[BATCH];
  WordReader reader(text);
  for (bool more = true; more;) {
    check_stop();
    size_t size = 0;
    const size_t mask = slots_.size() - 1;
    while (size < BATCH && (more = reader.next(words[size].word, words[size].bytes))) {
      BatchWord& next = words[size];
      if (next.word.noise != Reason::NONE) continue;
      next.hash = hash_of(next.word.bytes, next.word.size);
      prefetch(&slots_[next.hash & mask]);
      ++size;
    }
    for (size_t i = 0; i < size; ++i) {
      const Slot slot = slots_[words[i].hash & mask];
      if (slot.entry != 0) prefetch(&entries_[slot.entry - 1]);
    }
    for (size_t i = 0; i < size; ++i) add(words[i].word.bytes, words[i].word.size, words[i].hash, count);
  }
}

void WordCounts::add(const uint8_t* word, size_t size, uint32_t hash, double count) {
  const Beginning start = beginning(word, size);
  const size_t mask = slots_.size() - 1;
  size_t slot = hash & mask;
  for (; slots_[slot].entry != 0; slot = (slot + 1) & mask) {
    if (slots_[slot].hash != hash) continue;
    Entry& entry = entries_[slots_[slot].entry - 1];
    if (entry.size != size || entry.beginning != start) continue;
    if (size > PADDED && std::memcmp(blob_.data() + entry.begin + PADDED, word + PADDED, size - PADDED) != 0) continue;
    entry.count += count;
    return;
  }
  entries_.push_back({start, count, blob_.size(), static_cast<uint32_t>(size), hash});
  blob_.append(reinterpret_cast<const char*>(word), size);
  slots_[slot] = {hash, static_cast<uint32_t>(entries_.size())};
  if (entries_.size() * 2 > slots_.size()) fill_slots(slots_.size() * 2);
}

void WordCounts::fill_slots(size_t slots) {
  slots_.assign(slots, {0, 0});
  const size_t mask = slots - 1;
  for (size_t e = 0; e < entries_.size(); ++e) {
    size_t slot = entries_[e].hash & mask;
    while (slots_[slot].entry != 0) slot = (slot + 1) & mask;
    slots_[slot] = {entries_[e].hash, static_cast<uint32_t>(e + 1)};
  }
}

void WordCounts::keep_most_common(size_t words) {
  if (entries_.size() <= words) return;
  // Ties are decided by the bytes, so that the outcome does not depend on the order of the entries.
  std::nth_element(
      entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(words), entries_.end(),
      [&](const Entry& a, const Entry& b) { return a.count != b.count ? a.count > b.count : word(a) < word(b); });
  entries_.resize(words);
  std::string blob;
  for (Entry& entry : entries_) {
    const size_t begin = blob.size();
    blob.append(word(entry));
    entry.begin = begin;
  }
  blob_ = std::move(blob);
  fill_slots(slots_.size());
}

void WordCounts::add_table(std::string_view blob, const int64_t* offsets, const double* counts, size_t words) {
  std::vector<uint8_t> word;
  for (size_t w = 0; w < words; ++w) {
    if (w % STOP_CHECK == 0) check_stop();
    word.assign(blob.begin() + offsets[w], blob.begin() + offsets[w + 1]);
    word.resize(word.size() + PADDED);
    add(word.data(), word.size() - PADDED, counts[w]);
  }
}

WordCounts::Table WordCounts::table() const {
  // Most words differ in their first sixteen bytes, which are compared as two big-endian numbers.
  struct Key {
    uint64_t first, second;
    const Entry* entry;
  };
  const auto big_endian = [](uint64_t chunk) {
    uint8_t bytes[8];
    std::memcpy(bytes, &chunk, 8);
    uint64_t value = 0;
    for (const uint8_t byte : bytes) value = value << 8 | byte;
    return value;
  };
  std::vector<Key> order;
  order.reserve(entries_.size());
  for (const Entry& entry : entries_) {
    if (!(entry.count > 0)) continue;
    order.push_back({big_endian(entry.beginning.first), big_endian(entry.beginning.second), &entry});
  }
  std::sort(order.begin(), order.end(), [&](const Key& a, const Key& b) {
    if (a.first != b.first) return a.first < b.first;
    return a.second != b.second ? a.second < b.second : word(*a.entry) < word(*b.entry);
  });
  Table table;
  table.blob.reserve(blob_.size());
  table.offsets.reserve(order.size() + 1);
  table.counts.reserve(order.size());
  table.offsets.push_back(0);
  for (const Key& key : order) {
    table.blob.append(word(*key.entry));
    table.offsets.push_back(static_cast<int64_t>(table.blob.size()));
    table.counts.push_back(key.entry->count);
  }
  return table;
}

WordCounts::Table WordCounts::subtract(const View& from, const View& other) {
  Table table;
  table.offsets.push_back(0);
  for (size_t w = 0, o = 0; w < from.size; ++w) {
    if (w % STOP_CHECK == 0) check_stop();
    const std::string_view word = from.word(w);
    while (o < other.size && other.word(o) < word) ++o;
    const double count = from.counts[w] - (o < other.size && other.word(o) == word ? other.counts[o] : 0);
    if (!(count > 0)) continue;
    table.blob.append(word);
    table.offsets.push_back(static_cast<int64_t>(table.blob.size()));
    table.counts.push_back(count);
  }
  return table;
}

WordCounts::Table WordCounts::with_fragments(std::string_view blob, const int64_t* offsets, const double* counts,
                                             size_t words, double share) {
  WordCounts all;
  std::vector<uint8_t> word;
  for (size_t w = 0; w < words; ++w) {
    if (w % STOP_CHECK == 0) check_stop();
    word.assign(blob.begin() + offsets[w], blob.begin() + offsets[w + 1]);
    word.resize(word.size() + PADDED);
    const uint8_t *begin = word.data(), *end = begin + word.size() - PADDED;
    const auto add = [&](const uint8_t* first, const uint8_t* last, double count) {
      all.add(first, static_cast<size_t>(last - first), count);
    };
    add(begin, end, counts[w]);
    const uint8_t* first = begin + (*begin == ' ');
    if (first == end || class_of(decode(first, end)) < unicode::MARK) continue;
    size_t characters = 0;
    for (const uint8_t* at = first; at < end; at += decode(at, end).size) ++characters;
    if (characters < 2) continue;
    const double count = counts[w] * share / static_cast<double>(characters);
    for (const uint8_t* at = first; at < end;) {
      const uint8_t* next = at + decode(at, end).size;
      if (at > first) add(begin, at, count);
      if (next < end) add(next, end, count);
      at = next;
    }
  }
  return all.table();
}

WordCounts::Table WordCounts::with_spellings(std::string_view blob, const int64_t* offsets, const double* counts,
                                             size_t words, double share) {
  WordCounts all;
  all.add_table(blob, offsets, counts, words);
  std::vector<uint8_t> padded;
  for (size_t w = 0; w < words; ++w) {
    if (w % STOP_CHECK == 0) check_stop();
    const auto begin = static_cast<size_t>(offsets[w]), end = static_cast<size_t>(offsets[w + 1]);
    for (const std::string& other : other_spellings(blob.substr(begin, end - begin))) {
      padded.assign(other.begin(), other.end());
      padded.resize(other.size() + PADDED);
      all.add(padded.data(), other.size(), counts[w] * share);
    }
  }
  return all.table();
}

}  // namespace unilid
