// The answer to a long text, of which as much is read as it takes.
//
// Evidence saturates: some hundred bytes decide most documents. So a document is read in rounds. Each round reads more
// excerpts (excerpts.h), spread evenly over the text, and adds them up. The answer stands if it is beyond doubt:
//
// clang-format off
//   - the text is a language, and the probability of the answer is at least SURE
//   - hardly any excerpt dissents: another language explains it better than the answer does by more than DISSENT nats,
//     after the temperature of its length; none of eight may, one of 16, three of 32
// clang-format on
//
// Where more than one excerpt in eight dissents, the document may have several languages. Then, and after the last
// round, the text is read as a whole if it is not longer than the budget, and else as many excerpts of it as the budget
// allows. A text is read as a whole, too, if it is short, or if none of the excerpts has a letter.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "decisions/decide.h"
#include "scoring/scorer.h"
#include "words/excerpts.h"

namespace unilid {

// Excerpts in each round. Eight show most documents of two languages as such, and no fewer bytes would do.
constexpr size_t ROUNDS[] = {8, 16, 32};
constexpr size_t MOST_EXCERPTS = 32;
// Bytes up to which a text is read as a whole: there is little to gain.
constexpr size_t SHORT_DOCUMENT = 1024;
static_assert(2 * ROUNDS[0] * EXCERPT_BYTES <= SHORT_DOCUMENT);
constexpr double SURE = 0.999;
constexpr double DISSENT = 4;  // nats
// One excerpt in so many may dissent; where one in so many does, the document may have several languages.
constexpr size_t FEW_DISSENTERS = 10, MANY_DISSENTERS = 8;

class DocumentReader {
 public:
  // `budget`: the most bytes of a document that are read, about; the first round is read anyway.
  DocumentReader(const Scorer& scorer, const Decision& decision, size_t budget)
      : scorer_(scorer), decision_(decision), budget_(budget), linguistic_(scorer.width()), others_(scorer.width()) {}

  static bool is_document(std::string_view text) { return text.size() > SHORT_DOCUMENT; }
  // The text is a document. The reader must not be used by two threads at once.
  void answer(std::string_view text, Scorer::Workspace& workspace, const Answer& out);

 private:
  void read_whole(std::string_view text, Scorer::Workspace& workspace, const Answer& out) const;
  // Adds up excerpts. Returns what is known of the text, and decides upon it if there are letters.
  TextFacts read(std::string_view text, size_t count, Scorer::Workspace& workspace, const Answer& out);
  // Adds some of them to the sums; returns their letters.
  size_t read_some(const Excerpt* excerpts, size_t count, Scorer::Workspace& workspace, ScriptSet& scripts);
  // How many of the excerpts that were read last speak for another language.
  size_t count_dissenters(size_t count, size_t language, double* scratch);

  const Scorer& scorer_;
  const Decision decision_;
  size_t budget_;
  VectorSum linguistic_, others_;
  // Of each of the excerpts that were read last; the sums are made when they are first needed.
  std::vector<VectorSum> excerpts_;
  size_t letters_[MOST_EXCERPTS];
};

}  // namespace unilid
