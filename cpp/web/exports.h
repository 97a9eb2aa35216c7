// What all functions for JavaScript share.
//
// JavaScript puts arrays into the memory of the kernel (allocate) and passes their places. It has checked them, as
// Python does before it calls the bindings (web/src/store.js). A result of fixed size is written where the caller says;
// one whose size nobody knows beforehand is kept here until the next such call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "models/scripts.h"
#include "models/word_model.h"

#define UNILID_EXPORT(name) extern "C" __attribute__((export_name(name)))

namespace unilid::web {

// The arrays of the last result, as bytes.
inline std::vector<std::string> results;

template <class T>
void give(const std::vector<T>& values) {
  results.emplace_back(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

// A word model and the arrays that it reads and that were made for it.
struct ModelHandle {
  std::shared_ptr<const WordModel> model;
  std::vector<int64_t> offsets;
};

// One or two word models; either may be null, and the weights add up to WEIGHT_STEPS.
inline std::vector<WeightedModel> weighted(const ModelHandle* unigram, const ModelHandle* context,
                                           uint32_t unigram_weight) {
  std::vector<WeightedModel> models;
  if (unigram != nullptr) models.push_back({unigram->model, unigram_weight});
  if (context != nullptr) models.push_back({context->model, WEIGHT_STEPS - unigram_weight});
  return models;
}

// Texts that lie one after the other: text t ends at ends[t].
inline std::vector<std::string_view> views(const char* bytes, const uint32_t* ends, size_t count) {
  std::vector<std::string_view> texts(count);
  for (size_t t = 0, begin = 0; t < count; begin = ends[t++]) texts[t] = {bytes + begin, ends[t] - begin};
  return texts;
}

// Pairs of a language and the number of a script that it is written in.
inline std::vector<ScriptTable::Use> uses_of(const uint16_t* pairs, size_t count) {
  std::vector<ScriptTable::Use> uses;
  for (size_t u = 0; u < count; ++u) uses.push_back({pairs[2 * u], static_cast<uint8_t>(pairs[2 * u + 1])});
  return uses;
}

}  // namespace unilid::web
