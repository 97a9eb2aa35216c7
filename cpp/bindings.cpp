// The only file that knows Python: arrays and strings in, arrays out, the GIL released in between.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "context.h"
#include "counts.h"
#include "decide.h"
#include "estimate.h"
#include "explain.h"
#include "learn.h"
#include "memory.h"
#include "packing.h"
#include "parallel.h"
#include "score.h"
#include "simd.h"
#include "spans.h"
#include "vocabulary.h"
#include "words.h"

namespace nb = nanobind;
using namespace unilid;

namespace {

template <class T>
using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Result = nb::ndarray<nb::numpy, T>;

template <class T>
Result<T> owned(std::vector<T>&& values, std::initializer_list<size_t> shape) {
  auto* kept = new std::vector<T>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Result<T>(kept->data(), shape, owner);
}

template <class T>
Result<T> owned(std::vector<T>&& values) {
  const size_t n = values.size();
  return owned(std::move(values), {n});
}

// Views of the bytes of str, bytes, or None (no text). `kept` holds what had to be encoded anew.
// A list holds its items, so the views stay valid while the caller keeps it.
std::vector<std::string_view> views(const nb::list& texts, nb::list& kept) {
  std::vector<std::string_view> result;
  result.reserve(nb::len(texts));
  for (nb::handle text : texts) {
    if (PyBytes_Check(text.ptr())) {
      result.emplace_back(PyBytes_AS_STRING(text.ptr()), static_cast<size_t>(PyBytes_GET_SIZE(text.ptr())));
    } else if (PyUnicode_Check(text.ptr())) {
      Py_ssize_t size;
      const char* data = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
      if (data == nullptr) {  // lone surrogates
        PyErr_Clear();
        nb::object encoded = nb::steal(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "surrogatepass"));
        if (!encoded.is_valid()) throw nb::python_error();
        data = PyBytes_AS_STRING(encoded.ptr()), size = PyBytes_GET_SIZE(encoded.ptr());
        kept.append(encoded);
      }
      result.emplace_back(data, static_cast<size_t>(size));
    } else if (text.is_none()) {
      result.emplace_back();
    } else {
      throw nb::type_error("a text is str, bytes or None");
    }
  }
  return result;
}

nb::bytes to_bytes(std::string_view view) { return nb::bytes(view.data(), view.size()); }

std::string_view as_view(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }

// [(bytes, begin, end, cut at the left, cut at the right, why it is no language)]
using PyWord = std::tuple<nb::bytes, size_t, size_t, bool, bool, uint8_t>;
std::vector<PyWord> split_words(const nb::bytes& text) {
  std::vector<PyWord> words;
  WordReader reader(as_view(text));
  for (Word word; reader.next(word);) {
    words.emplace_back(nb::bytes(reinterpret_cast<const char*>(word.bytes), word.size), word.begin, word.end,
                       word.cut_left, word.cut_right, static_cast<uint8_t>(word.noise));
  }
  return words;
}

std::tuple<Result<uint32_t>, uint64_t, size_t> sum_up_sizes(Array<uint8_t> sizes, Array<uint32_t> large) {
  auto* firsts = new Aligned<uint32_t>(sizes.size() + 1, false);
  nb::capsule owner(firsts, [](void* p) noexcept { delete static_cast<Aligned<uint32_t>*>(p); });
  const Summed summed = sum_up(sizes.data(), sizes.size(), large.data(), large.size(), firsts->data());
  return {Result<uint32_t>(firsts->data(), {firsts->size()}, owner), summed.end, summed.large};
}

std::shared_ptr<Vocabulary> make_vocabulary(const nb::bytes& blob, Array<int64_t> offsets) {
  return std::make_shared<Vocabulary>(as_view(blob), offsets.data(), offsets.size() - 1);
}

nb::tuple to_tuple(WordCounts::Table&& table) {
  return nb::make_tuple(to_bytes(table.blob), owned(std::move(table.offsets)), owned(std::move(table.counts)));
}

// The words of every label; texts with a negative label are passed over. The texts of a label are counted one after the
// other, by one thread, which keeps its words at hand.
struct Counter {
  explicit Counter(size_t max_words) : max_words(max_words) {}

  void add(Array<int32_t> labels, const nb::list& texts, std::optional<Array<double>> counts, size_t threads) {
    nb::list kept;
    const std::vector<std::string_view> all = views(texts, kept);
    const int32_t* label = labels.data();
    nb::gil_scoped_release release;
    std::vector<size_t> ends(languages.size());  // of the texts of a label among those of all, by label
    for (size_t i = 0; i < all.size(); ++i) {
      if (label[i] < 0) continue;
      while (static_cast<size_t>(label[i]) >= ends.size()) languages.emplace_back(max_words), ends.push_back(0);
      ++ends[static_cast<size_t>(label[i])];
    }
    std::exclusive_scan(ends.begin(), ends.end(), ends.begin(), size_t{0});
    std::vector<size_t> order(all.size());
    for (size_t i = 0; i < all.size(); ++i) {
      if (label[i] >= 0) order[ends[static_cast<size_t>(label[i])]++] = i;
    }
    parallel_ranges(ends, threads, [&](size_t first, size_t last) {
      for (size_t o = first; o < last; ++o) {
        const size_t i = order[o];
        languages[static_cast<size_t>(label[i])].add_text(all[i], counts ? counts->data()[i] : 1.0);
      }
    });
  }

  nb::list tables(const std::vector<size_t>& labels, size_t threads) const {
    std::vector<WordCounts::Table> tables(labels.size());
    {
      nb::gil_scoped_release release;
      parallel_ranges(one_by_one(labels.size()), threads, [&](size_t i, size_t) {
        if (labels[i] < languages.size()) {
          tables[i] = languages[labels[i]].table();
        } else {
          tables[i].offsets.push_back(0);
        }
      });
    }
    nb::list result;
    for (WordCounts::Table& table : tables) result.append(to_tuple(std::move(table)));
    return result;
  }

  size_t max_words;
  std::vector<WordCounts> languages;
};

nb::tuple with_fragments(const nb::bytes& blob, Array<int64_t> offsets, Array<double> counts, double share) {
  WordCounts::Table table;
  const std::string_view view = as_view(blob);
  {
    nb::gil_scoped_release release;
    table = WordCounts::with_fragments(view, offsets.data(), counts.data(), counts.size(), share);
  }
  return to_tuple(std::move(table));
}

using LanguageWords = std::tuple<nb::bytes, Array<int64_t>, Array<double>>;

// The words of all languages with the sums of their counts, the `max_words` most common of them; and how many there
// are.
nb::tuple merge_words(const std::vector<LanguageWords>& languages, size_t max_words) {
  std::vector<std::string_view> blobs;
  for (const LanguageWords& words : languages) blobs.push_back(as_view(std::get<0>(words)));
  WordCounts::Table table;
  size_t distinct;
  {
    nb::gil_scoped_release release;
    WordCounts all(std::numeric_limits<size_t>::max());
    for (size_t l = 0; l < languages.size(); ++l) {
      const auto& [blob, offsets, counts] = languages[l];
      all.add_table(blobs[l], offsets.data(), counts.data(), counts.size());
    }
    distinct = all.size();
    all.keep_most_common(max_words);
    table = all.table();
  }
  return nb::make_tuple(to_tuple(std::move(table)), distinct);
}

// Every language is independent of the others; the largest go first so that threads end together.
template <class Outcome, class Work>
std::vector<Outcome> over_languages(const std::vector<LanguageWords>& languages, size_t threads, Work&& work) {
  std::vector<Outcome> results(languages.size());
  std::vector<std::string_view> blobs;
  for (const LanguageWords& words : languages) blobs.push_back(as_view(std::get<0>(words)));
  nb::gil_scoped_release release;
  std::vector<size_t> order(languages.size()), ends(languages.size());
  for (size_t l = 0; l < order.size(); ++l) order[l] = l, ends[l] = l + 1;
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return blobs[a].size() > blobs[b].size(); });
  parallel_ranges(ends, threads, [&](size_t first, size_t last) {
    for (size_t o = first; o < last; ++o) {
      const size_t l = order[o];
      const Array<int64_t>& offsets = std::get<1>(languages[l]);
      const Array<double>& counts = std::get<2>(languages[l]);
      results[l] = work(blobs[l], offsets.data(), counts.data(), counts.size());
    }
  });
  return results;
}

// [(tokens, counts, total, rounds)] for each language
std::vector<nb::tuple> estimate_all(const Vocabulary& vocabulary, const std::vector<LanguageWords>& languages,
                                    int rounds, double tolerance, size_t threads) {
  std::vector<Estimate> results = over_languages<Estimate>(
      languages, threads, [&](std::string_view blob, const int64_t* offsets, const double* counts, size_t words) {
        return estimate(vocabulary, blob, offsets, counts, words, rounds, tolerance);
      });
  std::vector<nb::tuple> tuples;
  for (Estimate& e : results) {
    tuples.push_back(nb::make_tuple(owned(std::move(e.tokens)), owned(std::move(e.counts)), e.total, e.rounds));
  }
  return tuples;
}

std::vector<nb::bytes> learn(const nb::bytes& blob, Array<int64_t> offsets, Array<double> weights, size_t size,
                             size_t max_characters, size_t max_bytes, size_t seeds, double shrink, size_t threads) {
  std::vector<std::string> tokens;
  {
    const std::string_view view = as_view(blob);
    nb::gil_scoped_release release;
    const LearnSettings settings{size, max_characters, max_bytes, seeds, shrink, 2, threads};
    tokens = learn_vocabulary(view, offsets.data(), weights.data(), weights.size(), settings);
  }
  std::vector<nb::bytes> result;
  for (const std::string& token : tokens) result.push_back(to_bytes(token));
  return result;
}

struct PyUnigramModel {
  std::shared_ptr<UnigramModel> model;
  std::vector<nb::object> kept;  // the arrays that the model reads
  size_t languages;

  std::vector<std::tuple<uint32_t, size_t, size_t, int>> segment(const nb::bytes& word, size_t language) const {
    std::vector<std::tuple<uint32_t, size_t, size_t, int>> pieces;
    for (const UnigramModel::Piece& p :
         model->segment(reinterpret_cast<const uint8_t*>(word.c_str()), word.size(), language)) {
      pieces.emplace_back(p.token, p.begin, p.end, p.cost);
    }
    return pieces;
  }

  Result<double> marginal(const nb::list& texts, double step, size_t threads) const {
    nb::list held;
    const std::vector<std::string_view> all = views(texts, held);
    std::vector<double> totals(all.size() * languages);
    {
      nb::gil_scoped_release release;
      parallel_ranges(ranges_by_bytes(all, threads), threads, [&](size_t first, size_t last) {
        Aligned<uint16_t> scratch(model->scratch());
        UnigramModel::Marginal marginal(step);
        std::vector<double> costs(languages);
        for (size_t t = first; t < last; ++t) {
          WordReader reader(all[t]);
          for (Word word; reader.next(word);) {
            if (word.noise != Reason::NONE) continue;
            model->marginal(word.bytes, word.size, marginal, scratch.data(), costs.data());
            for (size_t l = 0; l < languages; ++l) totals[t * languages + l] += costs[l];
          }
        }
      });
    }
    return owned(std::move(totals), {all.size(), languages});
  }
};

// [(root_backoff, [(parents, characters, log_p, log_backoff) for each order])] for each language
std::vector<nb::tuple> estimate_contexts(const std::vector<LanguageWords>& languages, size_t order, double discount,
                                         double base, double prune, size_t prune_from, size_t threads) {
  std::vector<ContextEstimate> results = over_languages<ContextEstimate>(
      languages, threads, [&](std::string_view blob, const int64_t* offsets, const double* counts, size_t words) {
        return estimate_context(blob, offsets, counts, words, order, discount, base, prune, prune_from);
      });
  std::vector<nb::tuple> tuples;
  for (ContextEstimate& e : results) {
    nb::list levels;
    for (ContextLevel& level : e.levels) {
      levels.append(nb::make_tuple(owned(std::move(level.parents)), owned(std::move(level.characters)),
                                   owned(std::move(level.log_p)), owned(std::move(level.log_backoff))));
    }
    tuples.push_back(nb::make_tuple(e.root_backoff, levels));
  }
  return tuples;
}

struct PyContextModel {
  std::shared_ptr<ContextModel> model;
  std::vector<nb::object> kept;

  // (sizes in bytes, costs [characters, rows])
  nb::tuple characters(const nb::bytes& word, bool cut_left, bool cut_right, Array<uint16_t> rows) const {
    const Word read{reinterpret_cast<const uint8_t*>(word.c_str()),
                    word.size(),
                    0,
                    0,
                    unicode::LETTER,
                    cut_left,
                    cut_right,
                    Reason::NONE};
    ExplainedCharacters found = explain_characters(*model, read, rows.data(), rows.size());
    const size_t n = found.sizes.size();
    return nb::make_tuple(owned(std::move(found.sizes)), owned(std::move(found.costs), {n, rows.size()}));
  }
};

// (characters, first_child or None, first_entry, entries)
using PyLevel = std::tuple<Array<uint16_t>, std::optional<Array<uint32_t>>, Array<uint32_t>, Array<uint8_t>>;

std::shared_ptr<ContextModel> make_context(Array<uint32_t> code_points, const std::vector<PyLevel>& levels,
                                           Array<uint8_t> root_backoff, uint8_t base) {
  ContextTable table{code_points.data(), {}, root_backoff.data(), base, root_backoff.size()};
  for (const auto& [characters, first_child, first_entry, entries] : levels) {
    table.levels.push_back({first_entry.size() - 1, characters.data(), first_child ? first_child->data() : nullptr,
                            first_entry.data(), entries.data()});
  }
  return std::make_shared<ContextModel>(std::move(table));
}

// Calls work(first, last, workspace) for ranges of texts.
template <class Work>
void over_texts(const Scorer& scorer, const std::vector<std::string_view>& texts, size_t threads, Work&& work) {
  nb::gil_scoped_release release;
  parallel_ranges(ranges_by_bytes(texts, threads), threads, [&](size_t first, size_t last) {
    std::unique_ptr<Scorer::Workspace> workspace = scorer.borrow();
    work(first, last, *workspace);
    scorer.give_back(std::move(workspace));
  });
}

// How to answer, with the arrays that it reads.
struct PyDecision {
  size_t languages;
  std::vector<double> log_prior, thresholds, usual, spread;
  std::vector<uint8_t> replaces;
  double step;
  Temperature temperature;
  std::optional<Reexamination> reexamination;
  std::optional<Rejection> rejection;

  Decision with(size_t k) const {
    return {languages,
            log_prior.data(),
            step,
            k,
            temperature,
            reexamination ? &*reexamination : nullptr,
            rejection ? &*rejection : nullptr};
  }
};

template <class T>
std::vector<T> copied(const Array<T>& array) {
  return {array.data(), array.data() + array.size()};
}

using PyReexamination = std::tuple<Array<double>, Array<uint8_t>, double, size_t>;
using PyRejection = std::tuple<Array<double>, Array<double>, double, double, double, double>;

void make_decision(PyDecision* self, Array<double> log_prior, double step, std::tuple<double, double, double> t,
                   std::optional<PyReexamination> again, std::optional<PyRejection> reject) {
  new (self) PyDecision{log_prior.size(), copied(log_prior), {}, {}, {}, {}, step, {}, {}, {}};
  self->log_prior.resize(padded(log_prior.size()), -INFINITY);
  self->temperature = {std::get<0>(t), std::get<1>(t), std::get<2>(t)};
  if (again) {
    const auto& [thresholds, replaces, distance, ranks] = *again;
    self->thresholds = copied(thresholds), self->replaces = copied(replaces);
    self->reexamination = {self->thresholds.data(), self->replaces.data(), distance, ranks};
  }
  if (reject) {
    const auto& [usual, spread, shared, sampling, limit, least] = *reject;
    self->usual = copied(usual), self->spread = copied(spread);
    self->rejection = {self->usual.data(), self->spread.data(), shared, sampling, limit, least};
  }
}

struct PyScorer {
  std::shared_ptr<Scorer> scorer;
  std::vector<nb::object> kept;

  // (languages [n, k], scores [n, k], probabilities [n, k], verdicts [n])
  // `second`: (context model, weight, bound, candidates)
  nb::tuple decide(const nb::list& texts, const PyDecision& decision, size_t k, size_t threads,
                   std::optional<std::tuple<PyContextModel&, uint32_t, uint32_t, size_t>> second, bool sure) const {
    nb::list held;
    const std::vector<std::string_view> texts_seen = views(texts, held);
    const size_t n = texts_seen.size();
    std::vector<int32_t> languages(n * k);
    std::vector<double> scores(n * k), probabilities(sure ? n * k : 0);
    std::vector<uint8_t> verdicts(n);
    std::optional<Scorer::SecondStage> stage;
    if (second) {
      const auto& [model, weight, bound, count] = *second;
      stage = {model.model.get(), weight, bound, count, decision.log_prior.data(), decision.step};
    }
    const Decision how = decision.with(k);
    over_texts(*scorer, texts_seen, threads, [&](size_t first, size_t last, Scorer::Workspace& workspace) {
      const auto done = [&](size_t i, const Scorer::Costs& costs) {
        const size_t t = first + i;
        unilid::decide(how, costs.all, costs.spoken, costs.facts, workspace.keys.data(),
                       {languages.data() + t * k, scores.data() + t * k, sure ? probabilities.data() + t * k : nullptr,
                        verdicts.data() + t});
      };
      if (!stage) return scorer->score(texts_seen.data() + first, last - first, workspace, done);
      for (size_t i = 0; i < last - first; ++i) done(i, scorer->score(texts_seen[first + i], workspace, *stage));
    });
    return nb::make_tuple(owned(std::move(languages), {n, k}), owned(std::move(scores), {n, k}),
                          owned(std::move(probabilities), {sure ? n : 0, k}), owned(std::move(verdicts)));
  }

  // ([(bytes, begin, end, kind, noise, cut at the left, at the right, lone, counts)], costs [words, rows],
  //  the best language of each word [words], its cost [words])
  nb::tuple explain(const nb::bytes& text, Array<uint16_t> rows) const {
    ExplainedText found;
    const std::string_view view = as_view(text);
    {
      nb::gil_scoped_release release;
      found = unilid::explain(*scorer, view, rows.data(), rows.size());
    }
    nb::list words;
    std::vector<int32_t> best;
    std::vector<uint32_t> best_costs;
    for (const ExplainedWord& word : found.words) {
      words.append(nb::make_tuple(to_bytes(word.bytes), word.begin, word.end, word.kind,
                                  static_cast<uint8_t>(word.noise), word.cut_left, word.cut_right, word.lone,
                                  word.counts));
      best.push_back(static_cast<int32_t>(word.best));
      best_costs.push_back(word.best_cost);
    }
    return nb::make_tuple(words, owned(std::move(found.costs), {found.words.size(), rows.size()}),
                          owned(std::move(best)), owned(std::move(best_costs)));
  }

  // (costs [n, languages], costs of the words of letters [n, languages], letters [n], reasons [n])
  nb::tuple costs(const nb::list& texts, size_t threads) const {
    nb::list held;
    const std::vector<std::string_view> texts_seen = views(texts, held);
    const size_t n = texts_seen.size(), languages = scorer->languages();
    std::vector<double> all(n * languages), spoken(n * languages);
    std::vector<int64_t> letters(n);
    std::vector<uint8_t> reasons(n);
    over_texts(*scorer, texts_seen, threads, [&](size_t first, size_t last, Scorer::Workspace& workspace) {
      scorer->score(texts_seen.data() + first, last - first, workspace, [&](size_t i, const Scorer::Costs& costs) {
        const size_t t = first + i;
        std::copy(costs.all, costs.all + languages, all.data() + t * languages);
        for (size_t l = 0; l < languages; ++l) spoken[t * languages + l] = costs.spoken[l];
        letters[t] = static_cast<int64_t>(costs.facts.letters);
        reasons[t] = static_cast<uint8_t>(costs.facts.reason);
      });
    });
    return nb::make_tuple(owned(std::move(all), {n, languages}), owned(std::move(spoken), {n, languages}),
                          owned(std::move(letters)), owned(std::move(reasons)));
  }

  // (begins, languages, letters, probabilities) of the spans of a text
  nb::tuple spans(nb::handle text, Array<uint32_t> entry, const PyDecision& decision, uint32_t change,
                  size_t short_text, size_t least, size_t most, size_t apart) const {
    nb::list texts, held;
    texts.append(text);
    const std::string_view view = views(texts, held)[0];
    const SpanSettings settings{copied(entry), change, short_text, least, most, apart};
    std::vector<Span> found;
    {
      nb::gil_scoped_release release;
      found = find_spans(*scorer, view, settings, decision.with(1), [] {
        nb::gil_scoped_acquire acquire;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
      });
    }
    std::vector<int64_t> begins, letters;
    std::vector<int32_t> languages;
    std::vector<double> probabilities;
    for (const Span& span : found) {
      begins.push_back(static_cast<int64_t>(span.begin));
      languages.push_back(span.language);
      letters.push_back(static_cast<int64_t>(span.letters));
      probabilities.push_back(span.probability);
    }
    return nb::make_tuple(owned(std::move(begins)), owned(std::move(languages)), owned(std::move(letters)),
                          owned(std::move(probabilities)));
  }
};

nb::list instruction_set_names() {
  nb::list names;
  for (const InstructionSet& one : instruction_sets()) names.append(nb::str(one.name.data(), one.name.size()));
  return names;
}

nb::str use_instruction_set(const char* name) {
  const InstructionSet* wanted = nullptr;
  std::string_view before;
  const std::vector<InstructionSet> all = instruction_sets();
  for (const InstructionSet& one : all) {
    if (one.name == name) wanted = &one;
    if (one.loops == &loops()) before = one.name;
  }
  if (wanted == nullptr) throw nb::value_error("this build or this machine does not have the instruction set");
  chosen_loops = wanted->loops;
  return nb::str(before.data(), before.size());
}

}  // namespace

NB_MODULE(_kernel, m) {
  nb::set_leak_warnings(false);  // models that live until the interpreter ends are no leak
  m.attr("MAX_WORD_BYTES") = MAX_WORD_BYTES;
  m.attr("MAX_TOKENS") = Vocabulary::MAX_TOKENS;
  m.def("instruction_sets", &instruction_set_names);
  m.def("use_instruction_set", &use_instruction_set, nb::arg("name"));
  m.attr("LARGE") = LARGE;
  m.def("sum_up_sizes", &sum_up_sizes, nb::arg("sizes"), nb::arg("large"));
  m.def("split_words", &split_words, nb::arg("text"));

  nb::class_<Counter>(m, "Counter")
      .def(nb::init<size_t>(), nb::arg("max_words"))
      .def("add", &Counter::add, nb::arg("labels"), nb::arg("texts"), nb::arg("counts").none() = nb::none(),
           nb::arg("threads") = 1)
      .def("tables", &Counter::tables, nb::arg("labels"), nb::arg("threads") = 1);

  m.def("with_fragments", &with_fragments, nb::arg("blob"), nb::arg("offsets"), nb::arg("counts"), nb::arg("share"));

  m.def("merge_words", &merge_words, nb::arg("languages"), nb::arg("max_words"));

  nb::class_<Vocabulary>(m, "Vocabulary")
      .def(nb::new_(&make_vocabulary), nb::arg("blob"), nb::arg("offsets"))
      .def("__len__", &Vocabulary::size)
      .def(
          "prefixes",
          [](const Vocabulary& self, const nb::bytes& text) {
            std::vector<std::pair<uint32_t, size_t>> found;
            const uint8_t* at = reinterpret_cast<const uint8_t*>(text.c_str());
            self.prefixes(at, at + text.size(), [&](uint32_t token, size_t n) { found.emplace_back(token, n); });
            return found;
          },
          nb::arg("text"));

  m.def("learn_vocabulary", &learn, nb::arg("blob"), nb::arg("offsets"), nb::arg("weights"), nb::arg("size"),
        nb::arg("max_characters"), nb::arg("max_bytes"), nb::arg("seeds"), nb::arg("shrink"), nb::arg("threads"));
  m.def("estimate", &estimate_all, nb::arg("vocabulary"), nb::arg("languages"), nb::arg("rounds"), nb::arg("tolerance"),
        nb::arg("threads"));

  nb::class_<PyUnigramModel>(m, "UnigramModel")
      .def(
          "__init__",
          [](PyUnigramModel* self, std::shared_ptr<Vocabulary> vocabulary, Array<int64_t> offsets,
             Array<uint16_t> languages, Array<uint8_t> costs, Array<uint8_t> unseen) {
            auto model = std::make_shared<UnigramModel>(
                vocabulary, TokenCosts{offsets.data(), languages.data(), costs.data(), unseen.data(), unseen.size()});
            new (self) PyUnigramModel{
                model, {nb::cast(offsets), nb::cast(languages), nb::cast(costs), nb::cast(unseen)}, unseen.size()};
          },
          nb::arg("vocabulary"), nb::arg("offsets"), nb::arg("languages"), nb::arg("costs"), nb::arg("unseen"))
      .def("segment", &PyUnigramModel::segment, nb::arg("word"), nb::arg("language"))
      .def("marginal", &PyUnigramModel::marginal, nb::arg("texts"), nb::arg("step"), nb::arg("threads"));

  m.def("estimate_contexts", &estimate_contexts, nb::arg("languages"), nb::arg("order"), nb::arg("discount"),
        nb::arg("base"), nb::arg("prune"), nb::arg("prune_from"), nb::arg("threads"));
  nb::class_<PyContextModel>(m, "ContextModel")
      .def(
          "__init__",
          [](PyContextModel* self, Array<uint32_t> code_points, const nb::list& levels, Array<uint8_t> root_backoff,
             uint8_t base) {
            new (self)
                PyContextModel{make_context(code_points, nb::cast<std::vector<PyLevel>>(levels), root_backoff, base),
                               {nb::cast(code_points), levels, nb::cast(root_backoff)}};
          },
          nb::arg("code_points"), nb::arg("levels"), nb::arg("root_backoff"), nb::arg("base"))
      .def("characters", &PyContextModel::characters, nb::arg("word"), nb::arg("cut_left"), nb::arg("cut_right"),
           nb::arg("rows"));

  nb::class_<PyDecision>(m, "Decision")
      .def("__init__", &make_decision, nb::arg("log_prior"), nb::arg("step"), nb::arg("temperature"),
           nb::arg("reexamination").none() = nb::none(), nb::arg("rejection").none() = nb::none());

  nb::class_<PyScorer>(m, "Scorer")
      .def(
          "__init__",
          [](PyScorer* self, const std::vector<std::pair<nb::object, uint32_t>>& models, size_t languages,
             uint32_t bound, size_t cache_bytes) {
            std::vector<WeightedModel> weighted;
            std::vector<nb::object> kept;
            for (const auto& [model, weight] : models) {
              PyContextModel* context;
              if (nb::try_cast(model, context)) {
                weighted.push_back({context->model, weight});
              } else {
                weighted.push_back({nb::cast<PyUnigramModel&>(model).model, weight});
              }
              kept.push_back(model);
            }
            new (self)
                PyScorer{std::make_shared<Scorer>(std::move(weighted), languages, bound, cache_bytes), std::move(kept)};
          },
          nb::arg("models"), nb::arg("languages"), nb::arg("bound"), nb::arg("cache_bytes"))
      .def("decide", &PyScorer::decide, nb::arg("texts"), nb::arg("decision"), nb::arg("k"), nb::arg("threads"),
           nb::arg("second").none() = nb::none(), nb::arg("sure") = true)
      .def("explain", &PyScorer::explain, nb::arg("text"), nb::arg("rows"))
      .def("costs", &PyScorer::costs, nb::arg("texts"), nb::arg("threads"))
      .def("spans", &PyScorer::spans, nb::arg("text"), nb::arg("entry"), nb::arg("decision"), nb::arg("change"),
           nb::arg("short_text"), nb::arg("least"), nb::arg("most"), nb::arg("apart"));
}
