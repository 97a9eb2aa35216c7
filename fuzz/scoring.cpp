// Scores and decisions: probabilities are probabilities, and the bits are the same for a text alone and, which the hash
// of an input chooses, among others, with a cache that is new, full or of other words, or with any instruction set.
#include "base/simd.h"
#include "decisions/decide.h"
#include "decisions/documents.h"
#include "tiny.h"

using namespace unilid;

namespace {

struct Scores {
  std::vector<double> all;
  int32_t languages[3];
  double scores[3], probabilities[3];
  uint8_t verdict;
};

// What a decision is made with, besides the costs.
struct Rules {
  Rules(size_t languages, bool without_some)
      : log_prior(padded(languages), -INFINITY),
        thresholds(languages, 2),
        spread(languages, 1),
        replaces(languages, 1),
        handicaps(languages) {
    for (size_t l = 0; l < languages; ++l) {
      handicaps[l] = 0.125 * static_cast<double>(l % 3);
      if (!without_some || l % 4 != 0) log_prior[l] = -std::log(1.0 + static_cast<double>(l));
    }
  }
  Rules(const Rules&) = delete;

  std::vector<double> log_prior, thresholds, spread;
  std::vector<uint8_t> replaces;
  std::vector<double> handicaps;
  const Rerank rerank{thresholds.data(), replaces.data(), 3, 5};
  const Rejection rejection{thresholds.data(), spread.data(), 0.01, 1, 4, 0.3};
  const Decision decision{thresholds.size(), log_prior.data(), 0.125,      3,
                          {0.5, 50, 0.3},    &rerank,          &rejection, handicaps.data()};
};

const Decision& decision_for(const Scorer& scorer, bool without_some) {
  static std::map<std::pair<size_t, bool>, std::unique_ptr<Rules>> all;
  std::unique_ptr<Rules>& own = all[{scorer.languages(), without_some}];
  if (!own) own = std::make_unique<Rules>(scorer.languages(), without_some);
  return own->decision;
}

Answer answer_in(Scores& scores) { return {scores.languages, scores.scores, scores.probabilities, &scores.verdict}; }

Scores scores_of(const Scorer::Costs& costs, const Decision& decision, Scorer::Workspace& workspace) {
  Scores scores{};
  decide(decision, costs, costs.facts, workspace.keys.data(), answer_in(scores));
  scores.all.reserve(decision.languages);
  for (size_t l = 0; l < decision.languages; ++l) scores.all.push_back(costs[l]);
  return scores;
}

// The answer to a document, of which no more than the budget is read.
Scores document_of(const Scorer& scorer, std::string_view text, size_t budget, const Decision& decision,
                   Scorer::Workspace& workspace) {
  Scores scores{};
  DocumentReader(scorer, decision, budget).answer(text, workspace, answer_in(scores));
  return scores;
}

Scorer::Workspace& workspace_of(const InstructionSet& set, const Scorer& scorer) {
  static std::map<std::pair<const Loops*, const Scorer*>, std::unique_ptr<Scorer::Workspace>> all;
  std::unique_ptr<Scorer::Workspace>& own = all[{set.loops, &scorer}];
  if (!own) own = std::make_unique<Scorer::Workspace>(scorer);
  return *own;
}

void expect_same(const Scores& a, const Scores& b) {
  EXPECT(a.all == b.all && a.verdict == b.verdict);
  EXPECT(std::equal(a.languages, a.languages + 3, b.languages));
  EXPECT(std::equal(a.scores, a.scores + 3, b.scores));
  EXPECT(std::equal(a.probabilities, a.probabilities + 3, b.probabilities));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const fuzz::Input input(data, size);
  const Scorer& scorer = fuzz::scorer_for(input.options);
  const Decision& decision = decision_for(scorer, input.options & 8);
  std::unique_ptr<Scorer::Workspace> workspace = scorer.borrow();
  const Scores alone = scores_of(scorer.score(input.text, *workspace), decision, *workspace);
  for (const double cost : alone.all) EXPECT(cost >= 0 && cost == std::floor(cost));
  double sum = 0;
  // Scripts exclude languages.
  const bool fewer = alone.verdict == static_cast<uint8_t>(Reason::EMPTY) || (input.options & fuzz::WHOLE_WORDS) != 0;
  for (int i = 0; i < 3; ++i) {
    EXPECT(alone.languages[i] >= (fewer ? -1 : 0) && alone.languages[i] < static_cast<int32_t>(scorer.languages()));
    EXPECT(alone.probabilities[i] >= 0 && alone.probabilities[i] <= 1);
    sum += alone.probabilities[i];
  }
  EXPECT(sum < 1 + 1e-5);  // the kernel adds up exponentials with six digits

  static const std::vector<InstructionSet> sets = instruction_sets();
  const InstructionSet& set = sets[(input.hash >> 8) % sets.size()];
  const uint64_t check = input.hash % 128;  // a document takes as long as a dozen inputs
  if (check < 40) {                         // among others
    const std::string_view middle = input.text.substr(input.text.size() / 2);
    const std::string_view texts[] = {middle, input.text, "", input.text};
    scorer.score(texts, 4, *workspace, [&](size_t t, const Scorer::Costs& costs) {
      if (t % 2 == 1) expect_same(alone, scores_of(costs, decision, *workspace));
    });
  } else if (check < 123) {  // with other instructions, whose cache keeps what they computed of other inputs
    current_loops = set.loops;
    Scorer::Workspace& own = workspace_of(set, scorer);
    expect_same(alone, scores_of(scorer.score(input.text, own), decision, own));
  } else if (check < 127) {  // with an empty cache
    Scorer::Workspace fresh(scorer);
    expect_same(alone, scores_of(scorer.score(input.text, fresh), decision, fresh));
  } else if (!input.text.empty()) {  // a document, with other instructions
    std::string document;
    while (!DocumentReader::is_document(document)) document.append(input.text).append(input.options & 16 ? " " : "");
    const size_t budget = size_t{input.options} << 4;
    const Scores first = document_of(scorer, document, budget, decision, *workspace);
    current_loops = set.loops;
    expect_same(first, document_of(scorer, document, budget, decision, workspace_of(set, scorer)));
  }
  current_loops = sets.front().loops;
  scorer.give_back(std::move(workspace));
  return 0;
}
