// The interface of a word model: one way to score a word under every language.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/simd.h"
#include "words/words.h"

namespace unilid {

class WordModel {
 public:
  virtual ~WordModel() = default;

  // The number of words that are prepared together, so that their cache misses overlap. With 32 words there is always
  // another one to look up while the memory of one is on its way.
  static constexpr size_t BATCH = 32;

  // The size of the scratch memory that the functions below need, in 16-bit entries.
  virtual size_t scratch() const = 0;
  // Looks up what costs() will need of up to BATCH words and prefetches it. Word i of the batch has place i, and its
  // costs are asked of the languages of rows[i].
  virtual void prepare(const Word* const* words, const Rows* rows, size_t count, uint16_t* scratch) const = 0;
  // Fills `out`, which has room for padded(languages) costs, with those of some languages for the word that was
  // prepared at `place`. Padding lanes and other languages are unspecified.
  virtual void costs(const Word& word, size_t place, const Rows& rows, uint16_t* scratch, uint16_t* out) const = 0;
  // Fills `out` with the costs of a few languages. The rows are in ascending order; the word need not be prepared.
  virtual void costs_of(const Word& word, const uint16_t* rows, size_t count, uint16_t* out) const = 0;
};

struct WeightedModel {
  std::shared_ptr<const WordModel> model;
  uint32_t weight;  // the weights of the models that are added up are WEIGHT_STEPS together
};

// What a word costs one language under the weighted sum of word models.
inline uint32_t weighted_cost(const std::vector<WeightedModel>& models, const Word& word, uint16_t language) {
  uint32_t sum = models.size() > 1 ? WEIGHT_STEPS / 2 : 0;
  for (const WeightedModel& model : models) {
    uint16_t cost;
    model.model->costs_of(word, &language, 1, &cost);
    sum += model.weight * cost;
  }
  return sum / WEIGHT_STEPS;
}

}  // namespace unilid
