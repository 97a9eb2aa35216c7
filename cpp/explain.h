// Why a text got its language: its words, and what each of them costs under a few languages.
//
// One scorer tells what its words add up to. What happened on the way (one word model alone, no bound) is told by a
// scorer that leaves out the rest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "score.h"

namespace unilid {

struct ExplainedWord {
  std::string bytes;  // as the word models read it
  size_t begin, end;  // where it stands in the text, without its space
  uint8_t kind;       // LETTER, DIGIT or SIGN
  Reason noise;       // what it is a part of, if that is no language
  bool cut_left, cut_right, lone;
  bool counts;  // noise does not, unless there is nothing else
  size_t best;  // the language that explains it best, of all; of equals, the lowest row
  uint32_t best_cost;
};

struct ExplainedText {
  std::vector<ExplainedWord> words;
  std::vector<uint32_t> costs;  // [words, rows]; the costs of the words that count add up to those of the text
};

ExplainedText explain(const Scorer& scorer, std::string_view text, const uint16_t* rows, size_t count);

// What each character of a word adds to the word's cost under a model that reads from left to right, and what the end
// of the word adds, where it is not cut.
struct ExplainedCharacters {
  std::vector<uint8_t> sizes;   // bytes; 0: the end
  std::vector<uint32_t> costs;  // [characters, rows]
};

// `rows` ascending.
ExplainedCharacters explain_characters(const WordModel& model, const Word& word, const uint16_t* rows, size_t count);

}  // namespace unilid
