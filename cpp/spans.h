// The language of every stretch of a mixed text: Viterbi over its words, twice.
//
// clang-format off
//   base        d_l(t) = min(d_l(t - 1), min over all languages of d(t - 1) + growth change + entry_l) + cost_l(word t)
//   quotations  q_l(t) = min(q_l(t - 1), b(t - 1) + 2 change + entry_l) + cost_l(word t)
//               b(t)   = min(b(t - 1) + cost of word t in the language of the base, min over all languages of q(t))
//   growth             = sqrt(words / short_text), from 1 to 2
// clang-format on
//
// A quotation in the midst of another language takes two changes, a name that begins or ends a text or stands where its
// languages change would take one: so the second pass makes it two wherever it stands. The longer a text is, the more
// of its words look like another language by chance: in all but short ones, the first pass asks for as much.
//
// Every switch comes from one state of the word before, so it is enough to remember, of each word, the best language
// and the word at which that one was entered: no table of words and languages.
//
// Words of letters vote. What stands between two of them belongs to one of these, or, where it is long, is a stretch
// of its own that is no language.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "decide.h"
#include "score.h"

namespace unilid {

constexpr uint32_t NO_ENTRY = uint32_t{1} << 28;  // the entry of a language that does not compete
constexpr int32_t NO_LANGUAGE = -1;

struct SpanSettings {
  std::vector<uint32_t> entry;  // per language, steps: what the prior makes of it
  uint32_t change;              // the cost of a change of language, steps
  size_t short_text;            // words; in a text of four times as many, a change costs twice as much
  size_t least;                 // letters of a span; a shorter one is given to the one before
  size_t most;                  // languages of a text; those with the most letters stay
  size_t apart;                 // visible characters without words of letters that are kept apart
};

struct Span {
  size_t begin;      // bytes of the text; a span ends where the next one begins
  int32_t language;  // or NO_LANGUAGE
  size_t letters;    // characters of its words of letters
  double probability;
};

// `pause` is called now and then; what it throws ends the work.
std::vector<Span> find_spans(const Scorer& scorer, std::string_view text, SpanSettings settings,
                             const Decision& decision, const std::function<void()>& pause);

}  // namespace unilid
