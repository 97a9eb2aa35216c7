// From the costs of a text to an answer.
//
// clang-format off
//   key_l   = log prior_l - handicap_l sqrt(n) - cost_l  languages are ranked by it; ties go to the lower row
//   p_l     = exp(b key_l) / sum of exp(b key)           over the languages that compete
//   b       = scale (1 + n / length)^-decay              n letters: words of a text depend on each other, so that its
//                                                        evidence grows more slowly than its length
// clang-format on
//
// A handicap takes from a language what it scores too much on every text, because there was more text of it, or text
// that is more alike.
//
// Re-ranking (calibrated UniLID): if the best key exceeds the second one by less than the threshold of its language,
// the answer is the first one of the others that may replace it, is among the best `ranks`, and lies within `distance`
// of the best.
//
// Rejection: a text is in no known language if it costs much more a letter than the language's own text does, or if no
// language is probable, or if no language that competes is written in its script.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "scoring/sums.h"

namespace unilid {

struct Temperature {
  double scale = 1, length = 1, decay = 0;
  double at(size_t letters) const;
};

struct Rerank {
  const double* thresholds;  // per language, nats; 0: never
  const uint8_t* replaces;   // per language: whether it may replace the best
  double distance;           // nats
  size_t ranks;
};

// The variance of cost / (letters * usual_l), over texts of language l, is spread_l (shared + sampling / (letters *
// usual_l)).
struct Rejection {
  const double* usual;      // per language: the cost of a letter of its own text, nats; 0: unknown
  const double* spread;     // per language
  double shared, sampling;  // see above
  double limit;             // standard deviations above the usual
  double least_probability;
};

// A verdict below this number, other than 0, is a Reason: the text is no language. From it on, the language of the text
// is undetermined.
constexpr uint8_t FIRST_UNDETERMINED = 16;
enum class Verdict : uint8_t { LANGUAGE = 0, UNSURE = FIRST_UNDETERMINED, UNLIKE, SCRIPT };

// The names of verdicts for texts of an undetermined language, as users see them.
constexpr std::pair<Verdict, const char*> VERDICT_NAMES[] = {
    {Verdict::UNSURE, "unsure"}, {Verdict::UNLIKE, "unlike"}, {Verdict::SCRIPT, "script"}};

struct Decision {
  size_t languages;
  const double* log_prior;  // padded(languages) entries; -inf: does not compete
  double step;              // nats in a unit of cost
  size_t k;                 // languages in an answer
  Temperature temperature;
  const Rerank* rerank;               // null: none
  const Rejection* rejection;         // null: none
  const double* handicaps = nullptr;  // per language, nats; null: none

  // What a text of so many letters begins with, before its words are read.
  double start(size_t language, size_t letters) const;
};

struct Answer {
  int32_t* languages;     // k entries, best first; -1 where there are fewer
  double* scores;         // k log-likelihoods
  double* probabilities;  // k entries
  uint8_t* verdict;
};

// `scratch`: memory for padded(languages) numbers.
void decide(const Decision& decision, const TextCosts& costs, const TextFacts& facts, double* scratch, Answer out);

// How far the key of a language is behind the best one.
double behind_best(const Decision& decision, const CostSum& costs, size_t letters, size_t language, double* scratch);

// The probability of one language among those that are not excluded (see TextFacts), of which it is one.
double posterior(const Decision& decision, const CostSum& costs, size_t letters, const uint8_t* excluded,
                 size_t language, double* scratch);

}  // namespace unilid
