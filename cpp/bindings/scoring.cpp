#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <iterator>
#include <mutex>
#include <new>

#include "base/parallel.h"
#include "bindings/arrays.h"
#include "bindings/bindings.h"
#include "bindings/gil.h"
#include "decisions/decide.h"
#include "decisions/documents.h"
#include "explanation/explain.h"
#include "scoring/scorer.h"
#include "spans/spans.h"

namespace unilid {

namespace {

// The workspaces of the threads of one call, made before they start: where memory runs out there are fewer threads, and
// none of them fails.
class Workspaces {
 public:
  Workspaces(const Scorer& scorer, size_t count) : scorer_(scorer) {
    free_.push_back(scorer.borrow());
    try {
      while (free_.size() < count) free_.push_back(scorer.borrow());
    } catch (const std::bad_alloc&) {
    }
    count_ = free_.size();
  }
  ~Workspaces() {
    for (auto& workspace : free_) scorer_.give_back(std::move(workspace));
  }
  Workspaces(const Workspaces&) = delete;

  size_t count() const { return count_; }
  std::unique_ptr<Scorer::Workspace> take() {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::unique_ptr<Scorer::Workspace> workspace = std::move(free_.back());
    free_.pop_back();
    return workspace;
  }
  void give_back(std::unique_ptr<Scorer::Workspace> workspace) {
    const std::lock_guard<std::mutex> lock(mutex_);
    free_.push_back(std::move(workspace));
  }

 private:
  const Scorer& scorer_;
  size_t count_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Scorer::Workspace>> free_;
};

// Calls work(first, last, workspace) for ranges of texts.
template <class Work>
void over_texts(const Scorer& scorer, const std::vector<std::string_view>& texts, size_t threads, Work&& work) {
  run_on_texts(texts, [&] {
    const std::vector<size_t> ranges = ranges_by_bytes(texts, threads);
    Workspaces workspaces(scorer, std::clamp<size_t>(std::min(threads, MAX_THREADS), 1, ranges.size()));
    parallel_ranges(ranges, workspaces.count(), [&](size_t first, size_t last) {
      std::unique_ptr<Scorer::Workspace> workspace = workspaces.take();
      work(first, last, *workspace);
      workspaces.give_back(std::move(workspace));
    });
  });
}

// Named tuples of a label, its probability, its score and two times None: the best answers to texts that are in a
// language. The others are None; where they stand is returned, too. The garbage collector need not know of tuples that
// can be in no cycle; to walk over those of a long list again and again would take longer than to make them.
std::pair<nb::list, std::vector<size_t>> plain_predictions(const nb::type_object& type, const nb::tuple& labels,
                                                           const PyAnswers& answers) {
  const auto rows = nb::cast<nb::ndarray<const int32_t, nb::ndim<2>, nb::c_contig>>(answers.rows);
  const auto scores = nb::cast<nb::ndarray<const double, nb::ndim<2>, nb::c_contig>>(answers.scores);
  const auto probabilities = nb::cast<nb::ndarray<const double, nb::ndim<2>, nb::c_contig>>(answers.probabilities);
  const auto verdicts = nb::cast<Array<uint8_t>>(answers.verdicts);
  require(PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(type.ptr()), &PyTuple_Type), "a prediction is a tuple");
  const auto allocate =
      reinterpret_cast<allocfunc>(PyType_GetSlot(reinterpret_cast<PyTypeObject*>(type.ptr()), Py_tp_alloc));
  const size_t n = rows.shape(0), k = rows.shape(1);
  nb::list result = nb::steal<nb::list>(PyList_New(static_cast<Py_ssize_t>(n)));
  if (!result.is_valid()) throw nb::python_error();
  std::vector<size_t> others;
  for (size_t t = 0; t < n; ++t) {
    nb::object prediction = nb::none();
    const int32_t row = rows.data()[t * k];
    if (verdicts.data()[t] == 0 && row >= 0) {
      nb::object members[] = {labels[static_cast<size_t>(row)], nb::float_(probabilities.data()[t * k]),
                              nb::float_(scores.data()[t * k]), nb::none(), nb::none()};
      prediction = nb::steal(allocate(reinterpret_cast<PyTypeObject*>(type.ptr()), std::size(members)));
      if (!prediction.is_valid()) throw nb::python_error();
      for (size_t i = 0; i < std::size(members); ++i) {
        PyTuple_SetItem(prediction.ptr(), static_cast<Py_ssize_t>(i), members[i].release().ptr());
      }
      PyObject_GC_UnTrack(prediction.ptr());
    } else {
      others.push_back(t);
    }
    PyList_SetItem(result.ptr(), static_cast<Py_ssize_t>(t), prediction.release().ptr());
  }
  return {result, others};
}

struct PyTextCosts {
  nb::object all, linguistic, letters, reasons;
};

struct PyExplainedWord : PyWord {
  bool counts;
  size_t best;
  uint32_t best_cost;
};

struct PyExplainedText {
  std::vector<PyExplainedWord> words;
  nb::object costs;
};

// The spans of a text, in columns.
struct PySpans {
  nb::object begins, rows, letters, probabilities;
};

struct PyScorer {
  std::shared_ptr<Scorer> scorer;
  std::vector<nb::object> owners;

  PyAnswers decide(nb::handle texts, const PyDecision& decision, size_t k, size_t threads,
                   std::optional<size_t> budget) const {
    require(decision.languages == scorer->languages(), "the decision is for another number of languages");
    require(k >= 1 && k <= scorer->languages(), "k must be 1 to the number of languages");
    nb::list owners_of_texts;
    const std::vector<std::string_view> all_texts = views_of(texts, owners_of_texts);
    const size_t n = all_texts.size();
    std::vector<int32_t> languages(n * k);
    std::vector<double> scores(n * k), probabilities(n * k);
    std::vector<uint8_t> verdicts(n);
    const Decision rule = decision.with(k);
    const auto answer_at = [&](size_t t) -> Answer {
      return {languages.data() + t * k, scores.data() + t * k, probabilities.data() + t * k, verdicts.data() + t};
    };
    over_texts(*scorer, all_texts, threads, [&](size_t first, size_t last, Scorer::Workspace& workspace) {
      DocumentReader documents(*scorer, rule, budget.value_or(0));
      std::vector<size_t> places;  // of the texts that are read as a whole
      std::vector<std::string_view> whole;
      for (size_t t = first; t < last; ++t) {
        if (budget.has_value() && DocumentReader::is_document(all_texts[t])) {
          documents.answer(all_texts[t], workspace, answer_at(t));
        } else {
          places.push_back(t), whole.push_back(all_texts[t]);
        }
      }
      scorer->score(whole.data(), whole.size(), workspace, [&](size_t i, const Scorer::Costs& text) {
        unilid::decide(rule, text, text.facts, workspace.keys.data(), answer_at(places[i]));
      });
    });
    return {owned(std::move(languages), {n, k}), owned(std::move(scores), {n, k}),
            owned(std::move(probabilities), {n, k}), owned(std::move(verdicts))};
  }

  PyExplainedText explain(const nb::bytes& text, Array<uint16_t> rows) const {
    for (size_t r = 0; r < rows.size(); ++r) {
      require(rows.data()[r] < scorer->languages(), "a row is none of the model's");
    }
    ExplainedText explanation;
    const std::string_view view = as_view(text);
    run_on_texts({view}, [&] { explanation = unilid::explain(*scorer, view, rows.data(), rows.size()); });
    std::vector<PyExplainedWord> words;
    for (const ExplainedWord& word : explanation.words) {
      words.push_back({{to_bytes(word.bytes), word.begin, word.end, word.kind, word.cut_left, word.cut_right, word.lone,
                        static_cast<uint8_t>(word.noise), word.script, word.inner},
                       word.counts,
                       word.best,
                       word.best_cost});
    }
    return {std::move(words), owned(std::move(explanation.costs), {explanation.words.size(), rows.size()})};
  }

  PyTextCosts costs(const nb::list& texts, size_t threads) const {
    nb::list owners_of_texts;
    const std::vector<std::string_view> all_texts = views(texts, owners_of_texts);
    const size_t n = all_texts.size(), languages = scorer->languages();
    std::vector<double> all(n * languages), linguistic(n * languages);
    std::vector<int64_t> letters(n);
    std::vector<uint8_t> reasons(n);
    over_texts(*scorer, all_texts, threads, [&](size_t first, size_t last, Scorer::Workspace& workspace) {
      scorer->score(all_texts.data() + first, last - first, workspace, [&](size_t i, const Scorer::Costs& text) {
        const size_t t = first + i;
        for (size_t l = 0; l < languages; ++l) {
          all[t * languages + l] = text[l];
          linguistic[t * languages + l] = text.linguistic[l];
        }
        letters[t] = static_cast<int64_t>(text.facts.letters);
        reasons[t] = static_cast<uint8_t>(text.facts.reason);
      });
    });
    return {owned(std::move(all), {n, languages}), owned(std::move(linguistic), {n, languages}),
            owned(std::move(letters)), owned(std::move(reasons))};
  }

  SpanSettings span_settings(const Array<uint32_t>& entry, const PyDecision& decision, uint32_t change,
                             size_t short_text, size_t least, size_t most, size_t apart) const {
    require(entry.size() == scorer->languages() && decision.languages == scorer->languages(),
            "the costs of entering languages are for another number of languages");
    for (size_t l = 0; l < entry.size(); ++l)
      require(entry.data()[l] <= NO_ENTRY, "entering a language costs too much");
    require(change < NO_ENTRY / 4 && short_text >= 1 && least >= 1 && most >= 1 && apart >= 1,
            "the settings of spans are out of range");
    return {copied(entry), change, short_text, least, most, apart};
  }

  PySpans spans(nb::handle text, Array<uint32_t> entry, const PyDecision& decision, uint32_t change, size_t short_text,
                size_t least, size_t most, size_t apart) const {
    const SpanSettings settings = span_settings(entry, decision, change, short_text, least, most, apart);
    nb::list texts, owners_of_texts;
    texts.append(text);
    const std::string_view view = views(texts, owners_of_texts)[0];
    std::vector<Span> all;
    run_on_texts({view}, [&] { all = find_spans(*scorer, view, settings, decision.with(1)); });
    std::vector<int64_t> begins, letters;
    std::vector<int32_t> languages;
    std::vector<double> probabilities;
    for (const Span& span : all) {
      begins.push_back(static_cast<int64_t>(span.begin));
      languages.push_back(span.language);
      letters.push_back(static_cast<int64_t>(span.letters));
      probabilities.push_back(span.probability);
    }
    return {owned(std::move(begins)), owned(std::move(languages)), owned(std::move(letters)),
            owned(std::move(probabilities))};
  }

  PyShares shares(nb::handle texts, Array<uint32_t> entry, const PyDecision& decision, uint32_t change,
                  size_t short_text, size_t apart, size_t threads) const {
    const SpanSettings settings = span_settings(entry, decision, change, short_text, 1, scorer->languages(), apart);
    nb::list owners_of_texts;
    const std::vector<std::string_view> all_texts = views_of(texts, owners_of_texts);
    std::vector<std::vector<Share>> all(all_texts.size());
    run_on_texts(all_texts, [&] {
      parallel_ranges(ranges_by_bytes(all_texts, threads), threads, [&](size_t first, size_t last) {
        for (size_t t = first; t < last; ++t) {
          all[t] = unilid::shares(find_spans(*scorer, all_texts[t], settings, decision.with(1)));
        }
      });
    });
    std::vector<int64_t> ends;
    std::vector<int32_t> languages;
    std::vector<double> shares_of_all;
    for (const std::vector<Share>& text : all) {
      for (const Share& share : text) languages.push_back(share.language), shares_of_all.push_back(share.share);
      ends.push_back(static_cast<int64_t>(languages.size()));
    }
    return {owned(std::move(ends)), owned(std::move(languages)), owned(std::move(shares_of_all))};
  }
};

}  // namespace

void bind_scoring(nb::module_& m) {
  m.attr("WEIGHT_STEPS") = WEIGHT_STEPS;
  m.attr("NO_ENTRY") = NO_ENTRY;
  m.attr("FOREIGN_LETTER") = FOREIGN_LETTER;
  m.attr("EXCERPT_BYTES") = EXCERPT_BYTES;
  m.attr("ROUNDS") = nb::make_tuple(ROUNDS[0], ROUNDS[1], ROUNDS[2]);
  m.attr("SHORT_DOCUMENT") = SHORT_DOCUMENT;
  m.attr("SURE") = SURE;
  m.attr("DISSENT") = DISSENT;
  m.attr("FEW_DISSENTERS") = FEW_DISSENTERS;
  m.attr("MANY_DISSENTERS") = MANY_DISSENTERS;
  nb::class_<PyAnswers>(m, "Answers")
      .def_ro("rows", &PyAnswers::rows)
      .def_ro("scores", &PyAnswers::scores)
      .def_ro("probabilities", &PyAnswers::probabilities)
      .def_ro("verdicts", &PyAnswers::verdicts);
  m.def("plain_predictions", &plain_predictions, nb::arg("kind"), nb::arg("labels"), nb::arg("answers"));
  nb::class_<PyTextCosts>(m, "TextCosts")
      .def_ro("all", &PyTextCosts::all)
      .def_ro("linguistic", &PyTextCosts::linguistic)
      .def_ro("letters", &PyTextCosts::letters)
      .def_ro("reasons", &PyTextCosts::reasons);
  nb::class_<PyExplainedWord, PyWord>(m, "ExplainedWord")
      .def_ro("counts", &PyExplainedWord::counts)
      .def_ro("best", &PyExplainedWord::best)
      .def_ro("best_cost", &PyExplainedWord::best_cost);
  nb::class_<PyExplainedText>(m, "ExplainedText")
      .def_prop_ro("words", [](const PyExplainedText& self) { return self.words; })
      .def_ro("costs", &PyExplainedText::costs);
  nb::class_<PySpans>(m, "Spans")
      .def_ro("begins", &PySpans::begins)
      .def_ro("rows", &PySpans::rows)
      .def_ro("letters", &PySpans::letters)
      .def_ro("probabilities", &PySpans::probabilities);
  nb::class_<PyShares>(m, "Shares")
      .def_ro("ends", &PyShares::ends)
      .def_ro("rows", &PyShares::rows)
      .def_ro("shares", &PyShares::shares);
  nb::class_<PyScorer>(m, "Scorer")
      .def(
          "__init__",
          [](PyScorer* self, const PyWeightedModels& models, size_t languages, uint32_t bound, size_t cache_bytes,
             std::optional<nb::object> lexicon, const PyScriptUses& scripts, bool signs) {
            WeightedModels weighted(models);
            require(weighted.languages == languages, "the word models differ in their number of languages");
            require(bound <= MAX_BOUND, "the bound is more than MAX_BOUND");
            std::shared_ptr<const Lexicon> words;
            if (lexicon.has_value()) {
              PyLexicon* table;
              require(nb::try_cast(*lexicon, table) && table->languages == languages,
                      "the lexicon and the word models differ in their number of languages");
              words = table->lexicon;
              weighted.owners.push_back(*lexicon);
            }
            const ScorerSettings settings{languages, bound, cache_bytes, signs, uses_of(scripts, languages)};
            new (self) PyScorer{std::make_shared<Scorer>(std::move(weighted.models), std::move(words), settings),
                                std::move(weighted.owners)};
          },
          nb::arg("models"), nb::arg("languages"), nb::arg("bound"), nb::arg("cache_bytes"),
          nb::arg("lexicon").none() = nb::none(), nb::arg("scripts") = PyScriptUses(), nb::arg("signs") = true)
      .def("decide", &PyScorer::decide, nb::arg("texts"), nb::arg("decision"), nb::arg("k"), nb::arg("threads"),
           nb::arg("budget").none() = nb::none())
      .def("explain", &PyScorer::explain, nb::arg("text"), nb::arg("rows"))
      .def("costs", &PyScorer::costs, nb::arg("texts"), nb::arg("threads"))
      .def("spans", &PyScorer::spans, nb::arg("text"), nb::arg("entry"), nb::arg("decision"), nb::arg("change"),
           nb::arg("short_text"), nb::arg("least"), nb::arg("most"), nb::arg("apart"))
      .def("shares", &PyScorer::shares, nb::arg("texts"), nb::arg("entry"), nb::arg("decision"), nb::arg("change"),
           nb::arg("short_text"), nb::arg("apart"), nb::arg("threads"));
}

}  // namespace unilid
