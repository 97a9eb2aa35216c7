#include "models/discrimination.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/elementary.h"
#include "base/stop.h"
#include "words/words.h"

namespace unilid {

namespace {

// The most that an entry may cost; models/context.py has it, too.
constexpr double MAX_ENTRY_COST = 254;
// Of a probability: less than this teaches nothing worth the time.
constexpr double SMALLEST_ERROR = 1e-3;

}  // namespace

ContextTrie::ContextTrie(const ContextTable& table) : table_(table), characters_(WORD_END + 1, 0xFFFF) {
  for (size_t c = 0; c < table.levels[0].size; ++c) characters_[table.code_points[c]] = static_cast<uint16_t>(c);
  first_number_.push_back(0);
  for (const ContextTable::Level& level : table.levels) {
    first_number_.push_back(first_number_.back() + level.first_entry[level.size]);
  }
}

uint32_t ContextTrie::character(uint32_t code_point) const {
  const uint16_t number = characters_[code_point];
  return number == 0xFFFF ? NONE : number;
}

uint32_t ContextTrie::entry(size_t k, uint32_t ngram, uint16_t language) const {
  if (ngram == NONE) return NONE;
  const uint32_t* first = level(k).first_entry + ngram;
  const uint32_t found = table_.find_entry(k, first[0], first[1], language);
  return found == ContextTable::NONE ? NONE : first_number_[k] + found;
}

ContextTrie::Ngrams ContextTrie::next(const Ngrams& before, uint32_t character) const {
  Ngrams now;
  if (character == NONE) return now;
  now.at[0] = character;
  for (size_t k = 1; k < order(); ++k) {
    if (before.at[k - 1] == NONE) continue;
    const uint16_t* characters = level(k).characters;
    const uint16_t* first = characters + level(k - 1).first_child[before.at[k - 1]];
    const uint16_t* last = characters + level(k - 1).first_child[before.at[k - 1] + 1];
    const uint16_t* found = std::lower_bound(first, last, character);
    if (found != last && *found == character) now.at[k] = static_cast<uint32_t>(found - characters);
  }
  return now;
}

void add_features(const ContextTrie& seen, const ContextTrie& learned, std::string_view line, const uint16_t* languages,
                  size_t count, bool signs, Features& features) {
  std::vector<std::vector<uint32_t>> found(count);
  ContextTrie::Ngrams own, other;
  const auto read = [&](uint32_t code_point, bool is_counted) {
    own = learned.next(own, learned.character(code_point));
    other = seen.next(other, seen.character(code_point));
    for (size_t k = 0; is_counted && k < learned.order(); ++k) {
      if (own.at[k] == ContextTrie::NONE || other.at[k] == ContextTrie::NONE) continue;
      for (size_t c = 0; c < count; ++c) {
        if (seen.entry(k, other.at[k], languages[c]) == ContextTrie::NONE) continue;
        const uint32_t entry = learned.entry(k, own.at[k], languages[c]);
        if (entry != ContextTrie::NONE) found[c].push_back(entry);
      }
    }
  };
  WordReader reader(line);
  for (Word word; reader.next(word);) {
    if (word.noise != Reason::NONE || !(signs || word.kind == unicode::LETTER || word.inner)) continue;
    own = other = {};
    if (!word.cut_left) read(WORD_START, false);
    const uint8_t* end = word.bytes + word.size;
    for (const uint8_t* at = word.bytes; at < end;) {
      const Character next = decode(at, end);
      read(next.valid ? next.code_point : INVALID_BYTE + next.code_point, true);
      at += next.size;
    }
    if (!word.cut_right) read(WORD_END, true);
  }
  for (std::vector<uint32_t>& entries : found) {
    std::sort(entries.begin(), entries.end());
    for (size_t i = 0; i < entries.size();) {
      const size_t first = i;
      while (i < entries.size() && entries[i] == entries[first]) ++i;
      features.entries.push_back(entries[first]);
      features.counts.push_back(static_cast<uint8_t>(std::min<size_t>(i - first, 0xFF)));
    }
    features.ends.push_back(features.entries.size());
  }
}

std::vector<float> learn_corrections(const Lessons& lessons, size_t entries, double rate, size_t rounds) {
  std::vector<float> corrections(entries), squares(entries, 1);
  std::vector<double> p;
  // Lines come sorted by language. In steps of the golden section through all of them, each is far from those before.
  const size_t lines = lessons.lines;
  const auto golden = static_cast<size_t>(0.6180339887498949 * static_cast<double>(lines));
  size_t step = std::max<size_t>(golden, 1);
  while (std::gcd(step, lines) > 1) ++step;
  for (size_t round = 0; round < rounds; ++round) {
    for (size_t i = 0, line = 0; i < lines; ++i, line = (line + step) % lines) {
      if (i % STOP_CHECK == 0) check_stop();
      const size_t first = line == 0 ? 0 : lessons.candidate_ends[line - 1], last = lessons.candidate_ends[line];
      p.assign(last - first, 0);
      double most = -1e300, sum = 0;
      const auto features_of = [&](size_t candidate, auto&& visit) {
        for (uint64_t f = candidate == 0 ? 0 : lessons.feature_ends[candidate - 1]; f < lessons.feature_ends[candidate];
             ++f) {
          visit(lessons.entries[f], lessons.counts[f]);
        }
      };
      for (size_t c = first; c < last; ++c) {
        double score = lessons.scores[c];
        features_of(c,
                    [&](uint32_t entry, uint8_t times) { score += times * static_cast<double>(corrections[entry]); });
        p[c - first] = lessons.exponents[line] * score;
        most = std::max(most, p[c - first]);
      }
      for (double& value : p) sum += value = portable::exp(value - most);
      for (size_t c = first; c < last; ++c) {
        const double error = p[c - first] / sum - (c == lessons.right[line] ? 1 : 0);
        if (std::abs(error) < SMALLEST_ERROR) continue;
        features_of(c, [&](uint32_t entry, uint8_t times) {
          const double gradient = error * times;
          squares[entry] = static_cast<float>(squares[entry] + gradient * gradient);
          corrections[entry] =
              static_cast<float>(corrections[entry] - rate * gradient / std::sqrt(static_cast<double>(squares[entry])));
        });
      }
    }
  }
  return corrections;
}

std::vector<uint8_t> corrected_costs(const ContextTrie& trie, const ContextTrie& learned, const float* corrections,
                                     double steps) {
  std::vector<uint8_t> costs(trie.entries());
  // `ngrams`: those of `learned` that the n-gram ends with.
  const auto visit = [&](auto&& self, size_t k, uint32_t node, const ContextTrie::Ngrams& ngrams) -> void {
    const ContextTable::Level& level = trie.level(k);
    for (uint32_t e = level.first_entry[node]; e < level.first_entry[node + 1]; ++e) {
      const uint8_t* entry = level.entries + e * trie.table().entry_bytes(k);
      double sum = 0;
      for (size_t j = 0; j <= k; ++j) {
        const uint32_t number = learned.entry(j, ngrams.at[j], ContextTable::language_of(entry));
        if (number != ContextTrie::NONE) sum += static_cast<double>(corrections[number]);
      }
      const double cost = std::floor(entry[2] - steps * sum + 0.5);
      costs[trie.first_number(k) + e] = static_cast<uint8_t>(std::clamp(cost, 0.0, MAX_ENTRY_COST));
    }
    if (k + 1 == trie.order()) return;
    for (uint32_t child = level.first_child[node]; child < level.first_child[node + 1]; ++child) {
      const uint32_t code_point = trie.code_point(trie.level(k + 1).characters[child]);
      self(self, k + 1, child, learned.next(ngrams, learned.character(code_point)));
    }
  };
  for (uint32_t node = 0; node < trie.level(0).size; ++node) {
    if (node % STOP_CHECK == 0) check_stop();
    visit(visit, 0, node, learned.next({}, learned.character(trie.code_point(node))));
  }
  return costs;
}

}  // namespace unilid
