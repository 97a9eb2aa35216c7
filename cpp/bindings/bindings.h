// The parts of the module, and the classes that several of them use. Each class has the Python objects whose memory its
// C++ object reads.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "bindings/arrays.h"
#include "decisions/decide.h"
#include "models/context.h"
#include "models/lexicon.h"
#include "models/unigram.h"

namespace unilid {

namespace nb = nanobind;

// A word of a text.
struct PyWord {
  nb::bytes bytes;
  size_t begin, end;
  uint8_t kind;
  bool cut_left, cut_right, lone;
  uint8_t noise, script;
  bool inner;
};

// The words of a language, as an object with the attributes `blob`, `offsets` and `counts`; checked, so that every word
// lies within the blob and has room in a lattice.
struct LanguageWords {
  explicit LanguageWords(nb::handle words);

  std::string_view view() const { return as_view(blob); }
  size_t size() const { return counts.size(); }

  nb::bytes blob;
  Array<int64_t> offsets;
  Array<double> counts;
};

std::vector<LanguageWords> words_of_all(const nb::list& languages);

struct PyUnigramModel {
  std::shared_ptr<UnigramModel> model;
  std::vector<nb::object> owners;
  size_t languages;
};

struct PyContextModel {
  std::shared_ptr<ContextModel> model;
  std::vector<nb::object> owners;
  size_t languages;
};

struct PyLexicon {
  std::shared_ptr<Lexicon> lexicon;
  std::vector<nb::object> owners;
  size_t languages;
};

// One or two word models with their weights, as Python gives them.
using PyWeightedModels = std::vector<std::pair<nb::object, uint32_t>>;
struct WeightedModels {
  explicit WeightedModels(const PyWeightedModels& models);

  std::vector<WeightedModel> models;
  std::vector<nb::object> owners;
  size_t languages = 0;  // of each of them
};

// Languages and the numbers of the scripts that they are written in.
using PyScriptUses = std::vector<std::pair<uint16_t, uint8_t>>;
// Refuses languages that are none of so many, and scripts that are none.
std::vector<ScriptTable::Use> uses_of(const PyScriptUses& scripts, size_t languages);

struct PyRerank {
  std::vector<double> thresholds;
  std::vector<uint8_t> replaces;
  double distance;
  size_t ranks;
};

struct PyRejection {
  std::vector<double> usual, spread;
  double shared, sampling, limit, least_probability;
};

struct PyDecision {
  size_t languages;
  std::vector<double> log_prior, handicaps;  // no handicaps: none
  double step;
  Temperature temperature;
  std::optional<PyRerank> py_rerank;
  std::optional<PyRejection> py_rejection;
  // Views of the two above.
  std::optional<Rerank> rerank;
  std::optional<Rejection> rejection;

  Decision with(size_t k) const {
    return {languages,
            log_prior.data(),
            step,
            k,
            temperature,
            rerank ? &*rerank : nullptr,
            rejection ? &*rejection : nullptr,
            handicaps.empty() ? nullptr : handicaps.data()};
  }
};

// The answers to texts, in columns.
struct PyAnswers {
  nb::object rows, scores, probabilities, verdicts;
};

// The languages of texts by letters: those of a text end where `ends` says.
struct PyShares {
  nb::object ends, rows, shares;
};

// Views of texts, which are a list (arrays.h) or a column of Arrow (columns.cpp). They are valid while the caller keeps
// `texts` and `owners`.
std::vector<std::string_view> views_of(nb::handle texts, nb::list& owners);

void bind_words(nb::module_& m);
void bind_corpus(nb::module_& m);
void bind_models(nb::module_& m);
void bind_estimation(nb::module_& m);
void bind_discrimination(nb::module_& m);
void bind_decisions(nb::module_& m);
void bind_scoring(nb::module_& m);
void bind_columns(nb::module_& m);

}  // namespace unilid
