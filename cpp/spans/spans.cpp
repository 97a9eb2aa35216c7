#include "spans/spans.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace unilid {

namespace {

// Which words vote: linguistic words in a script that one of the languages that may be entered is written in.
class Vote {
 public:
  Vote(const ScriptTable& scripts, const std::vector<uint32_t>& entry) : scripts_(scripts), entry_(entry) {}

  bool operator()(const Word& word) {
    if (!is_linguistic(word)) return false;
    State& state = states_[word.script];
    if (state == State::UNKNOWN) state = is_written(scripts_.foreign(word.script)) ? State::YES : State::NO;
    return state == State::YES;
  }

 private:
  enum class State : uint8_t { UNKNOWN, YES, NO };

  bool is_written(const uint8_t* foreign) const {
    if (foreign == nullptr) return true;
    for (size_t l = 0; l < entry_.size(); ++l) {
      if (entry_[l] < NO_ENTRY && foreign[l] == 0) return true;
    }
    return false;
  }

  const ScriptTable& scripts_;
  const std::vector<uint32_t> entry_;
  State states_[256] = {};  // of each script
};

// What lies between two words that vote, as runs without spaces: a tail that touches the word before, inner runs, and
// a head that touches the word behind.
struct Gap {
  struct Part {
    size_t visible = 0, letters = 0;  // characters: all that can be seen, and those of linguistic words

    void add(const Part& other) { visible += other.visible, letters += other.letters; }
  };

  size_t begin = 0;  // where the word before ends
  Part tail, inner, head;
  size_t first_run = 0, last_run = 0;  // where the first and the last run behind the tail begin
  bool has_runs = false;

  void start_run(size_t at) {
    if (!has_runs) first_run = at;
    has_runs = true;
    last_run = at;
    inner.add(head);
    head = {};
  }
  void add(const Word& word) {
    if (word.spaced) start_run(word.begin);
    (has_runs ? head : tail).add({word.letters, is_linguistic(word) ? word.letters : 0});
  }
};

// The words of a text that vote, each with the gap before it.
class Voters {
 public:
  Voters(std::string_view text, Vote& votes) : reader_(text), votes_(votes), size_(text.size()) {}

  bool next() {
    gap_ = {};
    gap_.begin = end_;
    while (reader_.next(word_)) {
      if (votes_(word_)) {
        if (word_.spaced) gap_.start_run(word_.begin);
        end_ = word_.end;
        return true;
      }
      gap_.add(word_);
    }
    gap_.start_run(size_);
    return false;
  }
  const Word& word() const { return word_; }
  const Gap& gap() const { return gap_; }  // after the last word: the rest of the text

 private:
  WordReader reader_;
  Vote& votes_;
  size_t size_;
  Word word_{};
  Gap gap_;
  size_t end_ = 0;
};

// Consecutive words of one language.
struct Stretch {
  uint32_t first;  // the number of its first word
  int32_t language;
  size_t letters = 0;
};

// The index of the stretch of a word, given that of the word before.
size_t stretch_of(uint32_t word, const std::vector<Stretch>& stretches, size_t before) {
  return before + (before + 1 < stretches.size() && stretches[before + 1].first == word ? 1 : 0);
}

// Costs are kept relative to the least one. So a language that does not compete comes closer with every word that it
// explains best, by 2^16 steps at most. After every 1024 words it is sent back to NO_ENTRY.
constexpr uint32_t SEND_BACK_MASK = 0x3FF;
static_assert((SEND_BACK_MASK + 1) * 0xFFFFu < NO_ENTRY / 2);

// The cheapest path through a text. If a base is given, another language is entered from the base, and left for it at
// no cost.
std::vector<Stretch> best_path(const Scorer& scorer, Scorer::Workspace& workspace, std::string_view text, Vote& votes,
                               const std::vector<uint32_t>& entries, uint32_t change,
                               const std::vector<Stretch>& base) {
  const size_t n = scorer.languages(), width = padded(n);
  const bool has_base = !base.empty();
  Aligned<uint32_t> costs(width), entered(width), entry(width);
  std::fill(entry.data(), entry.data() + width, NO_ENTRY);
  std::copy(entries.begin(), entries.end(), entry.data());
  std::fill(costs.data(), costs.data() + width, NO_ENTRY);
  struct Best {
    uint32_t language, entered;
  };
  std::vector<Best> best;
  uint32_t least = 0;
  size_t at = 0;  // index into the base
  scorer.each_word(text, workspace, votes, [&](const Word&, const WordVector& vector) {
    const uint32_t now = static_cast<uint32_t>(best.size());
    const uint32_t enters = now == 0 && !has_base ? 0 : change;
    stay_or_enter(costs.data(), entered.data(), entry.data(), least, enters, now, width);
    // The least cost of the word is left out, because all languages pay it.
    if (vector.excess != nullptr) {
      for (size_t l = 0; l < vector.rows.first; ++l) costs[l] += vector.outside;
      accumulate(costs.data() + vector.rows.first, vector.excess, vector.rows.size());
      for (size_t l = vector.rows.last; l < width; ++l) costs[l] += vector.outside;
    } else {
      accumulate(costs.data(), vector.costs, width);
    }
    if ((now & SEND_BACK_MASK) == SEND_BACK_MASK) {
      for (size_t l = 0; l < n; ++l) costs[l] = entry[l] < NO_ENTRY ? costs[l] : NO_ENTRY;
    }
    least = smallest(costs.data(), n);
    at = stretch_of(now, base, at);
    const uint32_t own = has_base ? static_cast<uint32_t>(base[at].language) : 0;
    const uint32_t stays = has_base ? vector.of(own) - vector.least : NO_ENTRY;
    if (stays <= least) {
      least = stays;
      best.push_back({own, now});
    } else {
      const uint32_t language = static_cast<uint32_t>(std::find(costs.data(), costs.data() + n, least) - costs.data());
      best.push_back({language, entered[language]});
    }
  });
  std::vector<Stretch> stretches;
  for (size_t end = best.size(); end > 0; end = stretches.back().first) {
    const auto [language, first] = best[end - 1];
    if (!stretches.empty() && stretches.back().language == static_cast<int32_t>(language)) {
      stretches.back().first = first;
    } else {
      stretches.push_back({first, static_cast<int32_t>(language)});
    }
  }
  std::reverse(stretches.begin(), stretches.end());
  return stretches;
}

void count_letters(std::vector<Stretch>& stretches, std::string_view text, Vote& votes) {
  size_t at = 0;
  Voters voters(text, votes);
  for (uint32_t now = 0; voters.next(); ++now) {
    at = stretch_of(now, stretches, at);
    stretches[at].letters += voters.word().letters;
  }
}

std::vector<Stretch> find_stretches(const Scorer& scorer, Scorer::Workspace& workspace, std::string_view text,
                                    Vote& votes, const SpanSettings& settings) {
  size_t words = 0;
  for (Voters voters(text, votes); voters.next();) ++words;
  const double growth = std::sqrt(static_cast<double>(words) / static_cast<double>(settings.short_text));
  const uint32_t change = static_cast<uint32_t>(std::rint(settings.change * std::clamp(growth, 1.0, 2.0)));
  const std::vector<Stretch> base = best_path(scorer, workspace, text, votes, settings.entry, change, {});
  std::vector<Stretch> stretches = best_path(scorer, workspace, text, votes, settings.entry, 2 * settings.change, base);
  count_letters(stretches, text, votes);
  return stretches;
}

// Lets only the `most` languages with the most letters compete, unless there is room for all. Returns false if there
// are no others in the text.
bool restrict_to_most(const std::vector<Stretch>& stretches, SpanSettings& settings) {
  std::vector<size_t> letters(settings.entry.size());
  for (const Stretch& stretch : stretches) letters[static_cast<size_t>(stretch.language)] += stretch.letters;
  std::vector<size_t> order(letters.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return letters[a] > letters[b]; });
  if (settings.most >= order.size()) return false;
  for (size_t i = 0; i < order.size(); ++i) {
    if (i >= settings.most || letters[order[i]] == 0) settings.entry[order[i]] = NO_ENTRY;
  }
  return letters[order[settings.most]] > 0;
}

// Merges short stretches with the one before; short ones at the beginning are merged with the first long one.
std::vector<Stretch> without_short(const std::vector<Stretch>& stretches, size_t least) {
  std::vector<Stretch> result;
  for (const Stretch& stretch : stretches) {
    const bool is_long = stretch.letters >= least;
    if (is_long && (result.empty() || result.back().language != stretch.language)) {
      result.push_back(stretch);
    } else if (!result.empty()) {
      result.back().letters += stretch.letters;
    }
  }
  if (result.empty() && !stretches.empty()) {
    result.push_back(*std::max_element(stretches.begin(), stretches.end(),
                                       [](const Stretch& a, const Stretch& b) { return a.letters < b.letters; }));
  }
  if (!result.empty()) result[0].first = 0;
  return result;
}

// Collects the spans of a text and the costs of their words.
class SpanCollector {
 public:
  SpanCollector(const Scorer& scorer, Scorer::Workspace& workspace, const SpanSettings& settings,
                const Decision& decision)
      : scorer_(scorer),
        workspace_(workspace),
        settings_(settings),
        decision_(decision),
        sum_(padded(scorer.languages())) {}

  // Adds the gap before a word of the language. At the end of the text there is no word, and NO_LANGUAGE.
  void add_gap(const Gap& gap, size_t word_begin, int32_t language) {
    const bool tail = gap.tail.visible >= settings_.apart, head = gap.head.visible >= settings_.apart;
    const size_t begin = tail || !gap.has_runs ? gap.begin : gap.first_run;
    const size_t end = head || !gap.has_runs ? word_begin : gap.last_run;
    Gap::Part apart = gap.inner;
    if (tail) apart.add(gap.tail);
    if (head) apart.add(gap.head);
    const bool nothing_else = spans_.empty() && language == NO_LANGUAGE;
    if (apart.visible >= settings_.apart || nothing_else) {
      open(begin, apart.letters > 0 ? UNDETERMINED : NO_LANGUAGE);
      spans_.back().letters = apart.letters;
      if (language != NO_LANGUAGE) open(end, language);
    } else if (language != NO_LANGUAGE && (spans_.empty() || spans_.back().language != language)) {
      open(end, language);
    }
  }

  void add_word(const Word& word, const WordVector& vector) {
    sum_.add(vector);
    scripts_.add(word.script);
    spans_.back().letters += word.letters;
  }

  std::vector<Span> finish() {
    close();
    return std::move(spans_);
  }

 private:
  void open(size_t begin, int32_t language) {
    close();
    spans_.push_back({spans_.empty() ? 0 : begin, language, 0, language == NO_LANGUAGE ? 1.0 : 0.0});
    sum_.start(scorer_.is_bounded());
    scripts_ = {};
  }
  void close() {
    if (spans_.empty()) return;
    Span& span = spans_.back();
    if (span.language >= 0) {
      const uint8_t* excluded = scorer_.excluded(scripts_, workspace_);
      // The way through the words knows no handicaps, which are for a text, or a span of it, as a whole.
      if (decision_.handicaps != nullptr || (excluded != nullptr && excluded[span.language] != 0)) {
        span.language = best_but(excluded, span.letters);
      }
      if (span.language >= 0) {
        span.probability = posterior(decision_, sum_.costs(), span.letters, excluded,
                                     static_cast<size_t>(span.language), workspace_.keys.data());
      }
    }
    if (spans_.size() < 2 || spans_[spans_.size() - 2].language != span.language) return;
    // It got the language of the span before. Both together are as probable as the less probable one.
    Span& before = spans_[spans_.size() - 2];
    before.letters += span.letters;
    before.probability = std::min(before.probability, span.probability);
    spans_.pop_back();
  }
  // The best language of the current span, of those that may be entered and are not excluded.
  int32_t best_but(const uint8_t* excluded, size_t letters) const {
    const CostSum costs = sum_.costs();
    int32_t best = UNDETERMINED;
    double most = -INFINITY;
    for (size_t l = 0; l < scorer_.languages(); ++l) {
      if ((excluded != nullptr && excluded[l] != 0) || settings_.entry[l] == NO_ENTRY) continue;
      const double key = decision_.start(l, letters) - decision_.step * costs[l];
      if (key > most) most = key, best = static_cast<int32_t>(l);
    }
    return best;
  }

  const Scorer& scorer_;
  Scorer::Workspace& workspace_;
  const SpanSettings& settings_;
  const Decision& decision_;
  VectorSum sum_;      // of the current span
  ScriptSet scripts_;  // likewise
  std::vector<Span> spans_;
};

}  // namespace

std::vector<Span> find_spans(const Scorer& scorer, std::string_view text, SpanSettings settings,
                             const Decision& decision) {
  if (text.empty()) return {};
  std::unique_ptr<Scorer::Workspace> workspace = scorer.borrow();
  Vote votes(scorer.scripts(), settings.entry);
  std::vector<Stretch> stretches = find_stretches(scorer, *workspace, text, votes, settings);
  if (restrict_to_most(stretches, settings)) stretches = find_stretches(scorer, *workspace, text, votes, settings);
  stretches = without_short(stretches, settings.least);

  SpanCollector spans(scorer, *workspace, settings, decision);
  size_t at = 0;
  uint32_t now = 0;
  Voters voters(text, votes);
  scorer.each_word(text, *workspace, votes, [&](const Word& word, const WordVector& vector) {
    voters.next();  // the same word
    at = stretch_of(now, stretches, at);
    spans.add_gap(voters.gap(), word.begin, stretches[at].language);
    spans.add_word(word, vector);
    ++now;
  });
  voters.next();
  spans.add_gap(voters.gap(), text.size(), NO_LANGUAGE);
  std::vector<Span> result = spans.finish();
  scorer.give_back(std::move(workspace));
  return result;
}

std::vector<Share> shares(const std::vector<Span>& spans) {
  std::map<int32_t, size_t> letters;
  size_t total = 0;
  for (const Span& span : spans) {
    if (span.language < 0 || span.letters == 0) continue;
    letters[span.language] += span.letters;
    total += span.letters;
  }
  std::vector<Share> result;
  for (const auto& [language, count] : letters) {
    result.push_back({language, static_cast<double>(count) / static_cast<double>(total)});
  }
  std::stable_sort(result.begin(), result.end(), [](const Share& a, const Share& b) { return a.share > b.share; });
  return result;
}

}  // namespace unilid
