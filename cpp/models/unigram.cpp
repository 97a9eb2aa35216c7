#include "models/unigram.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/elementary.h"

namespace unilid {

UnigramModel::UnigramModel(std::shared_ptr<const Vocabulary> vocabulary, TokenCosts table)
    : vocabulary_(std::move(vocabulary)),
      table_(table),
      width_(padded(table.language_count)),
      row_of_(vocabulary_->size(), SPARSE),
      unseen_(width_) {
  std::memcpy(unseen_.data(), table_.unseen, table_.language_count);
  const int64_t dense_from = static_cast<int64_t>(table_.language_count / LANGUAGES_PER_ENTRY) + 1;
  uint32_t rows = 0;
  for (size_t t = 0; t < row_of_.size(); ++t) {
    if (table_.offsets[t + 1] - table_.offsets[t] >= dense_from) row_of_[t] = rows++;
  }
  rows_ = Aligned<uint8_t>(rows * width_, false);
  for (size_t t = 0; t < row_of_.size(); ++t) {
    if (row_of_[t] == SPARSE) continue;
    uint8_t* row = rows_.data() + row_of_[t] * width_;
    std::memcpy(row, unseen_.data(), width_);
    for (int64_t e = table_.offsets[t]; e < table_.offsets[t + 1]; ++e) row[table_.languages[e]] = table_.costs[e];
  }
}

void UnigramModel::viterbi(const uint8_t* word, size_t size, const Rows& rows, uint16_t* best) const {
  // All edges are found before their costs are added: the walks through the trie do not wait for each other.
  struct LatticeEdge {
    uint32_t token;
    uint8_t from, to;
    bool first;
  };
  // Edges that are collected before they are relaxed. Most words have fewer; more of them are relaxed in several turns.
  constexpr size_t ROOM = 256;
  LatticeEdge edges[ROOM];
  size_t count = 0;
  std::memset(best + rows.first, 0, rows.size() * sizeof(uint16_t));
  const auto relax_all = [&] {
    for (size_t e = 0; e < count; ++e) prefetch_costs(edges[e].token, rows);
    for (size_t e = 0; e < count; ++e) {
      relax_edge(edges[e].token, best + edges[e].from * width_, best + edges[e].to * width_, edges[e].first, rows);
    }
    count = 0;
  };
  vocabulary_->edges(word, size, [&](size_t i, uint32_t token, size_t length, bool first) {
    edges[count++] = {token, static_cast<uint8_t>(i), static_cast<uint8_t>(i + length), first};
    prefetch(&row_of_[token]);
    prefetch(&table_.offsets[token]);
    if (count == ROOM) relax_all();
  });
  relax_all();
}

void UnigramModel::prefetch_costs(uint32_t token, const Rows& rows) const {
  if (row_of_[token] == SPARSE) {
    prefetch(table_.languages + table_.offsets[token]);
    prefetch(table_.costs + table_.offsets[token]);
  } else {
    const uint8_t* row = rows_.data() + row_of_[token] * width_;
    for (size_t line = rows.first; line < rows.last; line += 64) prefetch(row + line);
  }
}

void UnigramModel::relax_edge(uint32_t token, const uint16_t* from, uint16_t* to, bool first, const Rows& rows) const {
  const bool dense = row_of_[token] != SPARSE;
  const uint8_t* row = dense ? rows_.data() + row_of_[token] * width_ : unseen_.data();
  if (first) {
    extend(to + rows.first, from + rows.first, row + rows.first, rows.size());
  } else {
    relax(to + rows.first, from + rows.first, row + rows.first, rows.size());
  }
  if (dense) return;
  for (int64_t e = table_.offsets[token]; e < table_.offsets[token + 1]; ++e) {
    const size_t l = table_.languages[e];
    if (rows.contains(l)) to[l] = std::min(to[l], static_cast<uint16_t>(from[l] + table_.costs[e]));
  }
}

void UnigramModel::costs(const Word& word, size_t, const Rows& rows, uint16_t* scratch, uint16_t* out) const {
  viterbi(word.bytes, word.size, rows, scratch);
  std::memcpy(out + rows.first, scratch + word.size * width_ + rows.first, rows.size() * sizeof(uint16_t));
}

void UnigramModel::costs_of(const Word& word, const uint16_t* rows, size_t count, uint16_t* out) const {
  for (size_t c = 0; c < count; ++c) {
    uint32_t sum = 0;
    for (const Piece& piece : segment(word.bytes, word.size, rows[c])) sum += piece.cost;
    out[c] = static_cast<uint16_t>(sum);
  }
}

uint8_t UnigramModel::cost(uint32_t token, size_t language) const {
  const uint16_t* first = table_.languages + table_.offsets[token];
  const uint16_t* last = table_.languages + table_.offsets[token + 1];
  const uint16_t* entry = std::lower_bound(first, last, static_cast<uint16_t>(language));
  if (entry == last || *entry != language) return table_.unseen[language];
  return table_.costs[entry - table_.languages];
}

// The table covers 2048 steps, which are 256 nats: what lies further weighs nothing in double precision.
UnigramModel::Marginal::Marginal(double nats) : step(nats), weights(2048) {
  for (size_t d = 0; d < weights.size(); ++d) weights[d] = portable::exp(-step * static_cast<double>(d));
}

// An edge i -> j is weighed relative to the best segmentations of the two prefixes: d = best_i + cost - best_j >= 0
// steps, a weight of exp(-step d). So the forward sums stay between 1 and the number of segmentations, and only the
// last one needs a logarithm.
void UnigramModel::marginal(const uint8_t* word, size_t size, Marginal& marginal, uint16_t* scratch,
                            double* out) const {
  const std::vector<double>& weight = marginal.weights;
  std::vector<double>& sums = marginal.sums;
  const size_t languages = table_.language_count;
  viterbi(word, size, {0, width_}, scratch);
  sums.assign((size + 1) * languages, 0.0);
  std::fill(sums.begin(), sums.begin() + static_cast<std::ptrdiff_t>(languages), 1.0);
  std::vector<uint8_t> row(languages);
  vocabulary_->edges(word, size, [&](size_t i, uint32_t token, size_t length, bool) {
    std::memcpy(row.data(), table_.unseen, languages);
    for (int64_t e = table_.offsets[token]; e < table_.offsets[token + 1]; ++e) {
      row[table_.languages[e]] = table_.costs[e];
    }
    const uint16_t *from = scratch + i * width_, *to = scratch + (i + length) * width_;
    const double* reach = sums.data() + i * languages;
    double* sum = sums.data() + (i + length) * languages;
    for (size_t l = 0; l < languages; ++l) {
      const size_t d = static_cast<size_t>(from[l]) + row[l] - to[l];
      if (d < weight.size()) sum[l] += reach[l] * weight[d];
    }
  });
  for (size_t l = 0; l < languages; ++l) {
    out[l] = scratch[size * width_ + l] - portable::log(sums[size * languages + l]) / marginal.step;
  }
}

std::vector<UnigramModel::Piece> UnigramModel::segment(const uint8_t* word, size_t size, size_t language) const {
  std::vector<uint32_t> best(size + 1, 0xFFFFFFFF);
  std::vector<Piece> last(size + 1);
  best[0] = 0;
  vocabulary_->edges(word, size, [&](size_t i, uint32_t token, size_t length, bool) {
    const uint8_t edge = cost(token, language);
    if (best[i] + edge < best[i + length]) {  // a tie keeps the edge with the earlier start, which is the longer token
      best[i + length] = best[i] + edge;
      last[i + length] = {token, i, i + length, edge};
    }
  });
  std::vector<Piece> pieces;
  for (size_t at = size; at > 0; at = last[at].begin) pieces.push_back(last[at]);
  std::reverse(pieces.begin(), pieces.end());
  return pieces;
}

}  // namespace unilid
