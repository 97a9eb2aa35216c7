#include "scoring/scorer.h"

#include <algorithm>
#include <cstring>

#include "base/simd.h"

namespace unilid {

Scorer::Workspace::Workspace(const Scorer& scorer)
    : number(scorer.workspaces_),
      keys(scorer.width_),
      vector(scorer.width_),
      part(scorer.width_),
      linguistic(scorer.width_),
      others(scorer.width_),
      excluded(scorer.width_),
      cache(scorer.cache_bytes_ / number.value, scorer.vector_bytes()) {
  for (const WeightedModel& model : scorer.models_) scratch.emplace_back(model.model->scratch());
}

Scorer::Scorer(std::vector<WeightedModel> models, std::shared_ptr<const Lexicon> lexicon,
               const ScorerSettings& settings)
    : models_(std::move(models)),
      lexicon_(std::move(lexicon)),
      languages_(settings.languages),
      width_(padded(settings.languages)),
      bound_(settings.bound),
      cache_bytes_(settings.cache_bytes),
      signs_(settings.signs),
      scripts_(settings.scripts, settings.languages) {}

size_t Scorer::assign_entries(BatchWord* words, size_t count, Workspace& workspace) const {
  for (size_t i = 0; i < count; ++i) {
    BatchWord& word = words[i];
    if (!WordCache::keeps(word.word)) {
      word.entry = &workspace.cache.transient(i);
      word.is_new = true;
      continue;
    }
    word.entry = workspace.cache.find(word.hash, word.word);
    word.is_new = word.entry == nullptr;
    if (!word.is_new) continue;
    word.entry = &workspace.cache.next();
    const WordCache::Entry* promoted = workspace.cache.promoted();
    // A word must not evict a word before it in the batch, whose vector is still needed.
    for (size_t j = 0; j < i; ++j) {
      if (words[j].entry == word.entry || words[j].entry == promoted) return i;
    }
    workspace.cache.insert(word.hash, word.word);
  }
  return count;
}

void Scorer::fill_entries(BatchWord* words, size_t count, Workspace& workspace) const {
  const Word* new_words[WordModel::BATCH];
  WordCache::Entry* entries[WordModel::BATCH];
  Rows rows[WordModel::BATCH];
  size_t new_count = 0;
  for (size_t i = 0; i < count; ++i) {
    if (!words[i].is_new) continue;
    new_words[new_count] = &words[i].word, rows[new_count] = rows_of(words[i].word);
    entries[new_count++] = words[i].entry;
  }
  uint64_t keys[WordModel::BATCH];
  for (size_t i = 0; lexicon_ != nullptr && i < new_count; ++i) {
    keys[i] = lexicon_key(*new_words[i]);
    lexicon_->prefetch_bucket(keys[i]);
  }
  for (size_t i = 0; lexicon_ != nullptr && i < new_count; ++i) lexicon_->prefetch_words(keys[i]);
  for (size_t m = 0; new_count > 0 && m < models_.size(); ++m) {
    models_[m].model->prepare(new_words, rows, new_count, workspace.scratch[m].data());
  }
  Lexicon::Gains gains[WordModel::BATCH];
  for (size_t i = 0; lexicon_ != nullptr && i < new_count; ++i) gains[i] = lexicon_->find(keys[i]);
  for (size_t i = 0; i < new_count; ++i) {
    const Word& word = *new_words[i];
    WordCache::Entry& entry = *entries[i];
    uint16_t* costs = bound_ > 0 ? workspace.vector.data() : reinterpret_cast<uint16_t*>(entry.vector());
    models_[0].model->costs(word, i, rows[i], workspace.scratch[0].data(), costs);
    if (models_.size() == 2) {
      models_[1].model->costs(word, i, rows[i], workspace.scratch[1].data(), workspace.part.data());
      const size_t first = rows[i].first;
      mix(costs + first, workspace.part.data() + first, models_[0].weight, rows[i].size());
    }
    if (lexicon_ != nullptr) Lexicon::subtract(gains[i], costs);
    if (bound_ > 0) fill_entry(word, rows[i], costs, entry);
  }
}

void Scorer::fill_entry(const Word& word, const Rows& rows, uint16_t* costs, WordCache::Entry& entry) const {
  entry.least = 0;
  if (rows.size() == 0) return;
  const size_t first = rows.first, size = rows.size();
  if (is_lone(word)) quarter(costs + first, size);
  const uint8_t* foreign = scripts_.foreign(word.script);
  if (foreign != nullptr) exclude(costs + first, foreign + first, size);
  entry.least = smallest(costs + first, std::min(rows.last, languages_) - first);
  bound_excess(entry.vector(), costs + first, entry.least, static_cast<uint16_t>(bound_), size);
  if (foreign != nullptr) replace_foreign(entry.vector(), foreign + first, foreign_excess(word.letters), size);
}

TextFacts Scorer::start(Workspace& workspace) const {
  workspace.linguistic.start(bound_ > 0);
  workspace.others.start(bound_ > 0);
  workspace.scripts = {};
  return {};
}

void Scorer::add(const Word& word, const WordVector& vector, TextFacts& facts, Workspace& workspace) const {
  if (!is_linguistic(word)) return workspace.others.add(vector);
  facts.letters += word.letters;
  workspace.scripts.add(word.script);
  workspace.linguistic.add(vector);
}

const uint8_t* Scorer::excluded(const ScriptSet& scripts, Workspace& workspace) const {
  const uint8_t* mask = nullptr;
  bool is_any = scripts_.is_empty();
  scripts.each([&](uint8_t script) {
    const uint8_t* foreign = scripts_.foreign(script);
    if (foreign == nullptr) {
      is_any = true;  // letters that are common to all scripts
    } else if (mask == nullptr) {
      mask = foreign;
    } else {
      for (size_t l = 0; l < width_; ++l) workspace.excluded[l] = mask[l] & foreign[l];
      mask = workspace.excluded.data();
    }
  });
  return is_any ? nullptr : mask;
}

Reason Scorer::reason_of(std::string_view text, size_t letters) {
  if (letters == 0) return reason_without_letters(text);
  return is_mojibake(text.substr(0, MOJIBAKE_SAMPLE)) ? Reason::MOJIBAKE : Reason::NONE;
}

Scorer::Costs Scorer::finish(std::string_view text, TextFacts facts, Workspace& workspace) const {
  facts.reason = reason_of(text, facts.letters);
  facts.excluded = excluded(workspace.scripts, workspace);
  return {costs_of(workspace.linguistic, workspace.others, facts.excluded), facts};
}

TextCosts Scorer::costs_of(VectorSum& linguistic, VectorSum& others, const uint8_t* excluded) const {
  if (excluded == nullptr) linguistic.extend({0, width_});
  const CostSum costs = linguistic.costs();
  if (!others.is_empty()) others.extend(costs.rows);
  return {costs, others.costs()};
}

Scorer::Costs Scorer::score(std::string_view text, Workspace& workspace) const {
  TextFacts facts = start(workspace);
  for (const bool noise : {false, true}) {
    if (noise && facts.letters > 0) break;
    const auto filter = [&](const Word& word) { return noise ? word.noise != Reason::NONE : counts(word); };
    each_word(text, workspace, filter,
              [&](const Word& word, const WordVector& vector) { add(word, vector, facts, workspace); });
  }
  return finish(text, facts, workspace);
}

std::unique_ptr<Scorer::Workspace> Scorer::borrow() const {
  std::unique_ptr<Workspace> workspace = pool_.take();
  return workspace != nullptr ? std::move(workspace) : std::make_unique<Workspace>(*this);
}

}  // namespace unilid
