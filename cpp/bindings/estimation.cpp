#include <nanobind/stl/vector.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "base/parallel.h"
#include "bindings/arrays.h"
#include "bindings/bindings.h"
#include "bindings/gil.h"
#include "models/context_estimation.h"
#include "models/unigram_estimation.h"
#include "models/vocabulary.h"
#include "models/vocabulary_learning.h"

namespace unilid {

namespace {

std::vector<nb::bytes> learn(nb::handle weighted_words, size_t size, size_t max_characters, size_t max_bytes,
                             size_t seeds, double shrink, size_t threads) {
  const LanguageWords words(weighted_words);
  std::vector<std::string> tokens;
  const std::string_view view = words.view();
  interruptibly([&] {
    constexpr int ROUNDS = 2;  // of EM before each pruning, as in SentencePiece
    const LearnSettings settings{size, max_characters, max_bytes, seeds, shrink, ROUNDS, threads};
    tokens = learn_vocabulary(view, words.offsets.data(), words.counts.data(), words.size(), settings);
  });
  std::vector<nb::bytes> result;
  for (const std::string& token : tokens) result.push_back(to_bytes(token));
  return result;
}

// Calls work(blob, offsets, counts, words) for every language. The largest ones go first, so that threads end at about
// the same time.
template <class Outcome, class Work>
std::vector<Outcome> over_languages(const nb::list& all, size_t threads, Work&& work) {
  const std::vector<LanguageWords> languages = words_of_all(all);
  std::vector<Outcome> results(languages.size());
  std::vector<std::string_view> blobs;
  for (const LanguageWords& words : languages) blobs.push_back(words.view());
  std::vector<size_t> order(languages.size()), ends(languages.size());
  for (size_t l = 0; l < order.size(); ++l) order[l] = l, ends[l] = l + 1;
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return blobs[a].size() > blobs[b].size(); });
  interruptibly([&] {
    parallel_ranges(ends, threads, [&](size_t first, size_t last) {
      for (size_t o = first; o < last; ++o) {
        const size_t l = order[o];
        const LanguageWords& words = languages[l];
        results[l] = work(blobs[l], words.offsets.data(), words.counts.data(), words.size());
      }
    });
  });
  return results;
}

struct PyEstimate {
  explicit PyEstimate(Estimate&& e)
      : tokens(owned(std::move(e.tokens))), counts(owned(std::move(e.counts))), total(e.total), rounds(e.rounds) {}

  nb::object tokens, counts;
  double total;
  int rounds;
};

std::vector<PyEstimate> estimate_all(const Vocabulary& vocabulary, const nb::list& languages, int rounds,
                                     double tolerance, size_t threads) {
  std::vector<Estimate> results = over_languages<Estimate>(
      languages, threads, [&](std::string_view blob, const int64_t* offsets, const double* counts, size_t words) {
        return estimate(vocabulary, blob, offsets, counts, words, rounds, tolerance);
      });
  return {std::make_move_iterator(results.begin()), std::make_move_iterator(results.end())};
}

struct PyContextLevelEstimate {
  nb::object parents, characters, log_p, log_backoff;
};

struct PyContextEstimate {
  explicit PyContextEstimate(ContextEstimate&& e) : root_backoff(e.root_backoff) {
    for (ContextLevelEstimate& level : e.levels) {
      levels.push_back({owned(std::move(level.parents)), owned(std::move(level.characters)),
                        owned(std::move(level.log_p)), owned(std::move(level.log_backoff))});
    }
  }

  double root_backoff;
  std::vector<PyContextLevelEstimate> levels;
};

std::vector<PyContextEstimate> estimate_contexts(const nb::list& languages, size_t order, double discount, double base,
                                                 double prune, size_t prune_from, size_t threads) {
  std::vector<ContextEstimate> results = over_languages<ContextEstimate>(
      languages, threads, [&](std::string_view blob, const int64_t* offsets, const double* counts, size_t words) {
        return estimate_context(blob, offsets, counts, words, order, discount, base, prune, prune_from);
      });
  return {std::make_move_iterator(results.begin()), std::make_move_iterator(results.end())};
}

}  // namespace

void bind_estimation(nb::module_& m) {
  m.def("learn_vocabulary", &learn, nb::arg("words"), nb::arg("size"), nb::arg("max_characters"), nb::arg("max_bytes"),
        nb::arg("seeds"), nb::arg("shrink"), nb::arg("threads"));
  nb::class_<PyEstimate>(m, "Estimate")
      .def_ro("tokens", &PyEstimate::tokens)
      .def_ro("counts", &PyEstimate::counts)
      .def_ro("total", &PyEstimate::total)
      .def_ro("rounds", &PyEstimate::rounds);
  m.def("estimate", &estimate_all, nb::arg("vocabulary"), nb::arg("languages"), nb::arg("rounds"), nb::arg("tolerance"),
        nb::arg("threads"));
  nb::class_<PyContextLevelEstimate>(m, "ContextLevelEstimate")
      .def_ro("parents", &PyContextLevelEstimate::parents)
      .def_ro("characters", &PyContextLevelEstimate::characters)
      .def_ro("log_p", &PyContextLevelEstimate::log_p)
      .def_ro("log_backoff", &PyContextLevelEstimate::log_backoff);
  nb::class_<PyContextEstimate>(m, "ContextEstimate")
      .def_ro("root_backoff", &PyContextEstimate::root_backoff)
      .def_prop_ro("levels", [](const PyContextEstimate& self) { return self.levels; });
  m.def("estimate_contexts", &estimate_contexts, nb::arg("languages"), nb::arg("order"), nb::arg("discount"),
        nb::arg("base"), nb::arg("prune"), nb::arg("prune_from"), nb::arg("threads"));
}

}  // namespace unilid
