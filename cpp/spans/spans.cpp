#include "spans/spans.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace unilid {

namespace {

// What lies between two linguistic words, as runs without spaces: a tail that touches the word before, inner runs, and
// a head that touches the word behind.
struct Gap {
  size_t begin = 0;                      // where the word before ends
  size_t tail = 0, inner = 0, head = 0;  // visible characters of each
  size_t first_run = 0, last_run = 0;    // where the first and the last run behind the tail begin
  bool has_runs = false;

  void start_run(size_t at) {
    if (!has_runs) first_run = at;
    has_runs = true;
    last_run = at;
    inner += head;
    head = 0;
  }
  void add(const Word& word) {
    if (word.bytes[0] == ' ') start_run(word.begin);
    (has_runs ? head : tail) += word.letters;
  }
};

// The linguistic words of a text, each with the gap before it.
class Voters {
 public:
  explicit Voters(std::string_view text) : reader_(text), size_(text.size()) {}

  bool next() {
    gap_ = {};
    gap_.begin = end_;
    while (reader_.next(word_)) {
      if (is_linguistic(word_)) {
        if (word_.bytes[0] == ' ') gap_.start_run(word_.begin);
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
  size_t size_;
  Word word_{};
  Gap gap_;
  size_t end_ = 0;
};

// Consecutive linguistic words of one language.
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
std::vector<Stretch> best_path(const Scorer& scorer, Scorer::Workspace& workspace, std::string_view text,
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
  scorer.each_word(text, workspace, is_linguistic, [&](const Word&, const WordVector& vector) {
    const uint32_t now = static_cast<uint32_t>(best.size());
    const uint32_t enters = now == 0 && !has_base ? 0 : change;
    stay_or_enter(costs.data(), entered.data(), entry.data(), least, enters, now, width);
    // The least cost of the word is left out, because all languages pay it.
    if (vector.excess != nullptr) {
      accumulate(costs.data(), vector.excess, width);
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

void count_letters(std::vector<Stretch>& stretches, std::string_view text) {
  size_t at = 0;
  Voters voters(text);
  for (uint32_t now = 0; voters.next(); ++now) {
    at = stretch_of(now, stretches, at);
    stretches[at].letters += voters.word().letters;
  }
}

std::vector<Stretch> find_stretches(const Scorer& scorer, Scorer::Workspace& workspace, std::string_view text,
                                    const SpanSettings& settings) {
  size_t words = 0;
  for (Voters voters(text); voters.next();) ++words;
  const double growth = std::sqrt(static_cast<double>(words) / static_cast<double>(settings.short_text));
  const uint32_t change = static_cast<uint32_t>(std::rint(settings.change * std::clamp(growth, 1.0, 2.0)));
  const std::vector<Stretch> base = best_path(scorer, workspace, text, settings.entry, change, {});
  std::vector<Stretch> stretches = best_path(scorer, workspace, text, settings.entry, 2 * settings.change, base);
  count_letters(stretches, text);
  return stretches;
}

// Lets only the `most` languages with the most letters compete. Returns false if there are no others in the text.
bool restrict_to_most(const std::vector<Stretch>& stretches, SpanSettings& settings) {
  std::vector<size_t> letters(settings.entry.size());
  for (const Stretch& stretch : stretches) letters[static_cast<size_t>(stretch.language)] += stretch.letters;
  std::vector<size_t> order(letters.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return letters[a] > letters[b]; });
  if (settings.most >= order.size() || letters[order[settings.most]] == 0) return false;
  for (size_t i = settings.most; i < order.size(); ++i) settings.entry[order[i]] = NO_ENTRY;
  return true;
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
    const bool tail = gap.tail >= settings_.apart, head = gap.head >= settings_.apart;
    const size_t begin = tail || !gap.has_runs ? gap.begin : gap.first_run;
    const size_t end = head || !gap.has_runs ? word_begin : gap.last_run;
    const size_t visible = (tail ? gap.tail : 0) + gap.inner + (head ? gap.head : 0);
    const bool nothing_else = spans_.empty() && language == NO_LANGUAGE;
    if (visible >= settings_.apart || nothing_else) {
      open(begin, NO_LANGUAGE);
      if (language != NO_LANGUAGE) open(end, language);
    } else if (language != NO_LANGUAGE && (spans_.empty() || spans_.back().language != language)) {
      open(end, language);
    }
  }

  void add_word(const Word& word, const WordVector& vector) {
    sum_.add(vector);
    spans_.back().letters += word.letters;
  }

  std::vector<Span> finish() {
    close();
    return std::move(spans_);
  }

 private:
  void open(size_t begin, int32_t language) {
    close();
    spans_.push_back({spans_.empty() ? 0 : begin, language, 0, 1.0});
    sum_.start(scorer_.is_bounded());
  }
  void close() {
    if (spans_.empty() || spans_.back().language == NO_LANGUAGE) return;
    Span& span = spans_.back();
    span.probability =
        posterior(decision_, sum_.costs(), span.letters, static_cast<size_t>(span.language), workspace_.keys.data());
  }

  const Scorer& scorer_;
  Scorer::Workspace& workspace_;
  const SpanSettings& settings_;
  const Decision& decision_;
  VectorSum sum_;
  std::vector<Span> spans_;
};

}  // namespace

std::vector<Span> find_spans(const Scorer& scorer, std::string_view text, SpanSettings settings,
                             const Decision& decision) {
  if (text.empty()) return {};
  std::unique_ptr<Scorer::Workspace> workspace = scorer.borrow();
  std::vector<Stretch> stretches = find_stretches(scorer, *workspace, text, settings);
  if (restrict_to_most(stretches, settings)) stretches = find_stretches(scorer, *workspace, text, settings);
  stretches = without_short(stretches, settings.least);

  SpanCollector spans(scorer, *workspace, settings, decision);
  size_t at = 0;
  uint32_t now = 0;
  Voters voters(text);
  scorer.each_word(text, *workspace, is_linguistic, [&](const Word& word, const WordVector& vector) {
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

}  // namespace unilid
