#include "models/context_estimation.h"

#include <algorithm>
#include <cmath>

#include "base/elementary.h"
#include "base/stop.h"
#include "models/context.h"
#include "words/words.h"

namespace unilid {

namespace {

// Calls visit(code point) for every character.
template <class Visit>
void for_each_character(const uint8_t* at, const uint8_t* end, Visit&& visit) {
  while (at < end) {
    const Character character = decode(at, end);
    visit(character.valid ? character.code_point : INVALID_BYTE + character.code_point);
    at += character.size;
  }
}

// One order of the trie of n-grams while it grows: a hash table from (parent, character) to a node.
class GrowingLevel {
 public:
  GrowingLevel() : slots_(256) {}

  uint32_t find_or_add(uint32_t parent, uint32_t character) {
    const size_t slot = find_slot(parent, character);
    if (slots_[slot] != 0) return slots_[slot] - 1;
    parents.push_back(parent);
    characters.push_back(character);
    slots_[slot] = static_cast<uint32_t>(parents.size());
    const uint32_t added = slots_[slot] - 1;
    if (parents.size() * 2 > slots_.size()) {
      slots_.assign(slots_.size() * 2, 0);
      for (size_t n = 0; n < parents.size(); ++n) {
        slots_[find_slot(parents[n], characters[n])] = static_cast<uint32_t>(n + 1);
      }
    }
    return added;
  }

  uint32_t find(uint32_t parent, uint32_t character) const { return slots_[find_slot(parent, character)] - 1; }

  std::vector<uint32_t> parents, characters;

 private:
  size_t find_slot(uint32_t parent, uint32_t character) const {
    uint64_t hash = (static_cast<uint64_t>(parent) << 21 ^ character) * 0x9E3779B97F4A7C15u;
    const size_t mask = slots_.size() - 1;
    size_t slot = (hash ^ hash >> 32) & mask;
    while (slots_[slot] != 0 && (parents[slots_[slot] - 1] != parent || characters[slots_[slot] - 1] != character)) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }
  std::vector<uint32_t> slots_;
};

// The n-grams of a language and their statistics, order by order.
struct Statistics {
  std::vector<GrowingLevel> levels;
  std::vector<std::vector<double>> occurrences;  // weighted
  std::vector<std::vector<double>> n;            // as in the formula
  std::vector<std::vector<uint32_t>> suffix;     // the n-gram without its first character, in the order below

  size_t order() const { return levels.size(); }
  size_t size(size_t k) const { return levels[k].parents.size(); }
  // The number of contexts of the n-grams of level k. The first level has one, which is empty.
  size_t contexts(size_t k) const { return k == 0 ? 1 : size(k - 1); }
};

Statistics count_ngrams(std::string_view blob, const int64_t* offsets, const double* counts, size_t words,
                        size_t order) {
  Statistics all{std::vector<GrowingLevel>(order), std::vector<std::vector<double>>(order), {}, {}};
  const uint8_t* bytes = reinterpret_cast<const uint8_t*>(blob.data());
  std::vector<uint32_t> u;
  for (size_t w = 0; w < words; ++w) {
    if (w % STOP_CHECK == 0) check_stop();
    u.assign(1, WORD_START);
    for_each_character(bytes + offsets[w], bytes + offsets[w + 1], [&](uint32_t c) { u.push_back(c); });
    u.push_back(WORD_END);
    for (size_t first = 0; first < u.size(); ++first) {
      uint32_t node = 0;
      for (size_t k = 0; k < order && first + k < u.size(); ++k) {
        node = all.levels[k].find_or_add(node, u[first + k]);
        if (all.occurrences[k].size() < all.size(k)) all.occurrences[k].push_back(0);
        all.occurrences[k][node] += counts[w];
      }
    }
  }

  all.suffix.resize(order);
  std::vector<std::vector<uint8_t>> starts(order);  // whether the n-gram begins with WORD_START
  for (size_t k = 0; k < order; ++k) {
    all.suffix[k].resize(all.size(k)), starts[k].resize(all.size(k));
    for (size_t i = 0; i < all.size(k); ++i) {
      const uint32_t parent = all.levels[k].parents[i], character = all.levels[k].characters[i];
      starts[k][i] = k == 0 ? character == WORD_START : starts[k - 1][parent];
      if (k > 0) all.suffix[k][i] = all.levels[k - 1].find(k == 1 ? 0 : all.suffix[k - 1][parent], character);
    }
  }
  all.n = all.occurrences;
  for (size_t k = 0; k + 1 < order; ++k) {
    std::vector<double> neighbours(all.size(k));
    for (const uint32_t s : all.suffix[k + 1]) neighbours[s] += 1;
    for (size_t i = 0; i < all.size(k); ++i) {
      if (!starts[k][i]) all.n[k][i] = neighbours[i];
    }
  }
  return all;
}

// p[k][i]: of the last character of an n-gram after the others. backoff[k][h]: of the contexts of level k.
struct Probabilities {
  std::vector<std::vector<double>> p, backoff;
};

Probabilities interpolate(const Statistics& all, double discount, double base) {
  const size_t order = all.order();
  Probabilities result{std::vector<std::vector<double>>(order), std::vector<std::vector<double>>(order)};
  auto& [p, backoff] = result;
  for (size_t k = 0; k < order; ++k) {
    const GrowingLevel& level = all.levels[k];
    std::vector<double> sum(all.contexts(k)), types(all.contexts(k));
    for (size_t i = 0; i < all.size(k); ++i) {
      if (k == 0 && level.characters[i] == WORD_START) continue;  // it is never predicted
      sum[level.parents[i]] += all.n[k][i];
      types[level.parents[i]] += 1;
    }
    backoff[k].assign(all.contexts(k), 1.0);
    for (size_t h = 0; h < sum.size(); ++h) {
      if (sum[h] > 0) backoff[k][h] = std::min(1.0, discount * types[h] / sum[h]);
    }
    p[k].resize(all.size(k));
    for (size_t i = 0; i < all.size(k); ++i) {
      const uint32_t h = level.parents[i];
      const double own = sum[h] > 0 ? std::max(all.n[k][i] - discount, 0.0) / sum[h] : 0.0;
      p[k][i] = own + backoff[k][h] * (k == 0 ? base : p[k - 1][all.suffix[k][i]]);
    }
  }
  return result;
}

// A flag for each n-gram, by order: whether it is kept.
using KeepFlags = std::vector<std::vector<uint8_t>>;

KeepFlags keep_everything(const Statistics& all) {
  KeepFlags keep(all.order());
  for (size_t k = 0; k < all.order(); ++k) keep[k].assign(all.size(k), 1);
  return keep;
}

// Drops n-grams from the highest order down, and normalises the back-offs of their contexts.
void prune_ngrams(const Statistics& all, double prune, size_t prune_from, Probabilities& probabilities,
                  KeepFlags& keep) {
  auto& [p, backoff] = probabilities;
  double total = 0;
  for (const double occurrences : all.occurrences[0]) total += occurrences;
  for (size_t k = all.order(); k-- >= prune_from;) {
    std::vector<uint8_t> needed(all.size(k));
    if (k + 1 < all.order()) {
      for (size_t i = 0; i < all.size(k + 1); ++i) needed[all.levels[k + 1].parents[i]] |= keep[k + 1][i];
    }
    // For each context: the probability that its kept n-grams leave to the other characters, and the probability that
    // these have in the order below.
    std::vector<double> left(all.contexts(k), 1.0), below(all.contexts(k), 1.0);
    std::vector<uint8_t> used(all.contexts(k)), lost(all.contexts(k));
    for (size_t i = 0; i < all.size(k); ++i) {
      const uint32_t h = all.levels[k].parents[i];
      const double lower = p[k - 1][all.suffix[k][i]];
      const double loss = all.occurrences[k][i] * portable::log(p[k][i] / (backoff[k][h] * lower));
      keep[k][i] = needed[i] || loss >= prune * std::sqrt(total);
      if (keep[k][i]) {
        left[h] -= p[k][i], below[h] -= lower, used[h] = 1;
      } else {
        lost[h] = 1;
      }
    }
    for (size_t h = 0; h < left.size(); ++h) {
      if (!lost[h]) continue;
      backoff[k][h] = used[h] ? std::clamp(left[h] / std::max(below[h], 1e-9), backoff[k][h], 1.0) : 1.0;
    }
  }
}

}  // namespace

ContextEstimate estimate_context(std::string_view blob, const int64_t* offsets, const double* counts, size_t words,
                                 size_t order, double discount, double base, double prune, size_t prune_from) {
  const Statistics all = count_ngrams(blob, offsets, counts, words, order);
  Probabilities probabilities = interpolate(all, discount, base);
  KeepFlags keep = keep_everything(all);
  if (prune > 0) prune_ngrams(all, prune, prune_from, probabilities, keep);

  const auto& [p, backoff] = probabilities;
  ContextEstimate result;
  result.root_backoff = portable::log(backoff[0][0]);
  result.levels.resize(order);
  std::vector<uint32_t> number_before{0}, number;  // the indices of the n-grams that are kept, among these
  for (size_t k = 0; k < order; ++k) {
    ContextLevelEstimate& out = result.levels[k];
    number.assign(all.size(k), 0);
    for (size_t i = 0; i < all.size(k); ++i) {
      if (!keep[k][i]) continue;
      number[i] = static_cast<uint32_t>(out.parents.size());
      out.parents.push_back(number_before[all.levels[k].parents[i]]);
      out.characters.push_back(all.levels[k].characters[i]);
      out.log_p.push_back(portable::log(p[k][i]));
      out.log_backoff.push_back(k + 1 < order ? portable::log(backoff[k + 1][i]) : 0.0);
    }
    number_before = number;
  }
  return result;
}

}  // namespace unilid
