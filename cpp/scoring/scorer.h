// From words to vectors, and from vectors to the costs of a text.
//
// The vector of a word is a weighted sum over word models, less the gains of the lexicon; the vector of a text is the
// sum over its words.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/memory.h"
#include "base/pool.h"
#include "base/stop.h"
#include "models/lexicon.h"
#include "models/scripts.h"
#include "models/word_model.h"
#include "scoring/cache.h"
#include "scoring/sums.h"
#include "words/excerpts.h"
#include "words/words.h"

namespace unilid {

// Steps: what the excess of a word's cost has room for.
constexpr uint32_t MAX_BOUND = 0xFFFF;

struct ScorerSettings {
  size_t languages;
  // Steps. A word counts in full against a language as far as its cost exceeds the best language's by no more than
  // this; a quarter of what goes further counts, and no more than 255 steps altogether. Also, a lone letter (see
  // is_lone) counts a quarter. 0: every word counts in full.
  uint32_t bound;
  // Of the first caller. The n-th one of those that score at the same time gets an n-th of it.
  size_t cache_bytes;
  // Whether signs and digits count, or words of letters (and the signs inside them) alone.
  bool signs;
  // Which languages are written in which script. With a bound, words in other scripts cost a language the same as all
  // others that are not written in them; without a bound, scripts only exclude languages.
  std::vector<ScriptTable::Use> scripts;
};

class Scorer {
 public:
  // `lexicon`: null for none.
  Scorer(std::vector<WeightedModel> models, std::shared_ptr<const Lexicon> lexicon, const ScorerSettings& settings);

  size_t languages() const { return languages_; }
  size_t width() const { return width_; }  // padded(languages)
  const ScriptTable& scripts() const { return scripts_; }
  bool is_bounded() const { return bound_ > 0; }

  // The memory that one caller needs at a time.
  struct Workspace {
    explicit Workspace(const Scorer& scorer);
    Workspace(const Workspace&) = delete;

   private:
    friend class Scorer;
    // Counts the workspaces of a scorer. It is the first member, so that the count is also right where there is no
    // memory for the others.
    struct Number {
      explicit Number(std::atomic<size_t>& all) : workspaces(all), value(++all) {}
      ~Number() { --workspaces; }
      Number(const Number&) = delete;
      std::atomic<size_t>& workspaces;
      size_t value;
    };
    Number number;

   public:
    Aligned<double> keys;  // for what is decided from the costs

   private:
    std::vector<Aligned<uint16_t>> scratch;  // of each model
    Aligned<uint16_t> vector, part;
    VectorSum linguistic, others;
    ScriptSet scripts;  // of the text
    Aligned<uint8_t> excluded;
    WordCache cache;
  };

  // What a text costs each language. Noise does not count, unless there is nothing else. The costs
  // are valid until the workspace is used again.
  struct Costs : TextCosts {
    TextFacts facts;
  };
  Costs score(std::string_view text, Workspace& workspace) const;
  // Whether a word counts: noise does not, nor do signs and digits if they are switched off, except for signs inside a
  // word.
  bool counts(const Word& word) const {
    return word.noise == Reason::NONE && (signs_ || word.kind == unicode::LETTER || word.inner);
  }
  // Why a text with so many letters is no language; NONE if it is one.
  static Reason reason_of(std::string_view text, size_t letters);
  // Not 0: a language none of whose scripts is among these, in memory of the table or of the workspace. Null: all
  // languages may be the answer.
  const uint8_t* excluded(const ScriptSet& scripts, Workspace& workspace) const;
  // The costs of a text, over all languages that are not excluded at least.
  TextCosts costs_of(VectorSum& linguistic, VectorSum& others, const uint8_t* excluded) const;
  // Scores many texts, whose words are looked up together. Calls visit(index of the text, its costs) in any order.
  template <class Visit>
  void score(const std::string_view* texts, size_t count, Workspace& workspace, Visit&& visit) const;

  // Calls visit(word, its vector) for the words of a text for which filter(word) is true, in order.
  template <class Filter, class Visit>
  void each_word(std::string_view text, Workspace& workspace, Filter&& filter, Visit&& visit) const {
    const Excerpt whole{text};
    each_word(&whole, 1, workspace, filter, [&](size_t, const Word& word, const WordVector& v) { visit(word, v); });
  }
  // The same for many excerpts: calls visit(index of the excerpt, word, its vector), which must not use the workspace.
  template <class Filter, class Visit>
  void each_word(const Excerpt* excerpts, size_t count, Workspace& workspace, Filter&& filter, Visit&& visit) const;

  // Workspaces come from a pool, because each has a cache; where it has none, one is made.
  std::unique_ptr<Workspace> borrow() const;
  void give_back(std::unique_ptr<Workspace> workspace) const { pool_.give_back(std::move(workspace)); }

 private:
  // A word of a batch, on its way to a vector.
  struct BatchWord {
    size_t excerpt;
    Word word;
    uint64_t hash;
    WordCache::Entry* entry;
    bool is_new;
    uint8_t bytes[WordReader::BUFFER];
  };

  TextFacts start(Workspace& workspace) const;
  void add(const Word& word, const WordVector& vector, TextFacts& facts, Workspace& workspace) const;
  Costs finish(std::string_view text, TextFacts facts, Workspace& workspace) const;

  size_t vector_bytes() const { return width_ * (bound_ > 0 ? sizeof(uint8_t) : sizeof(uint16_t)); }
  // Gives as many words as possible an entry of the cache, from the first on, and returns how many.
  size_t assign_entries(BatchWord* words, size_t count, Workspace& workspace) const;
  // Fills the entries of new words.
  void fill_entries(BatchWord* words, size_t count, Workspace& workspace) const;
  void fill_entry(const Word& word, const Rows& rows, uint16_t* costs, WordCache::Entry& entry) const;
  // The languages whose costs are computed for a word; the others are not written in its script.
  Rows rows_of(const Word& word) const { return bound_ > 0 ? scripts_.rows(word.script) : Rows{0, width_}; }
  WordVector vector_of(const Word& word, WordCache::Entry& entry) const {
    if (bound_ == 0) return {0, nullptr, reinterpret_cast<const uint16_t*>(entry.vector()), {0, width_}, 0};
    const Rows rows = rows_of(word);
    // Where nobody writes the script, nobody can say anything.
    const uint8_t outside = rows.size() == 0 ? uint8_t{0} : foreign_excess(word.letters);
    return {entry.least, entry.vector(), nullptr, rows, outside};
  }

  std::vector<WeightedModel> models_;
  std::shared_ptr<const Lexicon> lexicon_;
  size_t languages_, width_;
  uint32_t bound_;
  size_t cache_bytes_;
  bool signs_;
  ScriptTable scripts_;
  mutable std::atomic<size_t> workspaces_{0};
  mutable Pool<Workspace> pool_;
};

template <class Filter, class Visit>
void Scorer::each_word(const Excerpt* excerpts, size_t excerpt_count, Workspace& workspace, Filter&& filter,
                       Visit&& visit) const {
  BatchWord words[WordModel::BATCH];
  size_t count = 0;
  const auto visit_batch = [&] {
    check_stop();
    for (size_t i = 0; i < count; ++i) workspace.cache.prefetch_entry(words[i].hash);
    for (size_t first = 0, ready; first < count; first += ready) {
      ready = assign_entries(words + first, count - first, workspace);
      fill_entries(words + first, ready, workspace);
      for (size_t i = first; i < first + ready; ++i) {
        visit(words[i].excerpt, words[i].word, vector_of(words[i].word, *words[i].entry));
      }
    }
    count = 0;
  };
  for (size_t e = 0; e < excerpt_count; ++e) {
    const Excerpt& excerpt = excerpts[e];
    WordReader reader(excerpt.text);
    while (reader.next(words[count].word, words[count].bytes)) {
      BatchWord& next = words[count];
      if (next.word.begin >= excerpt.end) break;
      if (next.word.begin < excerpt.begin || !filter(next.word)) continue;
      next.excerpt = e;
      next.hash = WordKey::hash(next.word);
      workspace.cache.prefetch_set(next.hash);
      if (++count == WordModel::BATCH) visit_batch();
    }
  }
  visit_batch();
}

template <class Visit>
void Scorer::score(const std::string_view* texts, size_t count, Workspace& workspace, Visit&& visit) const {
  std::vector<Excerpt> whole;
  whole.reserve(count);
  for (size_t text = 0; text < count; ++text) whole.push_back({texts[text]});
  std::vector<size_t> without_letters;  // scored again, with the words that are noise
  size_t current = 0;
  TextFacts facts = start(workspace);
  const auto finish_before = [&](size_t text) {
    for (; current < text; ++current) {
      if (facts.letters > 0) {
        visit(current, finish(texts[current], facts, workspace));
      } else {
        without_letters.push_back(current);
      }
      facts = start(workspace);
    }
  };
  const auto filter = [this](const Word& word) { return counts(word); };
  each_word(whole.data(), count, workspace, filter, [&](size_t text, const Word& word, const WordVector& vector) {
    finish_before(text);
    add(word, vector, facts, workspace);
  });
  finish_before(count);
  for (const size_t text : without_letters) visit(text, score(texts[text], workspace));
}

}  // namespace unilid
