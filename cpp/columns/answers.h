// Answers as a column: what `Prediction` has, by the same rules (decisions/answers.py), a row for each text.
//
// clang-format off
//   struct { label, probability, score, reason, guess }           reason and guess are null where there is a language
//   with shares: the same and `shares`, a list of { label, share }
//   ranked: a list of such structs without shares, best first
// clang-format on
//
// Labels and reasons are dictionaries, which all columns of a model share. A row whose text is null is null.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "columns/column.h"

namespace unilid::columns {

// The words that answers consist of.
struct Words {
  // The labels of a model; behind them, those of no language and of an undetermined one.
  explicit Words(const std::vector<std::string>& labels);

  SharedColumn labels, reasons;
  int32_t no_language, undetermined;
  std::array<int8_t, 256> reason_of{};  // by verdict: the entry of `reasons`
};

// The answers to some texts, as the kernel gives them.
struct Answers {
  size_t size, k;
  const int32_t* rows;  // [size, k]; -1 where there are fewer
  const double* scores;
  const double* probabilities;
  const uint8_t* verdicts;
};

// The languages of some texts by letters: those of text i begin at ends[i - 1].
struct Shares {
  const int64_t* ends;
  const int32_t* rows;
  const double* shares;
};

enum class Form { BEST, BEST_WITH_SHARES, RANKED };

class AnswerBuilder {
 public:
  // `abstain`: whether an answer may be none of the languages.
  AnswerBuilder(std::shared_ptr<const Words> words, Form form, bool abstain)
      : words_(std::move(words)), form_(form), abstain_(abstain) {}

  // `nulls`: for each text, whether there is none. `shares`: for the form that has them. Returns false where there are
  // more entries of lists than a column has room for.
  bool append(const Answers& answers, const std::vector<bool>& nulls, const Shares* shares);
  size_t size() const { return size_; }
  // The column; nothing is left in the builder.
  SharedColumn finish();

 private:
  void append_best(const Answers& answers, size_t text);
  void append_ranked(const Answers& answers, size_t text);
  void append_null();
  void append_one(int32_t label, double probability, double score, uint8_t verdict, int32_t guess);
  void append_shares(const Shares& shares, size_t text);
  SharedColumn finish_answers(const std::string& name, Buffer validity, int64_t nulls);
  SharedColumn finish_shares(Buffer validity, int64_t nulls);

  std::shared_ptr<const Words> words_;
  Form form_;
  bool abstain_;
  size_t size_ = 0;
  ValidityBuilder texts_, has_reason_, has_guess_;
  std::vector<int32_t> labels_, guesses_;
  std::vector<double> probabilities_, scores_;
  std::vector<int8_t> reasons_;
  std::vector<int32_t> list_ends_{0};
  std::vector<int32_t> share_labels_;
  std::vector<double> shares_;
};

}  // namespace unilid::columns
