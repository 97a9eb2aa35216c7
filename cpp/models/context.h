// The second word model: interpolated Kneser-Ney over the characters of a word. context_estimation.h has the formula.
//
// A word is read as WORD_START, its characters (with its space), WORD_END. Its cost is the sum of the costs of its
// characters, each one after those before it. An end at which the word is cut (words.h) may not be the end of a word:
// such a word is read without WORD_START, or without WORD_END.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/memory.h"
#include "models/scripts.h"
#include "models/word_model.h"

namespace unilid {

// Characters beyond the code points of Unicode: the 256 bytes that are no UTF-8, and the ends of a word.
constexpr uint32_t INVALID_BYTE = 0x110000;
constexpr uint32_t WORD_START = 0x110100;
constexpr uint32_t WORD_END = 0x110101;
// The longest n-gram, in characters. find_next is compiled for each order up to this one.
constexpr size_t MAX_ORDER = 6;
// The distinct characters of all languages together have numbers of 16 bits, of which the largest means none.
constexpr size_t MAX_CHARACTERS = 0xFFFF;
// The most that a character costs, in steps: 12 nats. A character that does not fit may be a typing error, which must
// not outweigh the rest of the word.
constexpr uint8_t MAX_CHARACTER_COST = 96;

// The n-grams of all languages as a trie with one level for each order. An n-gram has an entry for each language that
// saw it. All pointers are views of arrays that the caller keeps and has checked.
struct ContextTable {
  struct Level {
    size_t size;
    const uint16_t* characters;   // the last character; ascending among the children of a node
    const uint32_t* first_child;  // size + 1 entries, into the next level; null at the last
    const uint32_t* first_entry;  // size + 1 entries, into `entries`
    const uint8_t* entries;       // packed Entry; the last level has no back-off
  };
  // What a language knows of an n-gram. The fields are side by side, so that an entry is one cache miss.
  struct Entry {
    uint16_t language;
    uint8_t cost, backoff;
  };
  static constexpr uint32_t NONE = 0xFFFFFFFF;

  size_t entry_bytes(size_t level) const { return level + 1 == levels.size() ? 3 : 4; }
  static uint16_t language_of(const uint8_t* entry) {
    uint16_t language;
    std::memcpy(&language, entry, sizeof language);
    return language;
  }
  // The number of the entry of a language among those of an n-gram, NONE if it has none.
  uint32_t find_entry(size_t level, uint32_t first, uint32_t last, uint16_t language) const;

  const uint32_t* code_points;  // of the characters, which are the nodes of the first level
  std::vector<Level> levels;
  const uint8_t* root_backoff;  // per language
  uint8_t base;
  size_t language_count;
};

class ContextModel : public WordModel {
 public:
  // `scripts`: which languages the words of each script are scored for. Words that are scored for others, too, get the
  // same costs, only more slowly.
  ContextModel(ContextTable table, const ScriptTable& scripts);

  const ContextTable& table() const { return table_; }

  size_t scratch() const override {
    return (sizeof(WordNgrams) * BATCH + (WORD_CAPACITY + 2) * width_) / sizeof(uint16_t);
  }
  void prepare(const Word* const* words, const Rows* rows, size_t count, uint16_t* scratch) const override;
  void costs(const Word& word, size_t place, const Rows& rows, uint16_t* scratch, uint16_t* out) const override;
  void costs_of(const Word& word, const uint16_t* rows, size_t count, uint16_t* out) const override;

 private:
  static constexpr uint32_t NONE = ContextTable::NONE;
  // Where the scoring of a character begins: at the longest n-gram that ends there and has a row. If none has one, the
  // row is the cost of a character that nobody knows, and the next level is the first.
  struct Origin {
    const uint8_t* row;  // from the first language that is scored on
    size_t next;         // the level to go on with
  };
  // The n-grams of every order that end at each character of a word, WORD_START and WORD_END included.
  struct WordNgrams {
    size_t length;  // characters
    uint32_t ngrams[(WORD_CAPACITY + 2) * MAX_ORDER];
    Origin origins[WORD_CAPACITY + 2];
  };

  // All that scoring needs to know of an n-gram, side by side: one cache miss. Its children and entries end where those
  // of the next node begin.
  struct Node {
    uint32_t first_child, first_entry;
    uint32_t row;  // NONE: it has a list of entries only, or not yet a row
    uint32_t children() const { return this[1].first_child - first_child; }
    uint32_t entries() const { return this[1].first_entry - first_entry; }
  };
  struct Ngrams {
    uint32_t at[MAX_ORDER] = {NONE, NONE, NONE, NONE, NONE, NONE};
  };
  // N-grams that many languages saw have rows over the languages of their script: one of the costs of the last
  // character after the others (whole costs, with all that shorter n-grams contribute), and one of the back-offs. The
  // number of a row has its script in the upper 8 bits, and in the others where it begins, in LANEs.
  struct Level {
    Aligned<Node> nodes;
    Aligned<uint8_t> costs, backoffs;
  };
  static constexpr uint32_t ROW_PLACE = 0xFFFFFF;
  // Words that are scored by lists alone, until rows are made: a short run is over before they would have paid. One
  // thread makes them; others, which go on meanwhile, find each row when it is finished.
  static constexpr size_t WORDS_BEFORE_ROWS = 512;

  // Bytes that all rows together may take. Rows are faster than lists, but they take memory and time to load: 32 MB is
  // the compromise.
  static constexpr size_t ROOM_FOR_ROWS = 32 << 20;
  // An n-gram has a row only if more than one language of its script in 40 saw it. For fewer, a list is faster.
  static constexpr size_t LANGUAGES_PER_ENTRY = 40;

  // An n-gram that may get a row.
  struct Candidate {
    uint32_t node;
    uint32_t prefix;  // a candidate of the level before
    uint8_t script;
    uint32_t row = NONE;
    Ngrams ngrams{};  // those that end where it ends, once it has a row
  };
  // The continuations of candidates that may get a row themselves.
  std::vector<Candidate> candidates_after(size_t level, const std::vector<Candidate>& prefixes) const;
  // What a byte of the row of a candidate is worth. An n-gram that more languages saw spares a longer list, and occurs
  // more often.
  size_t worth(size_t level, const Candidate& candidate) const;
  static constexpr size_t MOST_WORTH = 1023;
  // Makes rows for the candidates that are worth at least `least`, and whose prefixes have one.
  void make_rows(size_t level, size_t least, const std::vector<Candidate>& prefixes,
                 std::vector<Candidate>& candidates) const;
  void make_all_rows() const;
  // The row of a node, whose memory can be read from then on.
  static uint32_t row_of(const Node& node) {
    return std::atomic_ref(const_cast<uint32_t&>(node.row)).load(std::memory_order_acquire);
  }
  // A row from rows.first on; null if it is not about all of these languages.
  const uint8_t* row_within(const Aligned<uint8_t>& all, uint32_t row, const Rows& rows) const {
    if (row == NONE) return nullptr;
    const Rows& own = ranges_[row >> 24];
    if (rows.first < own.first || rows.last > own.last) return nullptr;
    return all.data() + (row & ROW_PLACE) * LANE + (rows.first - own.first);
  }
  uint32_t character(uint32_t code_point) const;
  bool is_last(size_t level) const { return level + 1 == levels_.size(); }
  // Calls visit(entry) for the entries of a node.
  template <class Visit>
  void each_entry(size_t level, const Node& node, Visit&& visit) const;
  // From the n-grams of every order that end at one character (`before`) to those that end at the next one (`now`).
  void find_next(const uint32_t* before, uint32_t character, uint32_t* now) const;
  template <size_t ORDER>
  void find_next_of(const uint32_t* before, uint32_t character, uint32_t* now) const;
  // The origin among the levels below `end`.
  Origin find_origin(const uint32_t* now, size_t end, const Rows& rows) const;
  // Goes on from the costs of the levels below (`from`) to those with this level; all begin with rows.first. Returns
  // where they are: `to`, or `from` if the level contributes nothing.
  const uint8_t* add_level(size_t level, const uint32_t* before, const uint32_t* now, const Rows& rows,
                           const uint8_t* from, uint8_t* to) const;
  void prefetch_costs(const uint32_t* before, const uint32_t* now, const Origin& origin, const Rows& rows) const;
  void find_ngrams(const Word* const* words, const Rows* rows, size_t count, WordNgrams* results) const;
  // Costs of a character saturate at 255, which is more than MAX_CHARACTER_COST.
  void add_backoff(size_t level, uint32_t node, const Rows& rows, const uint8_t* from, uint8_t* to) const;

  ContextTable table_;
  size_t width_;
  std::vector<uint16_t> characters_;      // by code point; 0xFFFF: nobody knows it
  mutable std::vector<Level> levels_;     // nodes get rows
  mutable std::atomic<size_t> words_{0};  // that were scored
  std::vector<Rows> ranges_;              // of the rows of each script
  Aligned<uint8_t> unknown_;              // the cost of a character that nobody knows
};

}  // namespace unilid
