#include "models/vocabulary_learning.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/elementary.h"
#include "base/hash.h"
#include "base/parallel.h"
#include "base/simd.h"
#include "base/stop.h"
#include "models/lattice.h"
#include "models/vocabulary.h"
#include "words/words.h"

namespace unilid {

namespace {

// Parts into which words are divided for sums. The number is fixed, so that sums do not depend on the number of
// threads.
constexpr size_t SHARDS = 8;

std::vector<size_t> shards(size_t items) {
  std::vector<size_t> ends(SHARDS);
  for (size_t s = 0; s < SHARDS; ++s) ends[s] = items * (s + 1) / SHARDS;
  return ends;
}

struct Candidate {
  uint64_t hash;
  const uint8_t* bytes;
  uint32_t size;
  double weight;

  std::string_view view() const { return {reinterpret_cast<const char*>(bytes), size}; }
};

// Substrings with their weights: a hash table with open addressing.
class Candidates {
 public:
  Candidates() : slots_(1 << 10) {}

  // To add one takes two cache misses. For the substrings of a word they overlap: first prefetch_slot for all of them,
  // then prefetch_candidate, then add.
  void prefetch_slot(uint64_t hash) const { prefetch(&slots_[hash & (slots_.size() - 1)]); }
  void prefetch_candidate(uint64_t hash) const {
    const Slot slot = slots_[hash & (slots_.size() - 1)];
    if (slot.candidate != 0) prefetch(&all_[slot.candidate - 1]);
  }

  void add(const Candidate& candidate) {
    const size_t mask = slots_.size() - 1;
    size_t place = candidate.hash & mask;
    for (; slots_[place].candidate != 0; place = (place + 1) & mask) {
      if (slots_[place].tag != tag(candidate.hash)) continue;
      Candidate& other = all_[slots_[place].candidate - 1];
      if (other.hash == candidate.hash && other.view() == candidate.view()) {
        other.weight += candidate.weight;
        return;
      }
    }
    all_.push_back(candidate);
    slots_[place] = {tag(candidate.hash), static_cast<uint32_t>(all_.size())};
    if (all_.size() * 2 > slots_.size()) grow();
  }

  std::vector<Candidate>& all() { return all_; }

 private:
  struct Slot {
    uint32_t tag;        // a part of the hash
    uint32_t candidate;  // its index + 1; 0: the slot is empty
  };
  static uint32_t tag(uint64_t hash) { return static_cast<uint32_t>(hash >> 32); }

  void grow() {
    slots_.assign(slots_.size() * 2, {0, 0});
    const size_t mask = slots_.size() - 1;
    for (size_t c = 0; c < all_.size(); ++c) {
      size_t place = all_[c].hash & mask;
      while (slots_[place].candidate != 0) place = (place + 1) & mask;
      slots_[place] = {tag(all_[c].hash), static_cast<uint32_t>(c + 1)};
    }
  }

  std::vector<Candidate> all_;
  std::vector<Slot> slots_;
};

// Counts the substrings of more than a byte, between character boundaries and within the limits, whose hashes belong to
// one part of all. They are added in the order of the words, so that their sums do not depend on the number of parts.
Candidates count_substrings(const uint8_t* bytes, const int64_t* offsets, const double* weights, size_t words,
                            const LearnSettings& settings, size_t part, size_t parts) {
  Candidates candidates;
  std::vector<const uint8_t*> boundaries;
  std::vector<uint64_t> characters;  // their hashes
  std::vector<Candidate> of_word;
  for (size_t w = 0; w < words; ++w) {
    if (w % STOP_CHECK == 0) check_stop();
    const uint8_t *begin = bytes + offsets[w], *end = bytes + offsets[w + 1];
    boundaries.clear(), characters.clear(), of_word.clear();
    for (const uint8_t* at = begin; at < end;) {
      const uint32_t size = decode(at, end).size;
      boundaries.push_back(at);
      characters.push_back(hash_bytes(at, size));
      at += size;
    }
    boundaries.push_back(end);
    for (size_t i = 0; i < characters.size(); ++i) {
      const size_t last = std::min(characters.size(), i + settings.max_characters);
      uint64_t hash = 0;
      for (size_t j = i + 1; j <= last; ++j) {
        const size_t size = static_cast<size_t>(boundaries[j] - boundaries[i]);
        if (size > settings.max_bytes) break;
        hash = mix_hash(hash, characters[j - 1]);
        if (size < 2 || (hash >> 32) * parts >> 32 != part) continue;
        of_word.push_back({hash, boundaries[i], static_cast<uint32_t>(size), weights[w]});
        candidates.prefetch_slot(hash);
      }
    }
    for (const Candidate& candidate : of_word) candidates.prefetch_candidate(candidate.hash);
    for (const Candidate& candidate : of_word) candidates.add(candidate);
  }
  return candidates;
}

struct Seed {
  std::string bytes;
  bool keep;  // it is never pruned
};

// The substrings that cover the most text (weight times length) become seeds. Single bytes are always kept. So are the
// most common characters, as many as fill half of the rest: a language that had to spell one rare character of its
// script in bytes would make these bytes probable, and with them all characters of the script that share them.
std::vector<Seed> find_seeds(const uint8_t* bytes, const int64_t* offsets, const double* weights, size_t words,
                             const LearnSettings& settings) {
  const size_t parts = std::clamp<size_t>(settings.threads, 1, MAX_THREADS);
  std::vector<std::vector<Candidate>> characters_of(parts), others_of(parts);
  const auto take_best = [&](std::vector<Candidate>& from, size_t count, auto&& value) {
    const auto better = [&](const Candidate& a, const Candidate& b) {
      return value(a) != value(b) ? value(a) > value(b) : a.view() < b.view();
    };
    if (from.size() > count) {
      std::nth_element(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(count), from.end(), better);
      from.resize(count);
    }
  };
  const auto take_characters = [&](std::vector<Candidate>& from) {
    take_best(from, (settings.size - 256) / 2, [](const Candidate& c) { return c.weight; });
  };
  const auto take_others = [&](std::vector<Candidate>& from) {
    take_best(from, settings.seeds, [](const Candidate& c) { return c.weight * c.size; });
  };
  parallel_ranges(one_by_one(parts), settings.threads, [&](size_t part, size_t) {
    Candidates candidates = count_substrings(bytes, offsets, weights, words, settings, part, parts);
    std::vector<Candidate>& all = candidates.all();
    const auto longer = std::partition(
        all.begin(), all.end(), [](const Candidate& c) { return decode(c.bytes, c.bytes + c.size).size == c.size; });
    characters_of[part].assign(all.begin(), longer);
    others_of[part].assign(longer, all.end());
    take_characters(characters_of[part]);
    take_others(others_of[part]);
  });
  const auto join = [](const std::vector<std::vector<Candidate>>& lists) {
    std::vector<Candidate> all;
    for (const std::vector<Candidate>& list : lists) all.insert(all.end(), list.begin(), list.end());
    return all;
  };
  std::vector<Candidate> characters = join(characters_of), others = join(others_of);
  take_characters(characters);
  take_others(others);

  std::vector<Seed> seeds;
  seeds.reserve(characters.size() + others.size() + 256);
  for (const Candidate& c : characters) seeds.push_back({std::string(c.view()), true});
  for (const Candidate& c : others) seeds.push_back({std::string(c.view()), false});
  for (int byte = 0; byte < 256; ++byte) seeds.push_back({std::string(1, static_cast<char>(byte)), true});
  std::sort(seeds.begin(), seeds.end(), [](const Seed& a, const Seed& b) { return a.bytes < b.bytes; });
  return seeds;
}

Vocabulary make_vocabulary(const std::vector<Seed>& tokens) {
  std::string blob;
  std::vector<int64_t> offsets{0};
  for (const Seed& token : tokens) {
    blob += token.bytes;
    offsets.push_back(static_cast<int64_t>(blob.size()));
  }
  return Vocabulary(blob, offsets.data(), tokens.size());
}

// What the likelihood of the corpus loses without each token, in nats: the expected count of the token times the
// difference between its log-probability and that of its best segmentation into others.
std::vector<double> losses(const std::vector<Seed>& tokens, const Vocabulary& vocabulary,
                           const std::vector<double>& expected, double total, size_t threads) {
  std::vector<double> result(tokens.size(), INFINITY);
  std::vector<double> log_p(tokens.size());
  for (size_t t = 0; t < tokens.size(); ++t) log_p[t] = portable::log((expected[t] + 1e-9) / total);
  parallel_ranges(shards(tokens.size()), threads, [&](size_t first, size_t last) {
    std::vector<double> best;
    for (size_t t = first; t < last; ++t) {
      if (tokens[t].keep) continue;
      const size_t n = tokens[t].bytes.size();
      const uint8_t* begin = reinterpret_cast<const uint8_t*>(tokens[t].bytes.data());
      best.assign(n + 1, -INFINITY);
      best[0] = 0;
      vocabulary.edges(begin, n, [&](size_t i, uint32_t token, size_t length, bool) {
        if (length < n) best[i + length] = std::max(best[i + length], best[i] + log_p[token]);
      });
      result[t] = expected[t] * (log_p[t] - best[n]);
    }
  });
  return result;
}

}  // namespace

std::vector<std::string> learn_vocabulary(std::string_view blob, const int64_t* offsets, const double* weights,
                                          size_t words, const LearnSettings& settings) {
  const uint8_t* bytes = reinterpret_cast<const uint8_t*>(blob.data());
  std::vector<Seed> tokens = find_seeds(bytes, offsets, weights, words, settings);
  std::vector<double> p, log_p;
  std::vector<Lattices> lattices(SHARDS);
  while (tokens.size() > settings.size) {
    const Vocabulary vocabulary = make_vocabulary(tokens);
    if (p.empty()) p.assign(tokens.size(), 1.0 / static_cast<double>(tokens.size()));
    std::vector<double> expected(tokens.size());
    double total = 0;
    std::vector<std::vector<double>> parts(SHARDS);
    for (int round = 0; round < settings.rounds; ++round) {
      log_p.resize(p.size());
      for (size_t t = 0; t < p.size(); ++t) log_p[t] = portable::log(p[t]);
      parallel_ranges(one_by_one(SHARDS), settings.threads, [&](size_t shard, size_t) {
        const size_t first = words * shard / SHARDS, last = words * (shard + 1) / SHARDS;
        if (lattices[shard].words.empty()) {
          for (size_t w = first; w < last; ++w) {
            if (w % STOP_CHECK == 0) check_stop();
            lattices[shard].add(bytes + offsets[w], bytes + offsets[w + 1], vocabulary, [](uint32_t t) { return t; });
          }
        }
        parts[shard].assign(tokens.size(), 0.0);
        Expectation expectation(lattices[shard], p, log_p);
        for (size_t w = first; w < last; ++w) {
          if (w % STOP_CHECK == 0) check_stop();
          expectation.add(lattices[shard].words[w - first], weights[w], parts[shard]);
        }
      });
      std::fill(expected.begin(), expected.end(), 0.0);
      for (const std::vector<double>& part : parts) {
        for (size_t t = 0; t < expected.size(); ++t) expected[t] += part[t];
      }
      total = std::accumulate(expected.begin(), expected.end(), 0.0);
      // No token has probability 0: it may be needed once a longer token is pruned.
      for (size_t t = 0; t < p.size(); ++t) p[t] = std::max(expected[t] / total, 1e-9);
    }

    const std::vector<double> loss = losses(tokens, vocabulary, expected, total, settings.threads);
    std::vector<size_t> order(tokens.size());
    std::iota(order.begin(), order.end(), 0);
    const size_t keep =
        std::max(settings.size, static_cast<size_t>(settings.shrink * static_cast<double>(tokens.size())));
    std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(keep), order.end(),
                     [&](size_t a, size_t b) { return loss[a] != loss[b] ? loss[a] > loss[b] : a < b; });
    order.resize(keep);
    std::sort(order.begin(), order.end());
    std::vector<Seed> survivors;
    std::vector<double> survivors_p;
    for (const size_t t : order) survivors.push_back(std::move(tokens[t])), survivors_p.push_back(p[t]);
    std::vector<uint32_t> numbers(tokens.size(), Lattices::NONE);
    for (size_t k = 0; k < keep; ++k) numbers[order[k]] = static_cast<uint32_t>(k);
    parallel_ranges(one_by_one(SHARDS), settings.threads,
                    [&](size_t shard, size_t) { lattices[shard].renumber(numbers); });
    tokens = std::move(survivors);
    p = std::move(survivors_p);
  }
  std::vector<std::string> result;
  for (Seed& token : tokens) result.push_back(std::move(token.bytes));
  return result;
}

}  // namespace unilid
