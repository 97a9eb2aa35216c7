#include "scoring/scorer.h"

#include <algorithm>
#include <thread>

#include "base/simd.h"

namespace unilid {

Scorer::Workspace::Workspace(const Scorer& scorer)
    : number(scorer.workspaces_),
      keys(scorer.width_),
      vector(scorer.width_),
      part(scorer.width_),
      linguistic(scorer.width_),
      others(scorer.width_),
      all(scorer.width_),
      cache(scorer.cache_bytes_ / number.value, scorer.vector_bytes()) {
  for (const WeightedModel& model : scorer.models_) scratch.emplace_back(model.model->scratch());
}

Scorer::Scorer(std::vector<WeightedModel> models, size_t languages, uint32_t bound, size_t cache_bytes)
    : models_(std::move(models)),
      languages_(languages),
      width_(padded(languages)),
      bound_(bound),
      cache_bytes_(cache_bytes) {}

size_t Scorer::assign_entries(BatchWord* words, size_t count, Workspace& workspace) const {
  for (size_t i = 0; i < count; ++i) {
    BatchWord& word = words[i];
    word.entry = workspace.cache.find(word.hash, word.word);
    word.is_new = word.entry == nullptr;
    if (!word.is_new) continue;
    word.entry = &workspace.cache.victim();
    // A word must not evict a word before it in the batch, whose vector is still needed.
    for (size_t j = 0; j < i; ++j) {
      if (words[j].entry == word.entry) return i;
    }
    workspace.cache.insert(word.hash, word.word);
  }
  return count;
}

void Scorer::fill_entries(BatchWord* words, size_t count, Workspace& workspace) const {
  const Word* new_words[WordModel::BATCH];
  WordCache::Entry* entries[WordModel::BATCH];
  size_t new_count = 0;
  for (size_t i = 0; i < count; ++i) {
    if (words[i].is_new) new_words[new_count] = &words[i].word, entries[new_count++] = words[i].entry;
  }
  for (size_t m = 0; new_count > 0 && m < models_.size(); ++m) {
    models_[m].model->prepare(new_words, new_count, workspace.scratch[m].data());
  }
  for (size_t i = 0; i < new_count; ++i) {
    const Word& word = *new_words[i];
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

TextFacts Scorer::start(Workspace& workspace) const {
  workspace.linguistic.start(bound_ > 0);
  workspace.others.start(bound_ > 0);
  return {};
}

void Scorer::add(const Word& word, const WordVector& vector, TextFacts& facts, Workspace& workspace) const {
  if (is_linguistic(word)) facts.letters += word.letters;
  (is_linguistic(word) ? workspace.linguistic : workspace.others).add(vector);
}

Scorer::Costs Scorer::finish(std::string_view text, TextFacts facts, Workspace& workspace) const {
  if (facts.letters == 0) {
    facts.reason = reason_without_letters(text);
  } else if (is_mojibake(text.substr(0, MOJIBAKE_SAMPLE))) {
    facts.reason = Reason::MOJIBAKE;
  }
  workspace.linguistic.add_up(workspace.others, workspace.all.data());
  return {workspace.all.data(), workspace.linguistic.costs(), facts};
}

Scorer::Costs Scorer::score(std::string_view text, Workspace& workspace) const {
  TextFacts facts = start(workspace);
  for (const bool noise : {false, true}) {
    if (noise && facts.letters > 0) break;
    const auto filter = [&](const Word& word) { return (word.noise != Reason::NONE) == noise; };
    each_word(text, workspace, filter,
              [&](const Word& word, const WordVector& vector) { add(word, vector, facts, workspace); });
  }
  return finish(text, facts, workspace);
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
  // Each workspace has a cache, so no more are kept than threads can run at once.
  if (lock.owns_lock() && pool_.size() < std::thread::hardware_concurrency()) pool_.push_back(std::move(workspace));
}

}  // namespace unilid
