// The language of every span of a mixed text: Viterbi over its words, twice.
//
// clang-format off
//   base        d_l(t) = min(d_l(t - 1), min over all languages of d(t - 1) + growth change + entry_l) + cost_l(word t)
//   quotations  q_l(t) = min(q_l(t - 1), b(t - 1) + 2 change + entry_l) + cost_l(word t)
//               b(t)   = min(b(t - 1) + cost of word t in the language of the base, min over all languages of q(t))
//   growth             = sqrt(words / short_text), from 1 to 2
// clang-format on
//
// A quotation in the middle of a text takes two changes of language. A foreign name at the beginning or the end of a
// text, or where its languages change, would take only one: so the second pass charges two changes for every quotation.
// The longer a text is, the more of its words look like another language by chance: so `growth` makes a change as
// costly in the first pass of a long text.
//
// Every change comes from one state of the word before, the best one. So it is enough to remember the best language at
// each word and the word at which it was entered; no table of words and languages is needed.
//
// Only linguistic words vote, in scripts that a competing language is written in. What lies between two of them belongs
// to the span of one of them, or, if it is long, is a span of its own without a language. A language none of whose
// scripts occurs in a span is not its language: the best of the others is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "decisions/decide.h"
#include "scoring/scorer.h"

namespace unilid {

// The entry cost of a language that does not compete, in steps: more than any text costs between two words at which
// such languages are sent back (see spans.cpp), and twice as much still fits into 32 bits.
constexpr uint32_t NO_ENTRY = uint32_t{1} << 28;
// The language of a span that has none, and of one with letters that no competing language is written in.
constexpr int32_t NO_LANGUAGE = -1, UNDETERMINED = -2;

struct SpanSettings {
  std::vector<uint32_t> entry;  // per language: the cost to enter it, from the prior, in steps
  uint32_t change;              // the cost of a change of language, in steps
  size_t short_text;            // words; in a text of four times as many, a change costs twice as much
  size_t least;                 // letters that a span has at least; a shorter one is merged with the one before
  size_t most;                  // languages that a text has at most; those with the most letters are kept
  size_t apart;                 // visible characters between two linguistic words that make a span of their own
};

struct Span {
  size_t begin;      // byte of the text; a span ends where the next one begins
  int32_t language;  // or NO_LANGUAGE, UNDETERMINED
  size_t letters;    // characters of the words that vote; where it is undetermined, of its linguistic words
  double probability;
};

std::vector<Span> find_spans(const Scorer& scorer, std::string_view text, SpanSettings settings,
                             const Decision& decision);

// A language's part of the letters of a text.
struct Share {
  int32_t language;
  double share;
};

// The languages of a text, added up from its spans, largest first, and of equal ones the lower row; none where no
// letter has a language.
std::vector<Share> shares(const std::vector<Span>& spans);

}  // namespace unilid
