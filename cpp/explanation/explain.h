// Why a text got its language: what each of its words costs under a few languages.
//
// These are the terms of the sum that a scorer makes. To see a single part of the score (one word model alone, or no
// bound), the caller passes a scorer that leaves the others out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/word_model.h"
#include "scoring/scorer.h"

namespace unilid {

struct ExplainedWord {
  std::string bytes;  // as the word models read it
  size_t begin, end;  // its place in the text, without its space
  uint8_t kind;       // LETTER, DIGIT or SIGN
  Reason noise;       // see Word
  bool cut_left, cut_right, lone;
  uint8_t script;  // see Word
  bool inner;
  bool counts;  // whether it counts; noise does only if there are no linguistic words
  size_t best;  // the language of least cost, among all; ties go to the lower row
  uint32_t best_cost;
};

struct ExplainedText {
  std::vector<ExplainedWord> words;
  std::vector<uint32_t> costs;  // [words, rows]; the costs of the words that count add up to those of the text
};

ExplainedText explain(const Scorer& scorer, std::string_view text, const uint16_t* rows, size_t count);

// What each character adds to the cost of a word under a model that reads from left to right, and what the end of the
// word adds if it is not cut there.
struct ExplainedCharacters {
  std::vector<uint8_t> sizes;   // bytes of each character; 0: the end of the word
  std::vector<uint32_t> costs;  // [characters, rows]
};

// The rows are in ascending order.
ExplainedCharacters explain_characters(const WordModel& model, const Word& word, const uint16_t* rows, size_t count);

}  // namespace unilid
