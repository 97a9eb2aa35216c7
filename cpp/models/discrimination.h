// Discriminative training of the context model, by maximum conditional likelihood.
//
// Each language is estimated from its own words alone, which asks how probable a text is. Between close relatives
// nearly every n-gram is equally probable, and the few that tell them apart drown. So corrections are learned from
// lines that several languages score nearly alike, the candidates C of the line:
//
// clang-format off
//   P(l | line) = exp(s (score_l + sum of correction_l(g))) / sum over m in C of exp(s (score_m + ...))
//   correction_l(g) -= rate v / sqrt(1 + sum of v^2 so far)      v = (P(l | line) - [l is right]) count of g   (AdaGrad)
// clang-format on
//
// g are the n-grams of the line that l has an entry of, of every order; s is the exponent of the posterior for a line
// of that length. `score` is that of a model which never saw the line, and so are the entries: what was learned from a
// line looks better on it than on any other.
//
// Corrections end up in the costs of the entries: an entry costs less by those of its n-gram and of all shorter ones
// that end with it. So nothing that scores has to know of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "models/context.h"

namespace unilid {

// Finds n-grams and their entries in a table.
class ContextTrie {
 public:
  static constexpr uint32_t NONE = ContextTable::NONE;
  // The n-grams of every order that end at a character; NONE where there is none.
  struct Ngrams {
    uint32_t at[MAX_ORDER] = {NONE, NONE, NONE, NONE, NONE, NONE};
  };

  explicit ContextTrie(const ContextTable& table);

  const ContextTable& table() const { return table_; }
  size_t order() const { return table_.levels.size(); }
  const ContextTable::Level& level(size_t k) const { return table_.levels[k]; }
  // Entries have numbers over all levels, from the first level on.
  size_t entries() const { return first_number_.back(); }
  uint32_t first_number(size_t k) const { return first_number_[k]; }
  // The number of the entry that a language has of an n-gram, NONE if it has none.
  uint32_t entry(size_t k, uint32_t ngram, uint16_t language) const;
  uint32_t character(uint32_t code_point) const;  // NONE if no language knows it
  uint32_t code_point(uint32_t character) const { return table_.code_points[character]; }
  Ngrams next(const Ngrams& before, uint32_t character) const;

 private:
  const ContextTable& table_;
  std::vector<uint16_t> characters_;    // by code point
  std::vector<uint32_t> first_number_;  // one more than levels
};

// The entries that candidates have of the n-grams of lines, and how often each n-gram occurs; a candidate's end where
// `ends` says.
struct Features {
  std::vector<uint64_t> ends;
  std::vector<uint32_t> entries;  // their numbers in `learned`
  std::vector<uint8_t> counts;
};

// Appends the features of a line under some languages. They are entries of `learned`, the table to be corrected, that
// `seen` has, too: the table of the model that never saw the line. `signs`: whether signs and digits count.
void add_features(const ContextTrie& seen, const ContextTrie& learned, std::string_view line, const uint16_t* languages,
                  size_t count, bool signs, Features& features);

// Lines to learn from. All pointers are views of arrays that the caller keeps and has checked.
struct Lessons {
  size_t lines;
  const uint64_t* candidate_ends;  // of each line
  const uint64_t* right;           // of each line: which candidate is right
  const double* exponents;         // of each line
  const double* scores;            // of each candidate, nats
  const uint64_t* feature_ends;    // of each candidate
  const uint32_t* entries;
  const uint8_t* counts;
};

// Returns the correction of each entry, in nats.
std::vector<float> learn_corrections(const Lessons& lessons, size_t entries, double rate, size_t rounds);

// The costs of the entries of a table, of all its levels one after the other, less the corrections of the entries of
// `learned`, in nats, of which one is worth `steps`. The two tables are of the same languages.
std::vector<uint8_t> corrected_costs(const ContextTrie& trie, const ContextTrie& learned, const float* corrections,
                                     double steps);

}  // namespace unilid
