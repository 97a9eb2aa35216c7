// Words to vectors, vectors to texts.
//
// A word is a vector of costs, one per language: a cost is a negative log-probability in whole steps, so sums are exact
// and the same in any order. The vector of a word is a weighted sum over word models; the vector of a text is the sum
// over its words.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "decide.h"
#include "hash.h"
#include "memory.h"
#include "simd.h"
#include "vocabulary.h"
#include "words.h"

namespace unilid {

// One way to score a word under every language.
class WordModel {
 public:
  virtual ~WordModel() = default;
  // Room that the following may use, in 16-bit entries.
  virtual size_t scratch() const = 0;
  // Memory is slow: up to AHEAD words are announced before their costs are asked for, in any order.
  static constexpr size_t AHEAD = 32;
  virtual void announce(const Word* const* words, size_t count, uint16_t* scratch) const = 0;
  // Fills padded(languages) costs of the word that was announced at `place`; what stands behind the last language means
  // nothing.
  virtual void costs(const Word& word, size_t place, uint16_t* scratch, uint16_t* out) const = 0;
  // The same for a few languages only; `rows` ascending.
  virtual void costs_of(const Word& word, const uint16_t* rows, size_t count, uint16_t* out) const = 0;
};

// Token-major sparse weights: the entries of token t are [offsets[t], offsets[t + 1]), languages ascending. A language
// without an entry pays its `unseen` cost, which is at least as high as any of its entries. Views of mapped memory.
struct TokenCosts {
  const int64_t* offsets;
  const uint16_t* languages;
  const uint8_t* costs;
  const uint8_t* unseen;
  size_t language_count;
};

// The paper's model: the cost of a word is that of its most probable segmentation (Viterbi).
class UnigramModel : public WordModel {
 public:
  UnigramModel(std::shared_ptr<const Vocabulary> vocabulary, TokenCosts table);

  size_t scratch() const override { return (WORD_CAPACITY + 1) * padded(table_.language_count); }
  void announce(const Word* const*, size_t, uint16_t*) const override {}
  void costs(const Word& word, size_t place, uint16_t* scratch, uint16_t* out) const override;
  void costs_of(const Word& word, const uint16_t* rows, size_t count, uint16_t* out) const override;

  // The forward algorithm instead: -log of the sum over all segmentations, in steps of `step` nats.
  struct Marginal {
    explicit Marginal(double step);
    double step;
    std::vector<double> weights, sums;
  };
  void marginal(const uint8_t* word, size_t size, Marginal& marginal, uint16_t* scratch, double* out) const;

  struct Piece {
    uint32_t token;
    size_t begin, end;  // bytes of the word
    uint8_t cost;
  };
  // The most probable segmentation under one language; of equally probable ones, that with the longest last tokens.
  std::vector<Piece> segment(const uint8_t* word, size_t size, size_t language) const;

 private:
  // The best cost of every prefix under every language: best[j * padded + l].
  void viterbi(const uint8_t* word, size_t size, uint16_t* best) const;
  void fetch_ahead(uint32_t token) const;
  void relax_edge(uint32_t token, const uint16_t* from, uint16_t* to, bool first) const;
  uint8_t cost(uint32_t token, size_t language) const;

  std::shared_ptr<const Vocabulary> vocabulary_;
  TokenCosts table_;
  size_t width_;
  // Tokens that many languages use have a row over all languages, the others a short list.
  static constexpr uint32_t SPARSE = 0xFFFFFFFF;
  std::vector<uint32_t> row_of_;
  Aligned<uint8_t> rows_;
  Aligned<uint8_t> unseen_;
};

// A word and what it touches.
class WordKey {
 public:
  WordKey() = default;
  explicit WordKey(const Word& word);
  bool is_of(const Word& word) const;
  static uint64_t hash(const Word& word) { return hash_padded(word.bytes, word.size, cut(word)); }

 private:
  static uint8_t cut(const Word& word) { return static_cast<uint8_t>(word.cut_left | word.cut_right << 1); }

  uint8_t size_, cut_;
  uint8_t bytes_[WORD_CAPACITY + 1];
};

// The vectors of words seen before: entries one after the other, so that a few texts touch little memory; when there is
// no more room, the oldest gives way, unless it was asked for since its turn came last. An index of small sets finds
// them: what it says of an entry that was given away meanwhile is wrong, and the entry's key shows it.
class WordCache {
 public:
  // `vector`: bytes of one, a multiple of 64.
  WordCache(size_t bytes, size_t vector);

  struct Entry {
    uint16_t least;
    uint16_t is_used;
    WordKey key;
    uint8_t* vector() { return reinterpret_cast<uint8_t*>(this) + HEADER; }
  };

  // Memory is slow: the words of a text are announced, then fetched, then asked for.
  void announce(uint64_t hash) const { prefetch(&sets_[set(hash)]); }
  void fetch(uint64_t hash) const;
  Entry* find(uint64_t hash, const Word& word);  // null if it is not there
  // The entry that the next new word gets, and giving it to a word.
  Entry& next() const { return entry(next_); }
  void take(uint64_t hash, const Word& word);

 private:
  static constexpr size_t WAYS = 8, HEADER = 128, MOST_SPARED = 16;
  static_assert(sizeof(Entry) <= HEADER);

  struct Set {
    uint16_t tags[WAYS];  // a first look at the hashes; 0: empty
    uint32_t entries[WAYS];
    uint32_t oldest;
    uint32_t unused[3];
  };
  static_assert(sizeof(Set) == 64);

  static uint16_t tag(uint64_t hash) { return static_cast<uint16_t>(hash | 1); }
  size_t set(uint64_t hash) const { return (hash >> 32) * set_count_ >> 32; }
  Entry& entry(size_t place) const {
    return *reinterpret_cast<Entry*>(const_cast<uint8_t*>(entries_.data()) + place * size_);
  }

  size_t size_, capacity_, set_count_;
  size_t next_ = 0;
  bool is_full_ = false;
  Aligned<Set> sets_;
  Aligned<uint8_t> entries_;
};

// The costs of a word: bounded, `least` and what each language's cost exceeds it by; unbounded, the costs themselves.
struct WordVector {
  uint32_t least;
  const uint8_t* excess;  // null in a scorer without a bound
  const uint16_t* costs;  // null in a scorer with one

  uint32_t of(size_t language) const { return costs != nullptr ? costs[language] : least + excess[language]; }
};

struct WeightedModel {
  std::shared_ptr<const WordModel> model;
  uint32_t weight;  // sixteenths; the weights of a scorer add up to 16
};

// Sums of word vectors: whole numbers in doubles, so that they are exact. Bounded words are added up in 16 bits, which
// 256 of them may fill.
class VectorSum {
 public:
  explicit VectorSum(size_t width) : width_(width), recent_(width), total_(width) {}
  void start(bool bounded);
  void add(const WordVector& vector);
  // Fills `to` with this and the other sum together.
  void add_up(const VectorSum& other, double* to) const;
  CostSum costs() const;

 private:
  void flush();

  size_t width_, words_ = 0;
  uint64_t least_ = 0;
  bool is_zero_ = true;  // whatever stands in total_
  Aligned<uint16_t> recent_;
  Aligned<double> total_;
};

class Scorer {
 public:
  // `bound`: a word counts in full against a language up to this many steps beyond the best language's cost, a quarter
  // of what goes further, and 255 steps at most; and a lone letter that no space precedes counts a quarter: what noise
  // leaves of a word. 0 for none of this. `cache_bytes`: of the first caller; the n-th one at the same time gets an
  // n-th.
  Scorer(std::vector<WeightedModel> models, size_t languages, uint32_t bound, size_t cache_bytes);

  size_t languages() const { return languages_; }
  bool is_bounded() const { return bound_ > 0; }

  // What one caller needs at a time.
  struct Workspace {
    explicit Workspace(const Scorer& scorer);
    Workspace(const Workspace&) = delete;

   private:
    friend class Scorer;
    struct Number {  // of those that there are, also where there is no memory for the rest of it
      explicit Number(std::atomic<size_t>& workspaces) : workspaces(workspaces), value(++workspaces) {}
      ~Number() { --workspaces; }
      Number(const Number&) = delete;
      std::atomic<size_t>& workspaces;
      size_t value;
    };
    Number number;

   public:
    Aligned<double> keys;

   private:
    std::vector<Aligned<uint16_t>> scratch;  // of each model
    Aligned<uint16_t> vector, part;
    VectorSum spoken, others;
    Aligned<double> all, of_candidates;
    WordCache cache;
  };

  // What a text costs each language, over all of its words and over its words of letters alone; in the workspace.
  // Addresses and identifiers do not count, unless there is nothing else.
  struct Costs {
    const double* all;
    CostSum spoken;
    TextFacts facts;
  };
  Costs score(std::string_view text, Workspace& workspace) const;
  // The same for many: calls done(which, its costs), in any order. Their words are looked up together.
  template <class Done>
  void score(const std::string_view* texts, size_t count, Workspace& workspace, Done&& done) const;

  // For label sets so large that the full vector is too slow: this scorer, of one word model and unbounded, names
  // `count` candidates, and only they are scored with the second model too. The others' costs are infinite.
  struct SecondStage {
    const WordModel* model;
    uint32_t weight;  // of this scorer's model, sixteenths; the rest is the second's
    uint32_t bound;   // relative to the best candidate
    size_t count;
    const double* log_prior;
    double step;
  };
  Costs score(std::string_view text, Workspace& workspace, const SecondStage& second) const;

  // Calls visit(word, its vector) for the words of a text, in order; `wanted(word)` says which.
  template <class Wanted, class Visit>
  void each_word(std::string_view text, Workspace& workspace, Wanted&& wanted, Visit&& visit) const {
    each_word(&text, 1, workspace, wanted, [&](size_t, const Word& word, const WordVector& v) { visit(word, v); });
  }
  // The same for the words of many: visit(which text, word, its vector). It must not score anything itself.
  template <class Wanted, class Visit>
  void each_word(const std::string_view* texts, size_t count, Workspace& workspace, Wanted&& wanted,
                 Visit&& visit) const;

  // Borrowed from a pool. Never waits: when the pool is busy, or was locked by another thread at the moment of a fork,
  // a new workspace is made.
  std::unique_ptr<Workspace> borrow() const;
  void give_back(std::unique_ptr<Workspace> workspace) const;

 private:
  // Words that are read before the first of them is looked up, so that memory is waited for once.
  struct Ahead {
    size_t text;
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
  // Gives as many words as possible an entry, and returns how many.
  size_t find_entries(Ahead* words, size_t count, Workspace& workspace) const;
  void compute(Ahead* words, size_t count, Workspace& workspace) const;
  WordVector vector_of(WordCache::Entry& entry) const {
    if (bound_ > 0) return {entry.least, entry.vector(), nullptr};
    return {0, nullptr, reinterpret_cast<const uint16_t*>(entry.vector())};
  }

  std::vector<WeightedModel> models_;
  size_t languages_, width_;
  uint32_t bound_;
  size_t cache_bytes_;
  mutable std::atomic<size_t> workspaces_{0};
  mutable std::mutex pool_mutex_;
  mutable std::vector<std::unique_ptr<Workspace>> pool_;
};

template <class Wanted, class Visit>
void Scorer::each_word(const std::string_view* texts, size_t text_count, Workspace& workspace, Wanted&& wanted,
                       Visit&& visit) const {
  Ahead words[WordModel::AHEAD];
  size_t text = 0, count = 0;
  const auto visit_all = [&] {
    for (size_t i = 0; i < count; ++i) workspace.cache.fetch(words[i].hash);
    for (size_t first = 0, found; first < count; first += found) {
      found = find_entries(words + first, count - first, workspace);
      compute(words + first, found, workspace);
      for (size_t i = first; i < first + found; ++i) visit(words[i].text, words[i].word, vector_of(*words[i].entry));
    }
    count = 0;
  };
  for (; text < text_count; ++text) {
    WordReader reader(texts[text]);
    while (reader.next(words[count].word, words[count].bytes)) {
      Ahead& ahead = words[count];
      if (!wanted(ahead.word)) continue;
      ahead.text = text;
      ahead.hash = WordKey::hash(ahead.word);
      workspace.cache.announce(ahead.hash);
      if (++count == WordModel::AHEAD) visit_all();
    }
  }
  visit_all();
}

template <class Done>
void Scorer::score(const std::string_view* texts, size_t count, Workspace& workspace, Done&& done) const {
  std::vector<size_t> without_letters;
  size_t now = 0;
  TextFacts facts = start(workspace);
  const auto finish_before = [&](size_t text) {
    for (; now < text; ++now) {
      if (facts.letters > 0) {
        done(now, finish(texts[now], facts, workspace));
      } else {
        without_letters.push_back(now);
      }
      facts = start(workspace);
    }
  };
  const auto counts = [](const Word& word) { return word.noise == Reason::NONE; };
  each_word(texts, count, workspace, counts, [&](size_t text, const Word& word, const WordVector& vector) {
    finish_before(text);
    add(word, vector, facts, workspace);
  });
  finish_before(count);
  for (const size_t text : without_letters) done(text, score(texts[text], workspace));
}

}  // namespace unilid
