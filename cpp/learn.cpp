#include "learn.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "hash.h"
#include "lattice.h"
#include "parallel.h"
#include "vocabulary.h"
#include "words.h"

namespace unilid {

namespace {

// Fixed, so that sums do not depend on the number of threads.
constexpr size_t SHARDS = 8;

struct Candidate {
  uint64_t hash;
  const uint8_t* bytes;
  uint32_t size;
  double weight;
};

// Counts substrings; open addressing.
class Candidates {
 public:
  Candidates() : slots_(1 << 16) {}

  void add(const uint8_t* bytes, uint32_t size, double weight) {
    const uint64_t hash = hash_bytes(bytes, size);
    const size_t mask = slots_.size() - 1;
    size_t slot = hash & mask;
    for (; slots_[slot] != 0; slot = (slot + 1) & mask) {
      Candidate& found = all_[slots_[slot] - 1];
      if (found.hash == hash && found.size == size && std::memcmp(found.bytes, bytes, size) == 0) {
        found.weight += weight;
        return;
      }
    }
    all_.push_back({hash, bytes, size, weight});
    slots_[slot] = static_cast<uint32_t>(all_.size());
    if (all_.size() * 2 > slots_.size()) {
      slots_.assign(slots_.size() * 2, 0);
      for (size_t c = 0; c < all_.size(); ++c) {
        size_t place = all_[c].hash & (slots_.size() - 1);
        while (slots_[place] != 0) place = (place + 1) & (slots_.size() - 1);
        slots_[place] = static_cast<uint32_t>(c + 1);
      }
    }
  }

  std::vector<Candidate>& all() { return all_; }

 private:
  std::vector<Candidate> all_;
  std::vector<uint32_t> slots_;
};

struct Seed {
  std::string bytes;
  bool keep;  // never pruned
};

// Every substring between character boundaries within the limits; those that cover the most text, weight times length,
// become seeds. Single bytes stay, and single characters as long as they fill no more than half of what is left: a
// language that had to spell one rare character in bytes would otherwise know the bytes of all its relatives'.
std::vector<Seed> find_seeds(const uint8_t* bytes, const int64_t* offsets, const double* weights, size_t words,
                             const LearnSettings& settings) {
  Candidates candidates;
  std::vector<const uint8_t*> boundaries;
  for (size_t w = 0; w < words; ++w) {
    const uint8_t *begin = bytes + offsets[w], *end = bytes + offsets[w + 1];
    boundaries.clear();
    for (const uint8_t* at = begin; at < end; at += decode(at, end).size) boundaries.push_back(at);
    boundaries.push_back(end);
    for (size_t i = 0; i + 1 < boundaries.size(); ++i) {
      const size_t last = std::min(boundaries.size() - 1, i + settings.max_characters);
      for (size_t j = i + 1; j <= last; ++j) {
        const size_t size = static_cast<size_t>(boundaries[j] - boundaries[i]);
        if (size > settings.max_bytes) break;
        if (size > 1) candidates.add(boundaries[i], static_cast<uint32_t>(size), weights[w]);
      }
    }
  }
  std::vector<Candidate>& all = candidates.all();
  const auto view = [](const Candidate& c) { return std::string_view(reinterpret_cast<const char*>(c.bytes), c.size); };
  const auto take_best = [&](std::vector<Candidate>& from, size_t count, auto&& value) {
    const auto better = [&](const Candidate& a, const Candidate& b) {
      return value(a) != value(b) ? value(a) > value(b) : view(a) < view(b);
    };
    if (from.size() > count) {
      std::nth_element(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(count), from.end(), better);
      from.resize(count);
    }
  };
  const auto longer = std::partition(
      all.begin(), all.end(), [](const Candidate& c) { return decode(c.bytes, c.bytes + c.size).size == c.size; });
  std::vector<Candidate> characters(all.begin(), longer), others(longer, all.end());
  take_best(characters, (settings.size - 256) / 2, [](const Candidate& c) { return c.weight; });
  take_best(others, settings.seeds, [](const Candidate& c) { return c.weight * c.size; });

  std::vector<Seed> seeds;
  seeds.reserve(characters.size() + others.size() + 256);
  for (const Candidate& c : characters) seeds.push_back({std::string(view(c)), true});
  for (const Candidate& c : others) seeds.push_back({std::string(view(c)), false});
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

// What the corpus loses, in nats, without each token: its expected count times the distance to its next best
// segmentation.
std::vector<double> losses(const std::vector<Seed>& tokens, const Vocabulary& vocabulary,
                           const std::vector<double>& expected, double total) {
  std::vector<double> result(tokens.size());
  std::vector<double> log_p(tokens.size());
  for (size_t t = 0; t < tokens.size(); ++t) log_p[t] = std::log((expected[t] + 1e-9) / total);
  std::vector<double> best;
  for (size_t t = 0; t < tokens.size(); ++t) {
    const size_t n = tokens[t].bytes.size();
    if (tokens[t].keep) {
      result[t] = INFINITY;
      continue;
    }
    const uint8_t* begin = reinterpret_cast<const uint8_t*>(tokens[t].bytes.data());
    best.assign(n + 1, -INFINITY);
    best[0] = 0;
    vocabulary.edges(begin, n, [&](size_t i, uint32_t token, size_t length, bool) {
      if (length < n) best[i + length] = std::max(best[i + length], best[i] + log_p[token]);
    });
    result[t] = expected[t] * (log_p[t] - best[n]);
  }
  return result;
}

}  // namespace

std::vector<std::string> learn_vocabulary(std::string_view blob, const int64_t* offsets, const double* weights,
                                          size_t words, const LearnSettings& settings) {
  const uint8_t* bytes = reinterpret_cast<const uint8_t*>(blob.data());
  std::vector<Seed> tokens = find_seeds(bytes, offsets, weights, words, settings);
  std::vector<double> p;
  while (tokens.size() > settings.size) {
    const Vocabulary vocabulary = make_vocabulary(tokens);
    if (p.empty()) p.assign(tokens.size(), 1.0 / static_cast<double>(tokens.size()));
    std::vector<double> expected(tokens.size());
    double total = 0;
    std::vector<std::vector<double>> parts(SHARDS);
    std::vector<Lattices> lattices(SHARDS);
    std::vector<size_t> shards(SHARDS);
    std::iota(shards.begin(), shards.end(), 1);
    for (int round = 0; round < settings.rounds; ++round) {
      parallel_ranges(shards, settings.threads, [&](size_t shard, size_t) {
        const size_t first = words * shard / SHARDS, last = words * (shard + 1) / SHARDS;
        if (round == 0) {
          for (size_t w = first; w < last; ++w) {
            lattices[shard].add(bytes + offsets[w], bytes + offsets[w + 1], vocabulary, [](uint32_t t) { return t; });
          }
        }
        parts[shard].assign(tokens.size(), 0.0);
        Expectation expectation(lattices[shard], p);
        for (size_t w = first; w < last; ++w) {
          expectation.add(lattices[shard].words[w - first], weights[w], parts[shard]);
        }
      });
      std::fill(expected.begin(), expected.end(), 0.0);
      for (const std::vector<double>& part : parts) {
        for (size_t t = 0; t < expected.size(); ++t) expected[t] += part[t];
      }
      total = std::accumulate(expected.begin(), expected.end(), 0.0);
      // Never quite zero: when a longer token goes, those that covered for it must still be there.
      for (size_t t = 0; t < p.size(); ++t) p[t] = std::max(expected[t] / total, 1e-9);
    }

    const std::vector<double> loss = losses(tokens, vocabulary, expected, total);
    std::vector<size_t> order(tokens.size());
    std::iota(order.begin(), order.end(), 0);
    const size_t keep =
        std::max(settings.size, static_cast<size_t>(settings.shrink * static_cast<double>(tokens.size())));
    std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(keep), order.end(),
                     [&](size_t a, size_t b) { return loss[a] != loss[b] ? loss[a] > loss[b] : a < b; });
    order.resize(keep);
    std::sort(order.begin(), order.end());
    std::vector<Seed> kept;
    std::vector<double> kept_p;
    for (const size_t t : order) kept.push_back(std::move(tokens[t])), kept_p.push_back(p[t]);
    tokens = std::move(kept);
    p = std::move(kept_p);
  }
  std::vector<std::string> result;
  for (Seed& token : tokens) result.push_back(std::move(token.bytes));
  return result;
}

}  // namespace unilid
