#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <iterator>

#include "base/loops.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/stop.h"
#include "bindings/arrays.h"
#include "bindings/bindings.h"
#include "bindings/gil.h"
#include "explanation/explain.h"
#include "models/vocabulary.h"

namespace unilid {

namespace {

// ---- vocabulary

// Tokens are sorted and distinct, and all single bytes are among them, so that every text has a segmentation.
std::shared_ptr<Vocabulary> make_vocabulary(const nb::bytes& blob, Array<int64_t> offsets) {
  const std::string_view view = as_view(blob);
  require(ascends_to(offsets, view.size()), "the offsets of tokens must ascend from 0 to the size of their bytes");
  const size_t tokens = offsets.size() - 1;
  require(tokens <= Vocabulary::MAX_TOKENS, "a vocabulary has at most MAX_TOKENS tokens");
  size_t single_bytes = 0;
  std::string_view before;
  for (size_t t = 0; t < tokens; ++t) {
    const std::string_view token = view.substr(static_cast<size_t>(offsets.data()[t]),
                                               static_cast<size_t>(offsets.data()[t + 1] - offsets.data()[t]));
    require(!token.empty() && token.size() <= MAX_WORD_BYTES, "a token has 1 to MAX_WORD_BYTES bytes");
    require(t == 0 || before < token, "the tokens of a vocabulary must be sorted and distinct");
    single_bytes += token.size() == 1;
    before = token;
  }
  require(single_bytes == 256, "a vocabulary must contain all 256 single bytes");
  return std::make_shared<Vocabulary>(view, offsets.data(), tokens);
}

struct PyPrefix {
  uint32_t token;
  size_t length;
};

std::vector<PyPrefix> token_prefixes(const Vocabulary& vocabulary, const nb::bytes& text) {
  std::vector<PyPrefix> prefixes;
  const uint8_t* at = reinterpret_cast<const uint8_t*>(text.c_str());
  vocabulary.prefixes(at, at + text.size(), [&](uint32_t token, size_t n) { prefixes.push_back({token, n}); });
  return prefixes;
}

// ---- word models

std::vector<UnigramModel::Piece> segment(const PyUnigramModel& self, const nb::bytes& word, size_t language) {
  require(word.size() <= WORD_CAPACITY, "the word is longer than MAX_WORD_BYTES");
  require(language < self.languages, "the language is none of the model's");
  return self.model->segment(reinterpret_cast<const uint8_t*>(word.c_str()), word.size(), language);
}

// Costs [texts, languages] by the forward algorithm.
nb::object marginal(const PyUnigramModel& self, const nb::list& texts, double step, size_t threads) {
  nb::list owners;
  const std::vector<std::string_view> all = views(texts, owners);
  const size_t languages = self.languages;
  std::vector<double> totals(all.size() * languages);
  run_on_texts(all, [&] {
    parallel_ranges(ranges_by_bytes(all, threads), threads, [&](size_t first, size_t last) {
      Aligned<uint16_t> scratch(self.model->scratch());
      UnigramModel::Marginal memory(step);
      std::vector<double> costs(languages);
      for (size_t t = first; t < last; ++t) {
        WordReader reader(all[t]);
        for (Word word; reader.next(word);) {
          check_stop();
          if (word.noise != Reason::NONE) continue;
          self.model->marginal(word.bytes, word.size, memory, scratch.data(), costs.data());
          for (size_t l = 0; l < languages; ++l) totals[t * languages + l] += costs[l];
        }
      }
    });
  });
  return owned(std::move(totals), {all.size(), languages});
}

// A level of the context model's trie.
struct PyContextLevel {
  Array<uint16_t> characters;
  std::optional<Array<uint32_t>> first_child;
  Array<uint32_t> first_entry;
  Array<uint8_t> entries;
};

template <size_t ENTRY_BYTES>
uint32_t largest_of(const uint8_t* entries, size_t bytes) {
  uint32_t most = 0;
  for (size_t at = 0; at < bytes; at += ENTRY_BYTES) {
    uint16_t language;
    std::memcpy(&language, entries + at, sizeof language);
    most = std::max<uint32_t>(most, language);
  }
  return most;
}

// The largest language that entries of 3 or 4 bytes name, 0 if there are none.
size_t largest_language(Array<uint8_t> entries, size_t entry_bytes) {
  require((entry_bytes == 3 || entry_bytes == 4) && entries.size() % entry_bytes == 0,
          "the entries end within an entry");
  return entry_bytes == 4 ? largest_of<4>(entries.data(), entries.size())
                          : largest_of<3>(entries.data(), entries.size());
}

// Every index in the tables must lie within the table that it points into.
std::shared_ptr<ContextModel> make_context(Array<uint32_t> code_points, const std::vector<PyContextLevel>& levels,
                                           Array<uint8_t> root_backoff, uint8_t base, const PyScriptUses& scripts) {
  const size_t languages = root_backoff.size();
  require(languages > 0 && languages <= MAX_LANGUAGES, "a context model has 1 to MAX_LANGUAGES languages");
  require(!levels.empty() && levels.size() <= MAX_ORDER, "the order of the context model is not supported");
  require(code_points.size() <= MAX_CHARACTERS && code_points.size() == levels[0].characters.size(),
          "the first level of a context model has its characters");
  require(largest(code_points) <= WORD_END, "a character of the context model is none of Unicode");
  ContextTable table{code_points.data(), {}, root_backoff.data(), base, languages};
  for (size_t k = 0; k < levels.size(); ++k) {
    const PyContextLevel& level = levels[k];
    const bool is_last = k + 1 == levels.size();
    const size_t nodes = level.characters.size(), entry_bytes = is_last ? 3 : 4;
    require(level.first_entry.size() == nodes + 1 &&
                ascends_to(level.first_entry, level.entries.size() / entry_bytes) &&
                level.first_child.has_value() != is_last,
            "the n-grams of a context model and their entries differ in number");
    require(is_last || (level.first_child->size() == nodes + 1 &&
                        ascends_to(*level.first_child, levels[k + 1].characters.size())),
            "the n-grams of a context model and their continuations differ in number");
    require(largest_language(level.entries, entry_bytes) < languages,
            "an entry of the context model names no language");
    require(nodes == 0 || largest(level.characters) < code_points.size(),
            "an n-gram ends in none of the model's characters");
    table.levels.push_back({nodes, level.characters.data(), is_last ? nullptr : level.first_child->data(),
                            level.first_entry.data(), level.entries.data()});
  }
  return std::make_shared<ContextModel>(std::move(table), ScriptTable(uses_of(scripts, languages), languages));
}

// Every index in the tables must lie within the table that it points into.
std::shared_ptr<Lexicon> make_lexicon(Array<uint32_t> first_word, Array<uint32_t> fingerprints,
                                      Array<uint32_t> first_entry, Array<uint8_t> entries, size_t languages) {
  require(first_word.size() == BUCKETS + 1 && ascends_to(first_word, fingerprints.size()),
          "the words of a lexicon are in LEXICON_BUCKETS buckets");
  require(
      first_entry.size() == fingerprints.size() + 1 && ascends_to(first_entry, entries.size() / Lexicon::ENTRY_BYTES),
      "the words of a lexicon and their entries differ in number");
  for (size_t bucket = 0; bucket < BUCKETS; ++bucket) {
    const uint32_t *first = fingerprints.data() + first_word.data()[bucket],
                   *last = fingerprints.data() + first_word.data()[bucket + 1];
    require(std::adjacent_find(first, last, std::greater_equal<>()) == last,
            "the words of a lexicon must ascend within a bucket");
  }
  require(languages > 0 && languages <= MAX_LANGUAGES, "a lexicon has 1 to MAX_LANGUAGES languages");
  require(largest_language(entries, Lexicon::ENTRY_BYTES) < languages, "an entry of the lexicon names no language");
  return std::make_shared<Lexicon>(
      LexiconTable{first_word.data(), fingerprints.data(), first_entry.data(), entries.data()});
}

// What the words of languages cost these languages themselves, under the weighted sum of word models.
std::vector<nb::object> word_costs(const PyWeightedModels& models, const nb::list& languages, Array<uint16_t> rows,
                                   size_t threads) {
  const std::vector<LanguageWords> all = words_of_all(languages);
  const WeightedModels weighted(models);
  require(rows.size() == all.size() && (rows.size() == 0 || largest(rows) < weighted.languages),
          "there must be a row of the models for each language");
  std::vector<std::string_view> blobs;
  for (const LanguageWords& words : all) blobs.push_back(words.view());
  std::vector<std::vector<uint32_t>> costs(all.size());
  std::vector<size_t> ends(all.size());
  for (size_t l = 0; l < all.size(); ++l) ends[l] = l + 1;
  interruptibly([&] {
    parallel_ranges(ends, threads, [&](size_t first, size_t last) {
      for (size_t l = first; l < last; ++l) {
        costs[l].resize(all[l].size());
        for (size_t w = 0; w < all[l].size(); ++w) {
          check_stop();
          const int64_t* offset = all[l].offsets.data() + w;
          WordReader reader(
              blobs[l].substr(static_cast<size_t>(offset[0]), static_cast<size_t>(offset[1] - offset[0])));
          if (Word word; reader.next(word)) costs[l][w] = weighted_cost(weighted.models, word, rows.data()[l]);
        }
      }
    });
  });
  std::vector<nb::object> result;
  for (std::vector<uint32_t>& own : costs) result.push_back(owned(std::move(own)));
  return result;
}

// The keys and scripts of stored words: a word is read as if it stood alone.
struct PyWordKeys {
  nb::object keys, scripts;
};

PyWordKeys word_keys(nb::handle language_words) {
  const LanguageWords words(language_words);
  std::vector<uint64_t> keys(words.size(), NO_KEY);
  std::vector<uint8_t> scripts(words.size(), unicode::SIGN);
  const std::string_view blob = words.view();
  for (size_t w = 0; w < words.size(); ++w) {
    const int64_t* offset = words.offsets.data() + w;
    WordReader reader(blob.substr(static_cast<size_t>(offset[0]), static_cast<size_t>(offset[1] - offset[0])));
    Word word;
    if (reader.next(word) && word.kind == unicode::LETTER) keys[w] = lexicon_key(word), scripts[w] = word.script;
  }
  return {owned(std::move(keys)), owned(std::move(scripts))};
}

struct PyExplainedCharacters {
  nb::object sizes, costs;
};

PyExplainedCharacters explain_word(const PyContextModel& self, const nb::bytes& word, bool cut_left, bool cut_right,
                                   Array<uint16_t> rows) {
  require(word.size() <= WORD_CAPACITY, "the word is longer than MAX_WORD_BYTES");
  for (size_t r = 0; r < rows.size(); ++r) {
    require(rows.data()[r] < self.languages && (r == 0 || rows.data()[r - 1] < rows.data()[r]),
            "the rows must ascend, and be rows of the model");
  }
  const Word as_word{reinterpret_cast<const uint8_t*>(word.c_str()),
                     word.size(),
                     0,
                     0,
                     unicode::LETTER,
                     cut_left,
                     cut_right,
                     Reason::NONE,
                     0,
                     unicode::LETTER,
                     false,
                     true};
  ExplainedCharacters characters = explain_characters(*self.model, as_word, rows.data(), rows.size());
  const size_t n = characters.sizes.size();
  return {owned(std::move(characters.sizes)), owned(std::move(characters.costs), {n, rows.size()})};
}

}  // namespace

std::vector<ScriptTable::Use> uses_of(const PyScriptUses& scripts, size_t languages) {
  std::vector<ScriptTable::Use> uses;
  for (const auto& [language, script] : scripts) {
    require(language < languages && script >= unicode::FIRST_SCRIPT &&
                script < unicode::FIRST_SCRIPT + std::size(unicode::SCRIPTS),
            "a script is none that Unicode knows, or its language is none of the model's");
    uses.push_back({language, script});
  }
  return uses;
}

WeightedModels::WeightedModels(const PyWeightedModels& given) {
  uint64_t weights = 0;
  for (const auto& [model, weight] : given) {
    PyContextModel* context;
    PyUnigramModel* unigram;
    size_t own;
    if (nb::try_cast(model, context)) {
      own = context->languages;
      models.push_back({context->model, weight});
    } else {
      require(nb::try_cast(model, unigram), "a word model is a UnigramModel or a ContextModel");
      own = unigram->languages;
      models.push_back({unigram->model, weight});
    }
    require(languages == 0 || languages == own, "the word models differ in their number of languages");
    languages = own;
    weights += weight;
    owners.push_back(model);
  }
  require(models.size() >= 1 && models.size() <= 2 && weights == WEIGHT_STEPS,
          "there are one or two word models, whose weights add up to WEIGHT_STEPS");
}

void bind_models(nb::module_& m) {
  m.attr("MAX_TOKENS") = Vocabulary::MAX_TOKENS;
  m.attr("MAX_CHARACTER_COST") = MAX_CHARACTER_COST;
  m.attr("MAX_ORDER") = MAX_ORDER;
  m.attr("MAX_CHARACTERS") = MAX_CHARACTERS;
  m.attr("INVALID_BYTE") = INVALID_BYTE;
  m.attr("WORD_START") = WORD_START;
  m.attr("WORD_END") = WORD_END;
  m.attr("NO_KEY") = NO_KEY;
  m.attr("LEXICON_BUCKETS") = BUCKETS;

  nb::class_<PyPrefix>(m, "Prefix").def_ro("token", &PyPrefix::token).def_ro("length", &PyPrefix::length);
  nb::class_<Vocabulary>(m, "Vocabulary")
      .def(nb::new_(&make_vocabulary), nb::arg("blob"), nb::arg("offsets"))
      .def("__len__", &Vocabulary::size)
      .def("prefixes", &token_prefixes, nb::arg("text"));

  nb::class_<UnigramModel::Piece>(m, "Piece")
      .def_ro("token", &UnigramModel::Piece::token)
      .def_ro("begin", &UnigramModel::Piece::begin)
      .def_ro("end", &UnigramModel::Piece::end)
      .def_ro("cost", &UnigramModel::Piece::cost);
  nb::class_<PyUnigramModel>(m, "UnigramModel")
      .def(
          "__init__",
          [](PyUnigramModel* self, std::shared_ptr<Vocabulary> vocabulary, Array<int64_t> offsets,
             Array<uint16_t> languages, Array<uint8_t> costs, Array<uint8_t> unseen) {
            require(unseen.size() > 0 && unseen.size() <= MAX_LANGUAGES, "a model has 1 to MAX_LANGUAGES languages");
            require(offsets.size() == vocabulary->size() + 1 && ascends_to(offsets, costs.size()) &&
                        languages.size() == costs.size(),
                    "the tokens of a unigram model and their entries differ in number");
            require(largest(languages) < unseen.size(), "an entry of the unigram model names no language");
            auto model = std::make_shared<UnigramModel>(
                vocabulary, TokenCosts{offsets.data(), languages.data(), costs.data(), unseen.data(), unseen.size()});
            new (self) PyUnigramModel{
                model, {nb::cast(offsets), nb::cast(languages), nb::cast(costs), nb::cast(unseen)}, unseen.size()};
          },
          nb::arg("vocabulary"), nb::arg("offsets"), nb::arg("languages"), nb::arg("costs"), nb::arg("unseen"))
      .def("segment", &segment, nb::arg("word"), nb::arg("language"))
      .def("marginal", &marginal, nb::arg("texts"), nb::arg("step"), nb::arg("threads"));

  nb::class_<PyWordKeys>(m, "WordKeys").def_ro("keys", &PyWordKeys::keys).def_ro("scripts", &PyWordKeys::scripts);
  m.def("word_costs", &word_costs, nb::arg("models"), nb::arg("languages"), nb::arg("rows"), nb::arg("threads"));
  m.def("word_keys", &word_keys, nb::arg("words"));
  nb::class_<PyLexicon>(m, "Lexicon")
      .def(
          "__init__",
          [](PyLexicon* self, Array<uint32_t> first_word, Array<uint32_t> fingerprints, Array<uint32_t> first_entry,
             Array<uint8_t> entries, size_t languages) {
            new (self)
                PyLexicon{make_lexicon(first_word, fingerprints, first_entry, entries, languages),
                          {nb::cast(first_word), nb::cast(fingerprints), nb::cast(first_entry), nb::cast(entries)},
                          languages};
          },
          nb::arg("first_word"), nb::arg("fingerprints"), nb::arg("first_entry"), nb::arg("entries"),
          nb::arg("languages"));

  nb::class_<PyContextLevel>(m, "ContextLevel")
      .def(
          "__init__",
          [](PyContextLevel* self, Array<uint16_t> characters, std::optional<Array<uint32_t>> first_child,
             Array<uint32_t> first_entry,
             Array<uint8_t> entries) { new (self) PyContextLevel{characters, first_child, first_entry, entries}; },
          nb::arg("characters"), nb::arg("first_child").none(), nb::arg("first_entry"), nb::arg("entries"));
  nb::class_<PyExplainedCharacters>(m, "ExplainedCharacters")
      .def_ro("sizes", &PyExplainedCharacters::sizes)
      .def_ro("costs", &PyExplainedCharacters::costs);
  nb::class_<PyContextModel>(m, "ContextModel")
      .def(
          "__init__",
          [](PyContextModel* self, Array<uint32_t> code_points, const nb::list& levels, Array<uint8_t> root_backoff,
             uint8_t base, const PyScriptUses& scripts) {
            new (self) PyContextModel{
                make_context(code_points, nb::cast<std::vector<PyContextLevel>>(levels), root_backoff, base, scripts),
                {nb::cast(code_points), levels, nb::cast(root_backoff)},
                root_backoff.size()};
          },
          nb::arg("code_points"), nb::arg("levels"), nb::arg("root_backoff"), nb::arg("base"),
          nb::arg("scripts") = PyScriptUses())
      .def("characters", &explain_word, nb::arg("word"), nb::arg("cut_left"), nb::arg("cut_right"), nb::arg("rows"));
}

}  // namespace unilid
