#include "models/discrimination.h"

#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "base/parallel.h"
#include "bindings/arrays.h"
#include "bindings/bindings.h"
#include "bindings/gil.h"

namespace unilid {

namespace {

struct PyFeatures {
  nb::object ends, entries, counts;
};

// The features of lines under their candidates: the languages of line i end at ends[i].
PyFeatures context_features(const PyContextModel& seen, const PyContextModel& learned, const nb::list& texts,
                            Array<uint64_t> ends, Array<uint16_t> languages, bool signs, size_t threads) {
  nb::list owners;
  const std::vector<std::string_view> lines = views_of(texts, owners);
  require(seen.model->table().levels.size() == learned.model->table().levels.size(),
          "the models differ in their order");
  require(ends.size() == lines.size() + 1 && ascends_to(ends, languages.size()), "every line has its candidates");
  require(languages.size() == 0 || largest(languages) < std::min(seen.languages, learned.languages),
          "a candidate is a language of both models");
  Features all;
  run_on_texts(lines, [&] {
    const ContextTrie own(learned.model->table()), other(seen.model->table());
    const std::vector<size_t> ranges = ranges_by_bytes(lines, threads);
    std::vector<Features> parts(lines.size());
    parallel_ranges(ranges, threads, [&](size_t first, size_t last) {
      for (size_t i = first; i < last; ++i) {
        check_stop();
        const uint64_t begin = ends.data()[i], end = ends.data()[i + 1];
        add_features(other, own, lines[i], languages.data() + begin, end - begin, signs, parts[i]);
      }
    });
    for (Features& part : parts) {
      for (const uint64_t end : part.ends) all.ends.push_back(all.entries.size() + end);
      all.entries.insert(all.entries.end(), part.entries.begin(), part.entries.end());
      all.counts.insert(all.counts.end(), part.counts.begin(), part.counts.end());
      part = {};
    }
  });
  return {owned(std::move(all.ends)), owned(std::move(all.entries)), owned(std::move(all.counts))};
}

bool ascends(const Array<uint64_t>& ends, size_t last) {
  for (size_t i = 1; i < ends.size(); ++i) {
    if (ends.data()[i] < ends.data()[i - 1]) return false;
  }
  return (ends.size() == 0 ? 0 : ends.data()[ends.size() - 1]) == last;
}

// Larger numbers are no scores, and products of smaller ones are finite.
constexpr double MOST = 1e12;

bool are_moderate(const Array<double>& values) {
  return std::all_of(values.data(), values.data() + values.size(),
                     [](double value) { return std::abs(value) <= MOST; });
}

nb::object learn(const PyContextModel& learned, Array<uint64_t> candidate_ends, Array<uint64_t> right,
                 Array<double> exponents, Array<double> scores, Array<uint64_t> feature_ends, Array<uint32_t> entries,
                 Array<uint8_t> counts, double rate, size_t rounds) {
  const ContextTrie trie(learned.model->table());
  require(right.size() == candidate_ends.size() && exponents.size() == candidate_ends.size() &&
              ascends(candidate_ends, scores.size()),
          "every line has its candidates");
  require(
      feature_ends.size() == scores.size() && ascends(feature_ends, entries.size()) && counts.size() == entries.size(),
      "every candidate has its features");
  require(entries.size() == 0 || largest(entries) < trie.entries(), "a feature is no entry of the model");
  require(are_moderate(scores) && are_moderate(exponents) && std::abs(rate) <= 1,
          "scores and exponents are numbers of a size that they can have");
  for (size_t i = 0; i < right.size(); ++i) {
    require(
        (i == 0 ? 0 : candidate_ends.data()[i - 1]) <= right.data()[i] && right.data()[i] < candidate_ends.data()[i],
        "the right language of a line is one of its candidates");
  }
  std::vector<float> corrections;
  interruptibly([&] {
    const Lessons lessons{right.size(),  candidate_ends.data(), right.data(),   exponents.data(),
                          scores.data(), feature_ends.data(),   entries.data(), counts.data()};
    corrections = learn_corrections(lessons, trie.entries(), rate, rounds);
  });
  return owned(std::move(corrections));
}

nb::object correct(const PyContextModel& model, const PyContextModel& learned, Array<float> corrections, double steps) {
  const ContextTrie trie(model.model->table()), other(learned.model->table());
  require(model.languages == learned.languages && trie.order() == other.order(),
          "the models differ in their languages or in their order");
  require(corrections.size() == other.entries(), "every entry has a correction");
  require(std::abs(steps) <= MOST && std::all_of(corrections.data(), corrections.data() + corrections.size(),
                                                 [](float value) { return std::abs(value) <= MOST; }),
          "corrections are numbers");
  std::vector<uint8_t> costs;
  interruptibly([&] { costs = corrected_costs(trie, other, corrections.data(), steps); });
  return owned(std::move(costs));
}

}  // namespace

void bind_discrimination(nb::module_& m) {
  nb::class_<PyFeatures>(m, "Features")
      .def_ro("ends", &PyFeatures::ends)
      .def_ro("entries", &PyFeatures::entries)
      .def_ro("counts", &PyFeatures::counts);
  m.def("context_features", &context_features, nb::arg("seen"), nb::arg("learned"), nb::arg("texts"), nb::arg("ends"),
        nb::arg("languages"), nb::arg("signs"), nb::arg("threads"));
  m.def("learn_corrections", &learn, nb::arg("learned"), nb::arg("candidate_ends"), nb::arg("right"),
        nb::arg("exponents"), nb::arg("scores"), nb::arg("feature_ends"), nb::arg("entries"), nb::arg("counts"),
        nb::arg("rate"), nb::arg("rounds"));
  m.def("corrected_costs", &correct, nb::arg("model"), nb::arg("learned"), nb::arg("corrections"), nb::arg("steps"));
}

}  // namespace unilid
