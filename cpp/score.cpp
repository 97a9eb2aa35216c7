#include "score.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <thread>

#include "hash.h"

namespace unilid {

// ---- unigram model

UnigramModel::UnigramModel(std::shared_ptr<const Vocabulary> vocabulary, TokenCosts table)
    : vocabulary_(std::move(vocabulary)),
      table_(table),
      width_(padded(table.language_count)),
      row_of_(vocabulary_->size(), SPARSE),
      unseen_(width_) {
  std::memcpy(unseen_.data(), table_.unseen, table_.language_count);
  // A list entry costs about as much as eight lanes of a row.
  const int64_t dense_from = static_cast<int64_t>(table_.language_count / 8) + 1;
  uint32_t rows = 0;
  for (size_t t = 0; t < row_of_.size(); ++t) {
    if (table_.offsets[t + 1] - table_.offsets[t] >= dense_from) row_of_[t] = rows++;
  }
  rows_ = Aligned<uint8_t>(rows * width_);
  for (size_t t = 0; t < row_of_.size(); ++t) {
    if (row_of_[t] == SPARSE) continue;
    uint8_t* row = rows_.data() + row_of_[t] * width_;
    std::memcpy(row, unseen_.data(), width_);
    for (int64_t e = table_.offsets[t]; e < table_.offsets[t + 1]; ++e) row[table_.languages[e]] = table_.costs[e];
  }
}

void UnigramModel::viterbi(const uint8_t* word, size_t size, uint16_t* best) const {
  std::memset(best, 0, width_ * sizeof(uint16_t));
  std::memset(best + width_, 0xFF, size * width_ * sizeof(uint16_t));
  for (size_t i = 0; i < size; ++i) {
    const uint16_t* from = best + i * width_;
    vocabulary_->prefixes(word + i, word + size, [&](uint32_t token, size_t length) {
      uint16_t* to = best + (i + length) * width_;
      if (row_of_[token] != SPARSE) {
        relax(to, from, rows_.data() + row_of_[token] * width_, width_);
        return;
      }
      relax(to, from, unseen_.data(), width_);
      for (int64_t e = table_.offsets[token]; e < table_.offsets[token + 1]; ++e) {
        const size_t l = table_.languages[e];
        to[l] = std::min(to[l], static_cast<uint16_t>(from[l] + table_.costs[e]));
      }
    });
  }
}

void UnigramModel::costs(const Word& word, uint16_t* scratch, uint16_t* out) const {
  viterbi(word.bytes, word.size, scratch);
  std::memcpy(out, scratch + word.size * width_, width_ * sizeof(uint16_t));
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
  const uint16_t* found = std::lower_bound(first, last, static_cast<uint16_t>(language));
  if (found == last || *found != language) return table_.unseen[language];
  return table_.costs[found - table_.languages];
}

UnigramModel::Marginal::Marginal(double step) : step(step), weights(2048) {
  for (size_t d = 0; d < weights.size(); ++d) weights[d] = std::exp(-step * static_cast<double>(d));
}

// Relative to the best segmentation of each prefix, every edge has a whole number of steps d >= 0 and weighs
// exp(-step * d): sums stay between 1 and the number of segmentations, and no logarithm is taken before the end.
void UnigramModel::marginal(const uint8_t* word, size_t size, Marginal& marginal, uint16_t* scratch,
                            double* out) const {
  const std::vector<double>& weight = marginal.weights;
  std::vector<double>& sums = marginal.sums;
  const size_t languages = table_.language_count;
  viterbi(word, size, scratch);
  sums.assign((size + 1) * languages, 0.0);
  std::fill(sums.begin(), sums.begin() + static_cast<std::ptrdiff_t>(languages), 1.0);
  std::vector<uint8_t> row(languages);
  for (size_t i = 0; i < size; ++i) {
    vocabulary_->prefixes(word + i, word + size, [&](uint32_t token, size_t length) {
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
  }
  for (size_t l = 0; l < languages; ++l) {
    out[l] = scratch[size * width_ + l] - std::log(sums[size * languages + l]) / marginal.step;
  }
}

std::vector<UnigramModel::Piece> UnigramModel::segment(const uint8_t* word, size_t size, size_t language) const {
  std::vector<uint32_t> best(size + 1, 0xFFFFFFFF);
  std::vector<Piece> last(size + 1);
  best[0] = 0;
  for (size_t i = 0; i < size; ++i) {
    vocabulary_->prefixes(word + i, word + size, [&](uint32_t token, size_t length) {
      const uint8_t edge = cost(token, language);
      if (best[i] + edge < best[i + length]) {  // ties stay with the earlier start: the longer token
        best[i + length] = best[i] + edge;
        last[i + length] = {token, i, i + length, edge};
      }
    });
  }
  std::vector<Piece> pieces;
  for (size_t at = size; at > 0; at = last[at].begin) pieces.push_back(last[at]);
  std::reverse(pieces.begin(), pieces.end());
  return pieces;
}

// ---- cache

namespace {

size_t sets_for(size_t bytes, size_t entry, size_t ways) {
  size_t sets = 1;
  while (sets * 2 * ways * entry <= bytes) sets *= 2;
  return sets;
}

}  // namespace

WordCache::WordCache(size_t bytes, size_t width)
    : width_(width),
      mask_(sets_for(bytes, width * sizeof(uint16_t) + sizeof(Key), WAYS) - 1),
      keys_((mask_ + 1) * WAYS),
      oldest_(mask_ + 1),
      vectors_((mask_ + 1) * WAYS * width) {}

uint16_t* WordCache::find(const Word& word, bool& known) {
  known = false;
  if (word.size > MAX_KEY) return nullptr;
  const uint8_t size = static_cast<uint8_t>(word.size | word.cut_left << 6 | word.cut_right << 7);
  const size_t set = (hash_bytes(word.bytes, word.size) ^ size >> 6) & mask_;
  for (size_t way = 0; way < WAYS; ++way) {
    const Key& key = keys_[set * WAYS + way];
    if (key.size == size && std::memcmp(key.bytes, word.bytes, word.size) == 0) {
      known = true;
      return vectors_.data() + (set * WAYS + way) * width_;
    }
  }
  const size_t way = oldest_[set];
  oldest_[set] = static_cast<uint8_t>((way + 1) % WAYS);
  Key& key = keys_[set * WAYS + way];
  key.size = size;
  std::memcpy(key.bytes, word.bytes, word.size);
  return vectors_.data() + (set * WAYS + way) * width_;
}

// ---- scorer

Scorer::Workspace::Workspace(const Scorer& scorer)
    : scratch([&] {
        size_t most = 0;
        for (const WeightedModel& model : scorer.models_) most = std::max(most, model.model->scratch());
        return most;
      }()),
      vector(scorer.width_),
      part(scorer.width_),
      sums(scorer.width_),
      letters(scorer.width_),
      others(scorer.width_),
      keys(scorer.width_),
      cache(scorer.cache_bytes_, scorer.width_) {}

Scorer::Scorer(std::vector<WeightedModel> models, size_t languages, uint32_t bound, size_t cache_bytes)
    : models_(std::move(models)),
      languages_(languages),
      width_(padded(languages)),
      bound_(bound),
      cache_bytes_(cache_bytes) {}

void Scorer::compute(const Word& word, Workspace& workspace, uint16_t* out) const {
  if (models_.size() == 1) {
    models_[0].model->costs(word, workspace.scratch.data(), out);
  } else {
    std::memset(workspace.sums.data(), 0, width_ * sizeof(uint32_t));
    for (const WeightedModel& model : models_) {
      model.model->costs(word, workspace.scratch.data(), workspace.part.data());
      accumulate_weighted(workspace.sums.data(), workspace.part.data(), model.weight, width_);
    }
    sixteenth(out, workspace.sums.data(), width_);
  }
  if (bound_ > 0) {
    if (is_lone(word)) quarter(out, width_);
    const uint32_t limit = smallest(out, languages_) + bound_;
    if (limit < 0xFFFF) soften(out, static_cast<uint16_t>(limit), width_);
  }
}

const uint16_t* Scorer::word_vector(const Word& word, Workspace& workspace) const {
  bool known;
  uint16_t* place = workspace.cache.find(word, known);
  if (known) return place;
  if (place == nullptr) place = workspace.vector.data();
  compute(word, workspace, place);
  return place;
}

void Scorer::word_costs(const Word& word, Workspace& workspace, uint32_t* out) const {
  const uint16_t* vector = word_vector(word, workspace);
  std::copy(vector, vector + languages_, out);
}

namespace {

Reason reason_of_signs(const Word& word) {
  Reason reason = Reason::SIGNS;
  const uint8_t *at = word.bytes, *end = word.bytes + word.size;
  for (Character character; at < end; at += character.size) {
    character = decode(at, end);
    const uint32_t c = character.code_point;
    if (!character.valid || c == 0xFFFD) return Reason::GARBLED;
    if (c >= 0x1F000 || (c >= 0x2600 && c < 0x27C0)) reason = Reason::EMOJI;
  }
  return reason;
}

// Why a text without words of letters is no language: the most telling of what there is.
Reason reason_of(std::string_view text) {
  const auto weight = [](Reason r) { return r == Reason::SIGNS ? 1 : r == Reason::DIGITS ? 2 : static_cast<int>(r); };
  Reason reason = Reason::EMPTY;
  WordReader reader(text);
  for (Word word; reader.next(word);) {
    const Reason own = word.noise != Reason::NONE    ? word.noise
                       : word.kind == unicode::DIGIT ? Reason::DIGITS
                                                     : reason_of_signs(word);
    if (weight(own) > weight(reason) || reason == Reason::EMPTY) reason = own;
  }
  return reason;
}

constexpr size_t GARBLED_SAMPLE = 512;  // bytes; enough to tell

}  // namespace

TextFacts Scorer::add_text(std::string_view text, Workspace& workspace, Totals totals) const {
  uint32_t *letters = workspace.letters.data(), *others = workspace.others.data();
  const auto clear = [&] {
    std::memset(letters, 0, width_ * sizeof(uint32_t));
    std::memset(others, 0, width_ * sizeof(uint32_t));
  };
  const auto flush = [&] {
    for (size_t l = 0; l < languages_; ++l) {
      totals.spoken[l] += letters[l];
      totals.all[l] += static_cast<uint64_t>(letters[l]) + others[l];
    }
    clear();
  };
  clear();
  TextFacts facts;
  size_t words = 0;
  const auto add = [&](bool noise) {
    WordReader reader(text);
    for (Word word; reader.next(word);) {
      if ((word.noise != Reason::NONE) != noise) continue;
      const bool spoken = word.kind == unicode::LETTER && !noise;
      if (spoken) facts.letters += word.letters();
      accumulate(spoken ? letters : others, word_vector(word, workspace), width_);
      if ((++words & 0xFFFF) == 0) flush();  // 2^16 words of 16 bits fill 32 bits
    }
  };
  add(false);
  if (facts.letters == 0) {
    facts.reason = reason_of(text);
    add(true);
  } else if (garbled(text.substr(0, GARBLED_SAMPLE))) {
    facts.reason = Reason::GARBLED;
  }
  flush();
  return facts;
}

TextFacts Scorer::add_text(std::string_view text, Workspace& workspace, const SecondStage& second,
                           Totals totals) const {
  const TextFacts facts = add_text(text, workspace, totals);
  std::vector<int32_t> best(second.count);
  std::vector<double> scores(second.count);
  uint8_t verdict;
  decide({languages_, second.log_prior, second.step, second.count, {}, nullptr, nullptr}, totals.all, totals.spoken,
         facts, workspace.keys.data(), {best.data(), scores.data(), nullptr, &verdict});
  std::vector<uint16_t> rows;
  for (const int32_t row : best) {
    if (row >= 0) rows.push_back(static_cast<uint16_t>(row));
  }
  std::sort(rows.begin(), rows.end());
  std::vector<uint64_t> all(rows.size()), spoken(rows.size());
  std::vector<uint16_t> other(rows.size()), costs(rows.size());
  WordReader reader(text);
  for (Word word; reader.next(word);) {
    if (word.noise != Reason::NONE && facts.letters > 0) continue;
    const uint16_t* own = word_vector(word, workspace);
    second.model->costs_of(word, rows.data(), rows.size(), other.data());
    const uint32_t shift = second.bound > 0 && is_lone(word) ? 2 : 0;
    uint32_t least = 0xFFFF;
    for (size_t c = 0; c < rows.size(); ++c) {
      const uint32_t sum = own[rows[c]] * second.weight + other[c] * (16 - second.weight);
      costs[c] = static_cast<uint16_t>((sum + 8) >> 4 >> shift);
      least = std::min<uint32_t>(least, costs[c]);
    }
    const uint32_t limit = second.bound > 0 ? least + second.bound : 0xFFFF;
    for (size_t c = 0; c < rows.size(); ++c) {
      const uint32_t cost = softened(costs[c], limit);
      all[c] += cost;
      spoken[c] += word.kind == unicode::LETTER && word.noise == Reason::NONE ? cost : 0;
    }
  }
  std::fill(totals.all, totals.all + languages_, NO_TOTAL);
  for (size_t c = 0; c < rows.size(); ++c) totals.all[rows[c]] = all[c], totals.spoken[rows[c]] = spoken[c];
  return facts;
}

std::unique_ptr<Scorer::Workspace> Scorer::borrow() const {
  {
    const std::unique_lock<std::mutex> lock(pool_mutex_, std::try_to_lock);
    if (lock.owns_lock() && !pool_.empty()) {
      std::unique_ptr<Workspace> workspace = std::move(pool_.back());
      pool_.pop_back();
      return workspace;
    }
  }
  return std::make_unique<Workspace>(*this);
}

void Scorer::give_back(std::unique_ptr<Workspace> workspace) const {
  const std::unique_lock<std::mutex> lock(pool_mutex_, std::try_to_lock);
  // No more than can ever work at once: each has a cache.
  if (lock.owns_lock() && pool_.size() < std::thread::hardware_concurrency()) pool_.push_back(std::move(workspace));
}

}  // namespace unilid
