// Tiny scorers that are estimated in code.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "corpus/counts.h"
#include "input.h"
#include "models/context.h"
#include "models/context_estimation.h"
#include "models/unigram.h"
#include "models/unigram_estimation.h"
#include "models/vocabulary.h"
#include "models/vocabulary_learning.h"
#include "scoring/scorer.h"

namespace unilid::fuzz {

// The option of a lexicon, of scripts, and of signs that do not count.
constexpr uint16_t WHOLE_WORDS = 256;

// Lines of the languages that the tiny models know, and an alphabet for more of them.
inline const std::vector<std::string>& sentences() {
  static const std::vector<std::string> all = {
      "the train to the city leaves at noon and comes back in the evening, with 12 people on it.",
      "der Zug in die Stadt fährt am Mittag und kommt am Abend zurück; schöne Grüße aus der großen Straße!",
      "поезд в город отходит в полдень и возвращается вечером, это не очень далеко.",
      "το τρένο για την πόλη φεύγει το μεσημέρι και γυρίζει το βράδυ.",
      "東京行きの電車は正午に出発します。とても速いです。",
      "القطار إلى المدينة يغادر عند الظهر ويعود في المساء.",
      "शहर की ट्रेन दोपहर को जाती है और शाम को लौटती है।",
  };
  return all;
}

// The tables of both word models, and the memory that they are views of. Most languages are the first one in a secret
// alphabet: more than 64 of them, so that there are n-grams with lists and n-grams with rows.
class TinyModel {
 public:
  static constexpr size_t ORDER = 4;

  explicit TinyModel(size_t count) {
    for (size_t l = 0; l < count; ++l) {
      const std::string& base = sentences()[l % sentences().size()];
      WordCounts words;
      words.add_text(l < sentences().size() ? base : in_another_alphabet(base, l), 1 + static_cast<double>(l % 3));
      languages_.push_back(words.table());
    }
    make_unigram();
    make_context();
    make_lexicon();
  }

  std::shared_ptr<const UnigramModel> unigram;
  std::shared_ptr<const ContextModel> context;
  std::shared_ptr<const Lexicon> lexicon;
  std::vector<ScriptTable::Use> scripts;

 private:
  static std::string in_another_alphabet(std::string text, size_t key) {
    for (char& c : text) {
      if (c >= 'a' && c <= 'z')
        c = static_cast<char>('a' + (static_cast<size_t>(c - 'a') * (1 + 2 * (key % 6)) + key) % 26);
    }
    return text;
  }

  static uint8_t quantised(double log_p, double most) {
    return static_cast<uint8_t>(std::clamp(std::round(-8 * log_p), 0.0, most));
  }

  void make_unigram() {
    WordCounts all;
    for (const WordCounts::Table& t : languages_)
      all.add_table(t.blob, t.offsets.data(), t.counts.data(), t.counts.size());
    const WordCounts::Table merged = all.table();
    const std::vector<std::string> tokens = learn_vocabulary(merged.blob, merged.offsets.data(), merged.counts.data(),
                                                             merged.counts.size(), {900, 8, 64, 7200, 0.6, 2, 1});
    std::string blob;
    std::vector<int64_t> offsets{0};
    for (const std::string& token : tokens) blob += token, offsets.push_back(static_cast<int64_t>(blob.size()));
    auto vocabulary = std::make_shared<Vocabulary>(blob, offsets.data(), tokens.size());

    std::vector<std::vector<std::pair<uint16_t, uint8_t>>> entries(tokens.size());
    constexpr uint8_t UNSEEN = 88;  // 11 nats
    for (size_t l = 0; l < languages_.size(); ++l) {
      const WordCounts::Table& t = languages_[l];
      const Estimate e = estimate(*vocabulary, t.blob, t.offsets.data(), t.counts.data(), t.counts.size(), 5, 0.001);
      for (size_t i = 0; i < e.tokens.size(); ++i) {
        const uint8_t cost = quantised(std::log(e.counts[i] / e.total), 255);
        if (cost < UNSEEN) entries[e.tokens[i]].emplace_back(static_cast<uint16_t>(l), cost);
      }
    }
    token_offsets_.push_back(0);
    for (const auto& of_token : entries) {
      for (const auto& [language, cost] : of_token) token_languages_.push_back(language), token_costs_.push_back(cost);
      token_offsets_.push_back(static_cast<int64_t>(token_costs_.size()));
    }
    unseen_.assign(languages_.size(), UNSEEN);
    unigram =
        std::make_shared<UnigramModel>(vocabulary, TokenCosts{token_offsets_.data(), token_languages_.data(),
                                                              token_costs_.data(), unseen_.data(), languages_.size()});
  }

  void make_context() {
    using Ngram = std::vector<uint32_t>;
    std::vector<std::map<Ngram, std::vector<ContextTable::Entry>>> ngrams(ORDER);
    for (size_t l = 0; l < languages_.size(); ++l) {
      const WordCounts::Table& t = languages_[l];
      const ContextEstimate e =
          estimate_context(t.blob, t.offsets.data(), t.counts.data(), t.counts.size(), ORDER, 0.8, 1e-4, 0.005, 3);
      root_backoff_.push_back(quantised(e.root_backoff, 255));
      std::vector<Ngram> before{{}}, now;
      for (size_t k = 0; k < ORDER; ++k, before = std::move(now), now.clear()) {
        const ContextLevelEstimate& level = e.levels[k];
        for (size_t i = 0; i < level.characters.size(); ++i) {
          now.push_back(before[k == 0 ? 0 : level.parents[i]]);
          now.back().push_back(level.characters[i]);
          const uint8_t backoff = k + 1 < ORDER ? quantised(level.log_backoff[i], 255) : 0;
          ngrams[k][now.back()].push_back({static_cast<uint16_t>(l), quantised(level.log_p[i], 254), backoff});
        }
      }
    }
    std::map<uint32_t, uint16_t> index;
    for (const auto& [ngram, entries] : ngrams[0]) {
      index[ngram[0]] = static_cast<uint16_t>(code_points_.size());
      code_points_.push_back(ngram[0]);
    }
    levels_.resize(ORDER);
    for (size_t k = 0; k < ORDER; ++k) {
      Arrays& level = levels_[k];
      for (const auto& [ngram, entries] : ngrams[k]) {
        level.characters.push_back(index.at(ngram.back()));
        level.first_entry.push_back(static_cast<uint32_t>(level.entries.size() / (k + 1 < ORDER ? 4 : 3)));
        for (const ContextTable::Entry& entry : entries) {
          level.entries.push_back(static_cast<uint8_t>(entry.language & 0xFF));
          level.entries.push_back(static_cast<uint8_t>(entry.language >> 8));
          level.entries.push_back(entry.cost);
          if (k + 1 < ORDER) level.entries.push_back(entry.backoff);
        }
        if (k + 1 < ORDER) {  // n-grams are sorted, and the children of one follow each other
          const auto first = ngrams[k + 1].lower_bound(ngram);
          level.first_child.push_back(static_cast<uint32_t>(std::distance(ngrams[k + 1].begin(), first)));
        }
      }
      level.first_entry.push_back(static_cast<uint32_t>(level.entries.size() / (k + 1 < ORDER ? 4 : 3)));
      if (k + 1 < ORDER) level.first_child.push_back(static_cast<uint32_t>(ngrams[k + 1].size()));
    }
    ContextTable table{
        code_points_.data(), {}, root_backoff_.data(), quantised(std::log(1e-4), 255), languages_.size()};
    for (const Arrays& level : levels_) {
      table.levels.push_back({level.characters.size(), level.characters.data(),
                              level.first_child.empty() ? nullptr : level.first_child.data(), level.first_entry.data(),
                              level.entries.data()});
    }
    context = std::make_shared<ContextModel>(std::move(table), ScriptTable({}, languages_.size()));
  }

  // Every word of a language gains, and its scripts are all that occur in it.
  void make_lexicon() {
    std::map<uint64_t, std::map<uint16_t, uint8_t>> gains;
    for (size_t l = 0; l < languages_.size(); ++l) {
      const WordCounts::Table& t = languages_[l];
      for (size_t w = 0; w < t.counts.size(); ++w) {
        const auto begin = static_cast<size_t>(t.offsets[w]), end = static_cast<size_t>(t.offsets[w + 1]);
        WordReader reader(std::string_view(t.blob).substr(begin, end - begin));
        Word word;
        if (!reader.next(word) || word.kind != unicode::LETTER) continue;
        gains[lexicon_key(word)][static_cast<uint16_t>(l)] = static_cast<uint8_t>(40 * word.letters);
        if (word.script >= unicode::FIRST_SCRIPT) scripts.push_back({static_cast<uint16_t>(l), word.script});
      }
    }
    first_word_.assign(BUCKETS + 1, 0);
    for (const auto& [key, own] : gains) {
      ++first_word_[(key >> 32) + 1];
      fingerprints_.push_back(static_cast<uint32_t>(key));
      first_entry_.push_back(static_cast<uint32_t>(gains_.size() / Lexicon::ENTRY_BYTES));
      for (const auto& [language, gain] : own) {
        gains_.insert(gains_.end(), {static_cast<uint8_t>(language & 0xFF), static_cast<uint8_t>(language >> 8), gain});
      }
    }
    for (size_t bucket = 0; bucket < BUCKETS; ++bucket) first_word_[bucket + 1] += first_word_[bucket];
    first_entry_.push_back(static_cast<uint32_t>(gains_.size() / Lexicon::ENTRY_BYTES));
    lexicon = std::make_shared<Lexicon>(
        LexiconTable{first_word_.data(), fingerprints_.data(), first_entry_.data(), gains_.data()});
  }

  struct Arrays {
    std::vector<uint16_t> characters;
    std::vector<uint32_t> first_child, first_entry;
    std::vector<uint8_t> entries;
  };
  std::vector<WordCounts::Table> languages_;
  std::vector<int64_t> token_offsets_;
  std::vector<uint16_t> token_languages_;
  std::vector<uint8_t> token_costs_, unseen_, root_backoff_;
  std::vector<uint32_t> code_points_;
  std::vector<Arrays> levels_;
  std::vector<uint32_t> first_word_, fingerprints_, first_entry_;
  std::vector<uint8_t> gains_;
};

constexpr size_t MANY = 70;

inline const TinyModel& tiny_model(bool many) {
  static const TinyModel* few = new TinyModel(sentences().size());
  static const TinyModel* more = new TinyModel(MANY);
  return many ? *more : *few;
}

// The scorer that the options ask for: few or many languages, with or without a bound, with or without the context
// model, with or without whole words. Its cache has room for few words, so that entries are used again.
inline const Scorer& scorer_for(uint16_t options) {
  static std::map<uint16_t, std::unique_ptr<Scorer>> all;
  std::unique_ptr<Scorer>& scorer = all[options & (7 | WHOLE_WORDS)];
  if (!scorer) {
    const TinyModel& model = tiny_model(options & 1);
    std::vector<WeightedModel> models;
    if (options & 4) {
      models = {{model.unigram, WEIGHT_STEPS}};
    } else {
      models = {{model.unigram, 5}, {model.context, WEIGHT_STEPS - 5}};
    }
    ScorerSettings settings{options & 1 ? MANY : sentences().size(), options & 2 ? 64u : 0u, 1 << 16, true, {}};
    if (options & WHOLE_WORDS) settings.signs = false, settings.scripts = model.scripts;
    scorer = std::make_unique<Scorer>(models, options & WHOLE_WORDS ? model.lexicon : nullptr, settings);
  }
  return *scorer;
}

}  // namespace unilid::fuzz
