#include "context.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace unilid {

namespace {

template <class Visit>
void for_each_character(const uint8_t* at, const uint8_t* end, Visit&& visit) {
  while (at < end) {
    const Character character = decode(at, end);
    visit(character.valid ? character.code_point : INVALID_BYTE + character.code_point);
    at += character.size;
  }
}

// One order of a language's trie while it grows: (parent, character) to node.
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

}  // namespace

ContextEstimate estimate_context(std::string_view blob, const int64_t* offsets, const double* counts, size_t words,
                                 size_t order, double discount, double base) {
  std::vector<GrowingLevel> levels(order);
  std::vector<std::vector<double>> n(order);  // occurrences first, then what the formula calls n
  const uint8_t* bytes = reinterpret_cast<const uint8_t*>(blob.data());
  std::vector<uint32_t> u;
  for (size_t w = 0; w < words; ++w) {
    u.assign(1, WORD_START);
    for_each_character(bytes + offsets[w], bytes + offsets[w + 1], [&](uint32_t c) { u.push_back(c); });
    u.push_back(WORD_END);
    for (size_t first = 0; first < u.size(); ++first) {
      uint32_t node = 0;
      for (size_t k = 0; k < order && first + k < u.size(); ++k) {
        node = levels[k].find_or_add(node, u[first + k]);
        if (n[k].size() < levels[k].parents.size()) n[k].push_back(0);
        n[k][node] += counts[w];
      }
    }
  }

  // suffix[k][node]: the node of the level below without the first character. Distinct left neighbours are the n-grams
  // of the level above that end in this one.
  std::vector<std::vector<uint32_t>> suffix(order);
  std::vector<std::vector<uint8_t>> starts(order);  // begins with START
  for (size_t k = 0; k < order; ++k) {
    const size_t size = levels[k].parents.size();
    suffix[k].resize(size), starts[k].resize(size);
    for (size_t i = 0; i < size; ++i) {
      const uint32_t parent = levels[k].parents[i], character = levels[k].characters[i];
      starts[k][i] = k == 0 ? character == WORD_START : starts[k - 1][parent];
      if (k > 0) suffix[k][i] = levels[k - 1].find(k == 1 ? 0 : suffix[k - 1][parent], character);
    }
  }
  for (size_t k = 0; k + 1 < order; ++k) {
    std::vector<double> neighbours(n[k].size());
    for (const uint32_t s : suffix[k + 1]) neighbours[s] += 1;
    for (size_t i = 0; i < n[k].size(); ++i) {
      if (!starts[k][i]) n[k][i] = neighbours[i];
    }
  }

  ContextEstimate result;
  result.levels.resize(order);
  std::vector<double> below, probability, sum{0}, types{0}, backoff;
  for (size_t k = 0; k < order; ++k) {
    const GrowingLevel& level = levels[k];
    const size_t size = level.parents.size();
    sum.assign(k == 0 ? 1 : levels[k - 1].parents.size(), 0.0);
    types.assign(sum.size(), 0.0), backoff.assign(sum.size(), 1.0);
    for (size_t i = 0; i < size; ++i) {
      if (k == 0 && level.characters[i] == WORD_START) continue;  // never predicted
      sum[level.parents[i]] += n[k][i];
      types[level.parents[i]] += 1;
    }
    for (size_t h = 0; h < sum.size(); ++h) {
      if (sum[h] > 0) backoff[h] = std::min(1.0, discount * types[h] / sum[h]);
    }
    if (k == 0) {
      result.root_backoff = std::log(backoff[0]);
    } else {
      ContextLevel& contexts = result.levels[k - 1];
      for (size_t h = 0; h < sum.size(); ++h) contexts.log_backoff[h] = std::log(backoff[h]);
    }
    probability.assign(size, 0.0);
    ContextLevel& out = result.levels[k];
    out.log_p.resize(size), out.log_backoff.assign(size, 0.0);
    for (size_t i = 0; i < size; ++i) {
      const uint32_t h = level.parents[i];
      const double lower = k == 0 ? base : below[suffix[k][i]];
      const double own = sum[h] > 0 ? std::max(n[k][i] - discount, 0.0) / sum[h] : 0.0;
      probability[i] = own + backoff[h] * lower;
      out.log_p[i] = std::log(probability[i]);
    }
    below = probability;
  }
  for (size_t k = 0; k < order; ++k) {
    result.levels[k].parents = std::move(levels[k].parents);
    result.levels[k].characters = std::move(levels[k].characters);
  }
  return result;
}

// ---- scoring

ContextModel::ContextModel(ContextTable table)
    : table_(std::move(table)),
      width_(padded(table_.language_count)),
      characters_(WORD_END + 1, 0xFFFF),
      dense_(table_.levels.size()),
      start_(width_) {
  const size_t languages = table_.language_count;
  for (size_t c = 0; c < table_.levels[0].size; ++c) characters_[table_.code_points[c]] = static_cast<uint16_t>(c);
  for (size_t l = 0; l < languages; ++l) start_[l] = static_cast<uint16_t>(table_.base + table_.root_backoff[l]);
  const uint32_t dense_from = static_cast<uint32_t>(languages / 8) + 1;
  for (size_t k = 0; k < table_.levels.size(); ++k) {
    const ContextTable::Level& level = table_.levels[k];
    Dense& dense = dense_[k];
    dense.row_of.assign(level.size, NONE);
    uint32_t rows = 0;
    for (size_t i = 0; i < level.size; ++i) {
      if (level.first_entry[i + 1] - level.first_entry[i] >= dense_from) dense.row_of[i] = rows++;
    }
    dense.costs = Aligned<uint8_t>(rows * width_);
    std::memset(dense.costs.data(), 0xFF, rows * width_);
    if (level.backoffs != nullptr) dense.backoffs = Aligned<uint8_t>(rows * width_);
    for (size_t i = 0; i < level.size; ++i) {
      if (dense.row_of[i] == NONE) continue;
      const size_t row = dense.row_of[i] * width_;
      for (uint32_t e = level.first_entry[i]; e < level.first_entry[i + 1]; ++e) {
        dense.costs[row + level.languages[e]] = level.costs[e];
        if (level.backoffs != nullptr) dense.backoffs[row + level.languages[e]] = level.backoffs[e];
      }
    }
  }
}

uint32_t ContextModel::character(uint32_t code_point) const {
  const uint16_t found = characters_[code_point];
  return found == 0xFFFF ? NONE : found;
}

// The child of a node of `level` (from 0) in the next one.
uint32_t ContextModel::child(size_t level, uint32_t node, uint32_t character) const {
  const ContextTable::Level& next = table_.levels[level + 1];
  const uint16_t* first = next.characters + table_.levels[level].first_child[node];
  const uint16_t* last = next.characters + table_.levels[level].first_child[node + 1];
  const uint16_t* found = std::lower_bound(first, last, static_cast<uint16_t>(character));
  return found == last || *found != character ? NONE : static_cast<uint32_t>(found - next.characters);
}

void ContextModel::add_backoff(size_t k, uint32_t node, uint16_t* costs) const {
  const ContextTable::Level& level = table_.levels[k];
  const uint32_t row = dense_[k].row_of[node];
  if (row != NONE) return add_bytes(costs, dense_[k].backoffs.data() + row * width_, width_);
  for (uint32_t e = level.first_entry[node]; e < level.first_entry[node + 1]; ++e) {
    costs[level.languages[e]] = static_cast<uint16_t>(costs[level.languages[e]] + level.backoffs[e]);
  }
}

// An interpolated probability is never below what backing off gives: taking the smaller cost is the formula, up to
// rounding, and lets 255 stand for an absent language in a row.
void ContextModel::lower(size_t k, uint32_t node, uint16_t* costs) const {
  const ContextTable::Level& level = table_.levels[k];
  const uint32_t row = dense_[k].row_of[node];
  if (row != NONE) return min_bytes(costs, dense_[k].costs.data() + row * width_, width_);
  for (uint32_t e = level.first_entry[node]; e < level.first_entry[node + 1]; ++e) {
    uint16_t& cost = costs[level.languages[e]];
    cost = std::min<uint16_t>(cost, level.costs[e]);
  }
}

void ContextModel::costs(const uint8_t* word, size_t size, uint16_t* scratch, uint16_t* out) const {
  const size_t order = table_.levels.size();
  uint32_t before[MAX_ORDER], now[MAX_ORDER];  // node of each order that ends at the last character, and at this one
  std::fill(before, before + order, NONE);
  before[0] = character(WORD_START);
  std::memset(out, 0, width_ * sizeof(uint16_t));
  const auto step = [&](uint32_t code_point) {
    const uint32_t c = character(code_point);
    std::memcpy(scratch, start_.data(), width_ * sizeof(uint16_t));
    now[0] = c;
    if (c != NONE) lower(0, c, scratch);
    for (size_t k = 1; k < order; ++k) {
      now[k] = NONE;
      if (before[k - 1] == NONE) continue;
      add_backoff(k - 1, before[k - 1], scratch);
      if (c == NONE) continue;
      now[k] = child(k - 1, before[k - 1], c);
      if (now[k] != NONE) lower(k, now[k], scratch);
    }
    accumulate_clipped(out, scratch, width_);
    std::copy(now, now + order, before);
  };
  for_each_character(word, word + size, step);
  step(WORD_END);
}

}  // namespace unilid
