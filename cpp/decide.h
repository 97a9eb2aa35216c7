// From the vector of a text to an answer.
//
// clang-format off
//   key_l   = log prior_l - cost_l                       what languages are ranked by; ties go to the lower row
//   p_l     = exp(b key_l) / sum of exp(b key)           over the languages that compete
//   b       = scale (1 + n / length)^-decay              n letters: words of a text depend on each other, so that its
//                                                        evidence grows more slowly than its length
// clang-format on
//
// Re-examined (calibrated UniLID): where the best key is less than the language's threshold above the second, the
// answer is the first of the others among the best `ranks` that may replace it and lies within `distance` of the best.
//
// Rejected: where the text costs much more a letter than the language's own text does, or no language is probable.
#pragma once

#include <cstddef>
#include <cstdint>

#include "noise.h"

namespace unilid {

// What a text is, apart from its language.
struct TextFacts {
  size_t letters = 0;            // characters of its words
  Reason reason = Reason::NONE;  // why it is no language
};

struct Temperature {
  double scale = 1, length = 1, decay = 0;
  double at(size_t letters) const;
};

// Calibrated UniLID.
struct Reexamination {
  const double* thresholds;  // per language, nats; 0: never
  const uint8_t* replaces;   // per language: whether it may be the answer instead
  double distance;
  size_t ranks;
};

// The cost of a letter of a language's own text, and how it scatters: the variance of its ratio to `usual` is
// spread_l (shared + sampling / (letters * usual_l)).
struct Rejection {
  const double *usual, *spread;  // per language; usual is 0 where nothing is known
  double shared, sampling;
  double limit;  // standard deviations above the usual
  double least_probability;
};

enum class Verdict : uint8_t { LANGUAGE = 0, UNSURE = 16, UNLIKE = 17 };  // below 16: a Reason

struct Decision {
  size_t languages;
  const double* log_prior;  // padded(languages) entries; -inf: does not compete
  double step;              // nats in a unit of cost
  size_t k;
  Temperature temperature;
  const Reexamination* reexamination;  // or null
  const Rejection* rejection;          // or null
};

struct Answer {
  int32_t* languages;     // k entries, best first; -1 where there are fewer
  double* scores;         // k log-likelihoods
  double* probabilities;  // k entries; null if not wanted
  uint8_t* verdict;
};

// What some words cost each language.
struct CostSum {
  const double* total;     // or null
  const uint16_t* recent;  // what is not yet in there, or null
  double least;            // of every language

  double operator[](size_t l) const {
    return least + (total != nullptr ? total[l] : 0) + (recent != nullptr ? recent[l] : 0);
  }
};

// `totals`: costs of the text, padded(languages) whole numbers, infinite for a language that was not scored; `spoken`:
// of its words of letters alone; `room`: for padded(languages) numbers.
void decide(const Decision& decision, const double* totals, const CostSum& spoken, const TextFacts& facts, double* room,
            Answer out);

// The probability of one language.
double posterior(const Decision& decision, const CostSum& costs, size_t letters, size_t language, double* room);

}  // namespace unilid
