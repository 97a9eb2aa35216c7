// Scorers, decisions, and the questions that they answer.
#include <algorithm>
#include <cmath>

#include "base/simd.h"
#include "decisions/decide.h"
#include "decisions/documents.h"
#include "explanation/explain.h"
#include "scoring/scorer.h"
#include "spans/spans.h"
#include "web/exports.h"

namespace unilid::web {

// `lexicon` may be null.
UNILID_EXPORT("make_scorer")
const Scorer* make_scorer(const ModelHandle* unigram, const ModelHandle* context, uint32_t unigram_weight,
                          const std::shared_ptr<const Lexicon>* lexicon, size_t languages, uint32_t bound,
                          size_t cache_bytes, bool signs, const uint16_t* uses, size_t use_count) {
  return new Scorer(weighted(unigram, context, unigram_weight), lexicon == nullptr ? nullptr : *lexicon,
                    {languages, bound, cache_bytes, signs, uses_of(uses, use_count)});
}

UNILID_EXPORT("release_scorer") void release_scorer(const Scorer* scorer) { delete scorer; }

// A decision and the arrays that it reads.
struct DecisionHandle {
  std::vector<double> log_prior, handicaps, thresholds, usual, spread;
  std::vector<uint8_t> replaces;
  Rerank rerank;
  Rejection rejection;
  Decision decision;

  Decision with(size_t k) const {
    Decision copy = decision;
    copy.k = k;
    return copy;
  }
};

UNILID_EXPORT("make_decision")
DecisionHandle* make_decision(size_t languages, const double* log_prior, double step, double scale, double length,
                              double decay) {
  auto* handle = new DecisionHandle{};
  handle->log_prior.assign(log_prior, log_prior + languages);
  handle->log_prior.resize(padded(languages), -INFINITY);
  handle->decision = {languages, handle->log_prior.data(), step, 1, {scale, length, decay}, nullptr, nullptr, nullptr};
  return handle;
}

UNILID_EXPORT("set_handicaps")
void set_handicaps(DecisionHandle* handle, const double* handicaps) {
  handle->handicaps.assign(handicaps, handicaps + handle->decision.languages);
  handle->decision.handicaps = handle->handicaps.data();
}

UNILID_EXPORT("set_rerank")
void set_rerank(DecisionHandle* handle, const double* thresholds, const uint8_t* replaces, double distance,
                size_t ranks) {
  const size_t languages = handle->decision.languages;
  handle->thresholds.assign(thresholds, thresholds + languages);
  handle->replaces.assign(replaces, replaces + languages);
  handle->rerank = {handle->thresholds.data(), handle->replaces.data(), distance, ranks};
  handle->decision.rerank = &handle->rerank;
}

UNILID_EXPORT("set_rejection")
void set_rejection(DecisionHandle* handle, const double* usual, const double* spread, double shared, double sampling,
                   double limit, double least_probability) {
  const size_t languages = handle->decision.languages;
  handle->usual.assign(usual, usual + languages);
  handle->spread.assign(spread, spread + languages);
  handle->rejection = {handle->usual.data(), handle->spread.data(), shared, sampling, limit, least_probability};
  handle->decision.rejection = &handle->rejection;
}

UNILID_EXPORT("release_decision") void release_decision(const DecisionHandle* handle) { delete handle; }

// The k best languages of each text. `budget` below 0: every text is read as a whole.
UNILID_EXPORT("decide")
void decide(const Scorer* scorer, const DecisionHandle* decision, const char* bytes, const uint32_t* ends, size_t count,
            size_t k, double budget, int32_t* languages, double* scores, double* probabilities, uint8_t* verdicts) {
  const Decision rule = decision->with(k);
  const std::vector<std::string_view> texts = views(bytes, ends, count);
  const auto answer_at = [&](size_t t) -> Answer {
    return {languages + t * k, scores + t * k, probabilities + t * k, verdicts + t};
  };
  std::unique_ptr<Scorer::Workspace> workspace = scorer->borrow();
  // What a size_t has no room for is more than any text has.
  DocumentReader documents(*scorer, rule,
                           budget < 0xFFFFFFFF ? static_cast<size_t>(std::max(budget, 0.0)) : ~size_t{0});
  std::vector<size_t> places;  // of the texts that are read as a whole
  std::vector<std::string_view> whole;
  for (size_t t = 0; t < count; ++t) {
    if (budget >= 0 && DocumentReader::is_document(texts[t])) {
      documents.answer(texts[t], *workspace, answer_at(t));
    } else {
      places.push_back(t), whole.push_back(texts[t]);
    }
  }
  scorer->score(whole.data(), whole.size(), *workspace, [&](size_t i, const Scorer::Costs& text) {
    unilid::decide(rule, text, text.facts, workspace->keys.data(), answer_at(places[i]));
  });
  scorer->give_back(std::move(workspace));
}

// The costs of each text under all languages, those of its linguistic words alone, and its letters.
UNILID_EXPORT("costs")
void costs(const Scorer* scorer, const char* bytes, const uint32_t* ends, size_t count, double* all, double* linguistic,
           double* letters) {
  const std::vector<std::string_view> texts = views(bytes, ends, count);
  const size_t languages = scorer->languages();
  std::unique_ptr<Scorer::Workspace> workspace = scorer->borrow();
  scorer->score(texts.data(), count, *workspace, [&](size_t t, const Scorer::Costs& text) {
    for (size_t l = 0; l < languages; ++l) {
      all[t * languages + l] = text[l];
      linguistic[t * languages + l] = text.linguistic[l];
    }
    letters[t] = static_cast<double>(text.facts.letters);
  });
  scorer->give_back(std::move(workspace));
}

// Spans: where they begin, their letters (32 bits), languages and probabilities.
UNILID_EXPORT("spans")
void spans(const Scorer* scorer, const DecisionHandle* decision, const char* text, size_t size, const uint32_t* entry,
           uint32_t change, size_t short_text, size_t least, size_t most, size_t apart) {
  const SpanSettings settings{{entry, entry + scorer->languages()}, change, short_text, least, most, apart};
  std::vector<uint32_t> begins, letters;
  std::vector<int32_t> languages;
  std::vector<double> probabilities;
  for (const Span& span : find_spans(*scorer, {text, size}, settings, decision->with(1))) {
    begins.push_back(static_cast<uint32_t>(span.begin)), letters.push_back(static_cast<uint32_t>(span.letters));
    languages.push_back(span.language), probabilities.push_back(span.probability);
  }
  results.clear(), give(begins), give(letters), give(languages), give(probabilities);
}

// The words of a text: thirteen numbers (32 bits) for each, their bytes one after the other, and their costs.
UNILID_EXPORT("explain")
void explain(const Scorer* scorer, const char* text, size_t size, const uint16_t* rows, size_t count) {
  const ExplainedText explained = unilid::explain(*scorer, {text, size}, rows, count);
  std::vector<uint32_t> facts;
  std::string bytes;
  for (const ExplainedWord& word : explained.words) {
    bytes += word.bytes;
    for (const size_t fact : {bytes.size(), word.begin, word.end, size_t{word.kind}, static_cast<size_t>(word.noise),
                              size_t{word.cut_left}, size_t{word.cut_right}, size_t{word.lone}, size_t{word.script},
                              size_t{word.inner}, size_t{word.counts}, word.best, size_t{word.best_cost}}) {
      facts.push_back(static_cast<uint32_t>(fact));
    }
  }
  results.clear(), give(facts), results.push_back(std::move(bytes)), give(explained.costs);
}

}  // namespace unilid::web
