#include "columns/answers.h"

#include <limits>

#include "decisions/decide.h"
#include "words/noise.h"

namespace unilid::columns {

namespace {

constexpr auto SCRIPT = static_cast<uint8_t>(Verdict::SCRIPT);

using Children = std::vector<SharedColumn>;

SharedColumn numbers(const std::string& name, std::vector<double>&& values, Buffer validity, int64_t nulls) {
  const size_t size = values.size();
  return std::make_shared<const Column>(
      Column{"g", name, true, size, nulls, {std::move(validity), buffer(std::move(values))}, {}, {}});
}

SharedColumn structs(const std::string& name, size_t size, Buffer validity, int64_t nulls, Children children) {
  return std::make_shared<const Column>(
      Column{"+s", name, true, size, nulls, {std::move(validity)}, std::move(children), {}});
}

SharedColumn lists(const std::string& name, std::vector<int32_t>&& ends, Buffer validity, int64_t nulls,
                   SharedColumn items) {
  const size_t size = ends.size() - 1;
  return std::make_shared<const Column>(
      Column{"+l", name, true, size, nulls, {std::move(validity), buffer(std::move(ends))}, {std::move(items)}, {}});
}

// Rows of a dictionary: in 16 bits where these do.
SharedColumn entries(const std::string& name, std::vector<int32_t>&& rows, const SharedColumn& dictionary,
                     Buffer validity, int64_t nulls) {
  const size_t size = rows.size();
  if (dictionary->size > static_cast<size_t>(std::numeric_limits<int16_t>::max())) {
    return std::make_shared<const Column>(
        Column{"i", name, true, size, nulls, {std::move(validity), buffer(std::move(rows))}, {}, dictionary});
  }
  std::vector<int16_t> narrow(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) narrow[i] = static_cast<int16_t>(rows[i]);
  return std::make_shared<const Column>(
      Column{"s", name, true, size, nulls, {std::move(validity), buffer(std::move(narrow))}, {}, dictionary});
}

}  // namespace

Words::Words(const std::vector<std::string>& all_labels)
    : labels(text_column(all_labels)),
      no_language(static_cast<int32_t>(all_labels.size()) - 2),
      undetermined(static_cast<int32_t>(all_labels.size()) - 1) {
  std::vector<std::string> names;
  const auto add = [&](auto verdict, const char* name) {
    reason_of[static_cast<uint8_t>(verdict)] = static_cast<int8_t>(names.size());
    names.emplace_back(name);
  };
  for (const auto& [reason, name] : REASON_NAMES) add(reason, name);
  for (const auto& [verdict, name] : VERDICT_NAMES) add(verdict, name);
  reasons = text_column(names);
}

bool AnswerBuilder::append(const Answers& answers, const std::vector<bool>& nulls, const Shares* shares) {
  constexpr auto ROOM = static_cast<size_t>(std::numeric_limits<int32_t>::max());
  if (form_ == Form::RANKED && labels_.size() + answers.size * (answers.k + 1) > ROOM) return false;
  if (form_ == Form::BEST_WITH_SHARES && answers.size > 0) {
    if (shares_.size() + static_cast<size_t>(shares->ends[answers.size - 1]) > ROOM) return false;
  }
  for (size_t text = 0; text < answers.size; ++text) {
    texts_.append(!nulls[text]);
    if (form_ == Form::RANKED) {
      if (!nulls[text]) append_ranked(answers, text);
      list_ends_.push_back(static_cast<int32_t>(labels_.size()));
      continue;
    }
    nulls[text] ? append_null() : append_best(answers, text);
    if (form_ == Form::BEST_WITH_SHARES) {
      if (!nulls[text]) append_shares(*shares, text);
      list_ends_.push_back(static_cast<int32_t>(shares_.size()));
    }
  }
  size_ += answers.size;
  return true;
}

void AnswerBuilder::append_one(int32_t label, double probability, double score, uint8_t verdict, int32_t guess) {
  labels_.push_back(label);
  probabilities_.push_back(probability);
  scores_.push_back(score);
  has_reason_.append(verdict != 0);
  reasons_.push_back(words_->reason_of[verdict]);
  has_guess_.append(guess >= 0);
  guesses_.push_back(guess >= 0 ? guess : 0);
}

void AnswerBuilder::append_null() { append_one(0, 0, 0, 0, -1); }

void AnswerBuilder::append_best(const Answers& answers, size_t text) {
  const size_t first = text * answers.k;
  const int32_t row = answers.rows[first];
  const uint8_t verdict = answers.verdicts[text];
  const bool abstains = abstain_ && verdict != 0;
  if (row < 0 || (abstains && verdict < FIRST_UNDETERMINED)) {
    append_one(words_->no_language, 1, 0, verdict, -1);
  } else if (abstains && verdict == SCRIPT) {  // a guess would be in another script
    append_one(words_->undetermined, 0, 0, verdict, -1);
  } else if (abstains) {
    append_one(words_->undetermined, answers.probabilities[first], answers.scores[first], verdict, row);
  } else {
    append_one(row, answers.probabilities[first], answers.scores[first], 0, -1);
  }
}

void AnswerBuilder::append_ranked(const Answers& answers, size_t text) {
  const size_t before = labels_.size();
  append_best(answers, text);
  const int32_t best = labels_[before];
  if (best == words_->no_language || (best == words_->undetermined && answers.verdicts[text] == SCRIPT)) return;
  // An answer that is no language stands before the languages, and pushes the last one out.
  for (size_t i = best == words_->undetermined ? 0 : 1; labels_.size() - before < answers.k; ++i) {
    const size_t place = text * answers.k + i;
    if (answers.rows[place] < 0) break;
    append_one(answers.rows[place], answers.probabilities[place], answers.scores[place], 0, -1);
  }
}

void AnswerBuilder::append_shares(const Shares& shares, size_t text) {
  for (int64_t i = text == 0 ? 0 : shares.ends[text - 1]; i < shares.ends[text]; ++i) {
    share_labels_.push_back(shares.rows[i]);
    shares_.push_back(shares.shares[i]);
  }
}

SharedColumn AnswerBuilder::finish_answers(const std::string& name, Buffer validity, int64_t nulls) {
  const size_t size = labels_.size();
  const int64_t without_reason = has_reason_.nulls(), without_guess = has_guess_.nulls();
  Children fields = {entries("label", std::move(labels_), words_->labels, validity, nulls),
                     numbers("probability", std::move(probabilities_), validity, nulls),
                     numbers("score", std::move(scores_), validity, nulls),
                     std::make_shared<const Column>(Column{"c",
                                                           "reason",
                                                           true,
                                                           size,
                                                           without_reason,
                                                           {has_reason_.finish(), buffer(std::move(reasons_))},
                                                           {},
                                                           words_->reasons}),
                     entries("guess", std::move(guesses_), words_->labels, has_guess_.finish(), without_guess)};
  if (form_ == Form::BEST_WITH_SHARES) fields.push_back(finish_shares(validity, nulls));
  return structs(name, size, std::move(validity), nulls, std::move(fields));
}

SharedColumn AnswerBuilder::finish_shares(Buffer validity, int64_t nulls) {
  const size_t size = shares_.size();
  Children fields = {entries("label", std::move(share_labels_), words_->labels, nullptr, 0),
                     numbers("share", std::move(shares_), nullptr, 0)};
  return lists("shares", std::move(list_ends_), std::move(validity), nulls,
               structs("item", size, nullptr, 0, std::move(fields)));
}

SharedColumn AnswerBuilder::finish() {
  const int64_t nulls = texts_.nulls();
  Buffer validity = texts_.finish();
  if (form_ != Form::RANKED) return finish_answers("", std::move(validity), nulls);
  return lists("", std::move(list_ends_), std::move(validity), nulls, finish_answers("item", nullptr, 0));
}

}  // namespace unilid::columns
