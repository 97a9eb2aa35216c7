#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <iterator>
#include <numeric>
#include <optional>

#include "base/hash.h"
#include "base/loops.h"
#include "base/parallel.h"
#include "base/stop.h"
#include "bindings/arrays.h"
#include "bindings/bindings.h"
#include "bindings/gil.h"
#include "corpus/counts.h"
#include "words/words.h"

namespace unilid {

namespace {

// Words, sorted by their bytes, with their counts.
struct PyWordTable {
  explicit PyWordTable(WordCounts::Table&& table)
      : blob(to_bytes(table.blob)), offsets(owned(std::move(table.offsets))), counts(owned(std::move(table.counts))) {}

  nb::bytes blob;
  nb::object offsets, counts;
};

struct PyMergedWords {
  PyWordTable words;
  size_t distinct;
};

// What counts may add up to: the product of two such numbers is finite.
constexpr double MAX_COUNT = 1e150;
// Labels that can be counted at once: several times as many as a model has room for.
constexpr size_t MAX_COUNTED = 16 * MAX_LANGUAGES;

// Counts the words of every label. Texts with a negative label are left out. The texts of a label are counted one after
// the other by one thread, so that its table stays in the cache of that core.
struct Counter {
  void add(Array<int32_t> labels, const nb::list& texts, std::optional<Array<double>> counts, size_t threads) {
    nb::list owners;
    const std::vector<std::string_view> all = views(texts, owners);
    require(labels.size() == all.size() && (!counts || counts->size() == all.size()),
            "labels, texts and counts differ in their number");
    for (size_t i = 0; i < all.size(); ++i) {
      require(labels.data()[i] < static_cast<int32_t>(MAX_COUNTED), "a label is beyond what can be counted at once");
    }
    interruptibly([&] { count(labels.data(), all, counts ? counts->data() : nullptr, threads); });
  }

  void count(const int32_t* label, const std::vector<std::string_view>& all, const double* counts, size_t threads) {
    // The texts are ordered by their labels; ends[label] is where those of a label end.
    std::vector<size_t> ends(languages.size());
    for (size_t i = 0; i < all.size(); ++i) {
      if (label[i] < 0) continue;
      while (static_cast<size_t>(label[i]) >= ends.size()) languages.emplace_back(), ends.push_back(0);
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
        languages[static_cast<size_t>(label[i])].add_text(all[i], counts != nullptr ? counts[i] : 1.0);
      }
    });
  }

  std::vector<PyWordTable> tables(const std::vector<size_t>& labels, size_t threads) const {
    std::vector<WordCounts::Table> results(labels.size());
    interruptibly([&] {
      parallel_ranges(one_by_one(labels.size()), threads, [&](size_t i, size_t) {
        if (labels[i] < languages.size()) {
          results[i] = languages[labels[i]].table();
        } else {
          results[i].offsets.push_back(0);
        }
      });
    });
    return {std::make_move_iterator(results.begin()), std::make_move_iterator(results.end())};
  }

  // How many distinct words of each label were counted.
  nb::object sizes() const {
    std::vector<int64_t> all;
    for (const WordCounts& language : languages) all.push_back(static_cast<int64_t>(language.size()));
    return owned(std::move(all));
  }

  // The words of a label, of which nothing is counted then.
  PyWordTable take(size_t label) {
    require(label < languages.size(), "no text of this label was counted");
    WordCounts::Table table;
    interruptibly([&] { table = languages[label].table(); });
    languages[label] = WordCounts();
    return PyWordTable(std::move(table));
  }

  std::vector<WordCounts> languages;
};

// One number for each text, which its bytes and the seed decide, with 63 bits: databases know no others.
nb::object hash_texts(const nb::list& texts, uint64_t seed) {
  nb::list owners;
  const std::vector<std::string_view> all = views(texts, owners);
  std::vector<int64_t> hashes(all.size());
  interruptibly([&] {
    for (size_t i = 0; i < all.size(); ++i) {
      if (i % STOP_CHECK == 0) check_stop();
      // The size is part of the seed, where no byte of a short text can undo it.
      const size_t size = all[i].size();
      const uint64_t hash =
          hash_bytes(reinterpret_cast<const uint8_t*>(all[i].data()), size, seed + size * 0x9E3779B97F4A7C15u);
      hashes[i] = static_cast<int64_t>(hash >> 1);
    }
  });
  return owned(std::move(hashes));
}

using Adding = WordCounts::Table (*)(std::string_view, const int64_t*, const double*, size_t, double);

// The words of a language, and what the kernel adds to them with a share of their counts.
template <Adding ADD>
PyWordTable with_others(nb::handle language, double share) {
  const LanguageWords words(language);
  const std::string_view view = words.view();
  WordCounts::Table table;
  interruptibly([&] { table = ADD(view, words.offsets.data(), words.counts.data(), words.size(), share); });
  return PyWordTable(std::move(table));
}

PyWordTable subtract_words(nb::handle from, nb::handle other) {
  const LanguageWords a(from), b(other);
  const auto view = [](const LanguageWords& words) {
    return WordCounts::View{words.view(), words.offsets.data(), words.counts.data(), words.size()};
  };
  const WordCounts::View first = view(a), second = view(b);
  WordCounts::Table table;
  interruptibly([&] { table = WordCounts::subtract(first, second); });
  return PyWordTable(std::move(table));
}

// The `max_words` most common words of all languages with the sums of their counts, and the number of all words.
PyMergedWords merge_words(const nb::list& languages, size_t max_words) {
  const std::vector<LanguageWords> all_words = words_of_all(languages);
  std::vector<std::string_view> blobs;
  for (const LanguageWords& words : all_words) blobs.push_back(words.view());
  WordCounts::Table table;
  size_t distinct = 0;
  interruptibly([&] {
    WordCounts all;
    for (size_t l = 0; l < all_words.size(); ++l) {
      const LanguageWords& words = all_words[l];
      all.add_table(blobs[l], words.offsets.data(), words.counts.data(), words.size());
    }
    distinct = all.size();
    all.keep_most_common(max_words);
    table = all.table();
  });
  return {PyWordTable(std::move(table)), distinct};
}

}  // namespace

LanguageWords::LanguageWords(nb::handle words) {
  require(nb::try_cast(nb::getattr(words, "blob"), blob) && nb::try_cast(nb::getattr(words, "offsets"), offsets) &&
              nb::try_cast(nb::getattr(words, "counts"), counts),
          "words have bytes, offsets (int64) and counts (float64)");
  require(offsets.size() == counts.size() + 1 && ascends_to(offsets, blob.size()),
          "words must have one offset more than counts, ascending from 0 to the size of their bytes");
  double total = 0;
  for (size_t w = 0; w < counts.size(); ++w) {
    require(offsets.data()[w + 1] - offsets.data()[w] <= static_cast<int64_t>(WORD_CAPACITY),
            "no word may be longer than MAX_WORD_BYTES and a space");
    require(counts.data()[w] >= 0 && std::isfinite(counts.data()[w]),
            "the counts of words must be non-negative numbers");
    total += counts.data()[w];
  }
  require(total <= MAX_COUNT, "the counts of the words of a language add up to more than 1e150");
}

std::vector<LanguageWords> words_of_all(const nb::list& languages) {
  std::vector<LanguageWords> words;
  for (nb::handle language : languages) words.emplace_back(language);
  return words;
}

void bind_corpus(nb::module_& m) {
  nb::class_<PyWordTable>(m, "WordTable")
      .def_ro("blob", &PyWordTable::blob)
      .def_ro("offsets", &PyWordTable::offsets)
      .def_ro("counts", &PyWordTable::counts);
  nb::class_<PyMergedWords>(m, "MergedWords")
      .def_ro("words", &PyMergedWords::words)
      .def_ro("distinct", &PyMergedWords::distinct);
  nb::class_<Counter>(m, "Counter")
      .def(nb::init<>())
      .def("add", &Counter::add, nb::arg("labels"), nb::arg("texts"), nb::arg("counts").none() = nb::none(),
           nb::arg("threads") = 1)
      .def("tables", &Counter::tables, nb::arg("labels"), nb::arg("threads") = 1)
      .def("sizes", &Counter::sizes)
      .def("take", &Counter::take, nb::arg("label"));

  m.def("with_fragments", &with_others<WordCounts::with_fragments>, nb::arg("words"), nb::arg("share"));
  m.def("with_spellings", &with_others<WordCounts::with_spellings>, nb::arg("words"), nb::arg("share"));
  m.def("hash_texts", &hash_texts, nb::arg("texts"), nb::arg("seed") = 0);
  m.def("subtract_words", &subtract_words, nb::arg("words"), nb::arg("other"));
  m.def("merge_words", &merge_words, nb::arg("languages"), nb::arg("max_words"));
}

}  // namespace unilid
