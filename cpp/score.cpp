#include "score.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <thread>

namespace unilid {

// ---- unigram model

UnigramModel::UnigramModel(std::shared_ptr<const Vocabulary> vocabulary, TokenCosts table)
    : vocabulary_(std::move(vocabulary)),
      table_(table),
      width_(padded(table.language_count)),
      row_of_(vocabulary_->size(), SPARSE),
      unseen_(width_) {
  std::memcpy(unseen_.data(), table_.unseen, table_.language_count);
  // A list entry costs about as much as 32 lanes of a row.
  const int64_t dense_from = static_cast<int64_t>(table_.language_count / 32) + 1;
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

void UnigramModel::viterbi(const uint8_t* word, size_t size, uint16_t* best) const {
  // First the edges, then the sums: the walks through the trie do not wait for each other.
  struct Found {
    uint32_t token;
    uint8_t from, to;
    bool first;
  };
  constexpr size_t ROOM = 256;
  Found edges[ROOM];
  size_t count = 0;
  std::memset(best, 0, width_ * sizeof(uint16_t));
  const auto relax_all = [&] {
    for (size_t e = 0; e < count; ++e) fetch_ahead(edges[e].token);
    for (size_t e = 0; e < count; ++e)
      relax_edge(edges[e].token, best + edges[e].from * width_, best + edges[e].to * width_, edges[e].first);
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

void UnigramModel::fetch_ahead(uint32_t token) const {
  if (row_of_[token] == SPARSE) {
    prefetch(table_.languages + table_.offsets[token]);
    prefetch(table_.costs + table_.offsets[token]);
  } else {
    for (size_t line = 0; line < width_; line += 64) prefetch(rows_.data() + row_of_[token] * width_ + line);
  }
}

void UnigramModel::relax_edge(uint32_t token, const uint16_t* from, uint16_t* to, bool first) const {
  const bool dense = row_of_[token] != SPARSE;
  const uint8_t* row = dense ? rows_.data() + row_of_[token] * width_ : unseen_.data();
  if (first) {
    extend(to, from, row, width_);
  } else {
    relax(to, from, row, width_);
  }
  if (dense) return;
  for (int64_t e = table_.offsets[token]; e < table_.offsets[token + 1]; ++e) {
    const size_t l = table_.languages[e];
    to[l] = std::min(to[l], static_cast<uint16_t>(from[l] + table_.costs[e]));
  }
}

void UnigramModel::costs(const Word& word, size_t, uint16_t* scratch, uint16_t* out) const {
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
    out[l] = scratch[size * width_ + l] - std::log(sums[size * languages + l]) / marginal.step;
  }
}

std::vector<UnigramModel::Piece> UnigramModel::segment(const uint8_t* word, size_t size, size_t language) const {
  std::vector<uint32_t> best(size + 1, 0xFFFFFFFF);
  std::vector<Piece> last(size + 1);
  best[0] = 0;
  vocabulary_->edges(word, size, [&](size_t i, uint32_t token, size_t length, bool) {
    const uint8_t edge = cost(token, language);
    if (best[i] + edge < best[i + length]) {  // ties stay with the earlier start: the longer token
      best[i + length] = best[i] + edge;
      last[i + length] = {token, i, i + length, edge};
    }
  });
  std::vector<Piece> pieces;
  for (size_t at = size; at > 0; at = last[at].begin) pieces.push_back(last[at]);
  std::reverse(pieces.begin(), pieces.end());
  return pieces;
}

// ---- cache

WordKey::WordKey(const Word& word) : size_(static_cast<uint8_t>(word.size)), cut_(cut(word)) {
  std::memcpy(bytes_, word.bytes, word.size);
}

bool WordKey::is_of(const Word& word) const {
  if (size_ != word.size || cut_ != cut(word)) return false;
  return equal_padded(bytes_, word.bytes, word.size);
}

WordCache::WordCache(size_t bytes, size_t vector)
    : size_(HEADER + vector),
      capacity_(std::max<size_t>(bytes / (size_ + 2 * sizeof(Set) / WAYS), WordModel::AHEAD)),
      set_count_(2 * capacity_ / WAYS),
      sets_(set_count_),
      entries_(capacity_ * size_, false) {}

void WordCache::fetch(uint64_t hash) const {
  const Set& found = sets_[set(hash)];
  for (size_t way = 0; way < WAYS; ++way) {
    if (found.tags[way] != tag(hash)) continue;
    const uint8_t* bytes = entries_.data() + found.entries[way] * size_;
    for (size_t line = 0; line < size_; line += 64) prefetch(bytes + line);
  }
}

WordCache::Entry* WordCache::find(uint64_t hash, const Word& word) {
  const Set& found = sets_[set(hash)];
  for (size_t way = 0; way < WAYS; ++way) {
    if (found.tags[way] != tag(hash)) continue;
    Entry& own = entry(found.entries[way]);
    if (!own.key.is_of(word)) continue;
    if (own.is_used == 0) own.is_used = 1;
    return &own;
  }
  return nullptr;
}

void WordCache::take(uint64_t hash, const Word& word) {
  next().key = WordKey(word);
  next().is_used = 0;
  Set& own = sets_[set(hash)];
  own.tags[own.oldest] = tag(hash);
  own.entries[own.oldest] = static_cast<uint32_t>(next_);
  own.oldest = (own.oldest + 1) % WAYS;
  for (size_t spared = 0; spared <= MOST_SPARED; ++spared) {
    if (++next_ == capacity_) next_ = 0, is_full_ = true;
    if (!is_full_ || next().is_used == 0) return;
    next().is_used = 0;
  }
}

// ---- scorer

Scorer::Workspace::Workspace(const Scorer& scorer)
    : number(scorer.workspaces_),
      keys(scorer.width_),
      vector(scorer.width_),
      part(scorer.width_),
      spoken(scorer.width_),
      others(scorer.width_),
      all(scorer.width_),
      of_candidates(scorer.width_),
      cache(scorer.cache_bytes_ / number.value, scorer.vector_bytes()) {
  for (const WeightedModel& model : scorer.models_) scratch.emplace_back(model.model->scratch());
}

Scorer::Scorer(std::vector<WeightedModel> models, size_t languages, uint32_t bound, size_t cache_bytes)
    : models_(std::move(models)),
      languages_(languages),
      width_(padded(languages)),
      bound_(bound),
      cache_bytes_(cache_bytes) {}

size_t Scorer::find_entries(Ahead* words, size_t count, Workspace& workspace) const {
  for (size_t i = 0; i < count; ++i) {
    Ahead& word = words[i];
    word.entry = workspace.cache.find(word.hash, word.word);
    word.is_new = word.entry == nullptr;
    if (!word.is_new) continue;
    word.entry = &workspace.cache.next();
    // No word takes the entry of one before it that is still needed.
    for (size_t j = 0; j < i; ++j) {
      if (words[j].entry == word.entry) return i;
    }
    workspace.cache.take(word.hash, word.word);
  }
  return count;
}

void Scorer::compute(Ahead* words, size_t count, Workspace& workspace) const {
  const Word* announced[WordModel::AHEAD];
  WordCache::Entry* entries[WordModel::AHEAD];
  size_t news = 0;
  for (size_t i = 0; i < count; ++i) {
    if (words[i].is_new) announced[news] = &words[i].word, entries[news++] = words[i].entry;
  }
  for (size_t m = 0; news > 0 && m < models_.size(); ++m) {
    models_[m].model->announce(announced, news, workspace.scratch[m].data());
  }
  for (size_t i = 0; i < news; ++i) {
    const Word& word = *announced[i];
    WordCache::Entry& entry = *entries[i];
    uint16_t* costs = bound_ > 0 ? workspace.vector.data() : reinterpret_cast<uint16_t*>(entry.vector());
    models_[0].model->costs(word, i, workspace.scratch[0].data(), costs);
    if (models_.size() == 2) {
      models_[1].model->costs(word, i, workspace.scratch[1].data(), workspace.part.data());
      mix(costs, workspace.part.data(), models_[0].weight, width_);
    }
    if (bound_ > 0) {
      if (is_lone(word)) quarter(costs, width_);
      entry.least = smallest(costs, languages_);
      bound_excess(entry.vector(), costs, entry.least, static_cast<uint16_t>(bound_), width_);
    }
  }
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

}  // namespace

void VectorSum::start(bool bounded) {
  words_ = 0, least_ = 0, is_zero_ = bounded;
  std::memset(recent_.data(), 0, width_ * sizeof(uint16_t));
  if (!bounded) std::memset(total_.data(), 0, width_ * sizeof(double));
}

void VectorSum::add(const WordVector& vector) {
  if (vector.excess == nullptr) return accumulate(total_.data(), vector.costs, width_);
  accumulate(recent_.data(), vector.excess, width_);
  least_ += vector.least;
  if (++words_ == 256) flush();
}

void VectorSum::flush() {
  if (is_zero_) std::memset(total_.data(), 0, width_ * sizeof(double));
  const double least = static_cast<double>(least_);
  for (size_t l = 0; l < width_; ++l) total_[l] += least + recent_[l];
  std::memset(recent_.data(), 0, width_ * sizeof(uint16_t));
  words_ = 0, least_ = 0, is_zero_ = false;
}

CostSum VectorSum::costs() const {
  return {is_zero_ ? nullptr : total_.data(), recent_.data(), static_cast<double>(least_)};
}

void VectorSum::add_up(const VectorSum& other, double* to) const {
  widen(to, recent_.data(), other.recent_.data(), static_cast<double>(least_ + other.least_), width_);
  if (!is_zero_) unilid::add(to, to, total_.data(), width_);
  if (!other.is_zero_) unilid::add(to, to, other.total_.data(), width_);
}

TextFacts Scorer::start(Workspace& workspace) const {
  workspace.spoken.start(bound_ > 0);
  workspace.others.start(bound_ > 0);
  return {};
}

void Scorer::add(const Word& word, const WordVector& vector, TextFacts& facts, Workspace& workspace) const {
  const bool is_spoken = word.kind == unicode::LETTER && word.noise == Reason::NONE;
  if (is_spoken) facts.letters += word.letters;
  (is_spoken ? workspace.spoken : workspace.others).add(vector);
}

Scorer::Costs Scorer::finish(std::string_view text, TextFacts facts, Workspace& workspace) const {
  if (facts.letters == 0) {
    facts.reason = reason_of(text);
  } else if (garbled(text.substr(0, GARBLED_SAMPLE))) {
    facts.reason = Reason::GARBLED;
  }
  workspace.spoken.add_up(workspace.others, workspace.all.data());
  return {workspace.all.data(), workspace.spoken.costs(), facts};
}

Scorer::Costs Scorer::score(std::string_view text, Workspace& workspace) const {
  TextFacts facts = start(workspace);
  for (const bool noise : {false, true}) {
    if (noise && facts.letters > 0) break;
    const auto wanted = [&](const Word& word) { return (word.noise != Reason::NONE) == noise; };
    each_word(text, workspace, wanted,
              [&](const Word& word, const WordVector& vector) { add(word, vector, facts, workspace); });
  }
  return finish(text, facts, workspace);
}

Scorer::Costs Scorer::score(std::string_view text, Workspace& workspace, const SecondStage& second) const {
  const auto [all, spoken, facts] = score(text, workspace);
  std::vector<int32_t> best(second.count);
  std::vector<double> scores(second.count);
  uint8_t verdict;
  decide({languages_, second.log_prior, second.step, second.count, {}, nullptr, nullptr}, all, spoken, facts,
         workspace.keys.data(), {best.data(), scores.data(), nullptr, &verdict});
  std::vector<uint16_t> rows;
  for (const int32_t row : best) {
    if (row >= 0) rows.push_back(static_cast<uint16_t>(row));
  }
  std::sort(rows.begin(), rows.end());
  double* of_all = workspace.all.data();
  double* of_letters = workspace.of_candidates.data();
  std::fill(of_all, of_all + languages_, INFINITY);
  for (const uint16_t row : rows) of_all[row] = of_letters[row] = 0;
  std::vector<uint16_t> other(rows.size()), costs(rows.size());
  const auto wanted = [&](const Word& word) { return word.noise == Reason::NONE || facts.letters == 0; };
  each_word(text, workspace, wanted, [&](const Word& word, const WordVector& vector) {
    second.model->costs_of(word, rows.data(), rows.size(), other.data());
    const uint32_t shift = second.bound > 0 && is_lone(word) ? 2 : 0;
    uint32_t least = 0xFFFF;
    for (size_t c = 0; c < rows.size(); ++c) {
      const uint32_t sum = vector.costs[rows[c]] * second.weight + other[c] * (16 - second.weight);
      costs[c] = static_cast<uint16_t>((sum + 8) >> 4 >> shift);
      least = std::min<uint32_t>(least, costs[c]);
    }
    const bool is_spoken = word.kind == unicode::LETTER && word.noise == Reason::NONE;
    for (size_t c = 0; c < rows.size(); ++c) {
      const uint32_t cost = second.bound > 0 ? least + bounded(costs[c] - least, second.bound) : costs[c];
      of_all[rows[c]] += cost;
      if (is_spoken) of_letters[rows[c]] += cost;
    }
  });
  return {of_all, {of_letters, nullptr, 0}, facts};
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
