// The second word model: interpolated Kneser-Ney over the characters of a word.
//
// clang-format off
//   u = START, the word's characters (its space included), END
//   p_k(c | h) = max(n(hc) - D, 0) / n(h) + D types(h) / n(h) * p_{k-1}(c | h')   |h| = k - 1; h' is h without its first
//   p_k(c | h) = p_{k-1}(c | h')                                                  where the language never saw h
//   p_0(c)     = base, one constant for all languages
// clang-format on
//
// What follows START is not known to be the start of a word where it is cut (words.h): such a word is scored without
// START, and likewise without END.
//
// n is the weighted count at the highest order and for n-grams that begin with START; below, the number of distinct
// characters seen to the left.
//
// Pruned by relative entropy (Stolcke, 1998): an n-gram of `prune_from` characters or more that no longer one needs is
// forgotten where the likelihood of the N characters of the training text loses less than prune * sqrt(N) nats without
// it; what remains of its context is normalised again. The root: what cannot be told from sampling noise shrinks with
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "score.h"

namespace unilid {

// Beyond Unicode: bytes that are not UTF-8, and the ends of a word.
constexpr uint32_t INVALID_BYTE = 0x110000;
constexpr uint32_t WORD_START = 0x110100;
constexpr uint32_t WORD_END = 0x110101;
constexpr size_t MAX_ORDER = 6;
// A character that does not fit may be a typing error: it costs at most so many steps (12 nats).
constexpr uint8_t MAX_CHARACTER_COST = 96;

// The n-grams of one order that a language has seen. An n-gram is its first k - 1 characters (an index into the level
// below) and its last.
struct ContextLevel {
  std::vector<uint32_t> parents, characters;
  std::vector<double> log_p;        // of the last character after the others
  std::vector<double> log_backoff;  // of the n-gram as a context
};

struct ContextEstimate {
  double root_backoff = 0;  // log
  std::vector<ContextLevel> levels;
};

ContextEstimate estimate_context(std::string_view blob, const int64_t* offsets, const double* counts, size_t words,
                                 size_t order, double discount, double base, double prune, size_t prune_from);

// The n-grams of all languages as a trie, one level an order; at each, the languages that saw it. Views of arrays that
// the caller keeps and has checked.
struct ContextTable {
  struct Level {
    size_t size;
    const uint16_t* characters;   // last character; ascending among the children of a node
    const uint32_t* first_child;  // size + 1 entries, into the next level; null at the last
    const uint32_t* first_entry;  // size + 1 entries, into the following
    const uint8_t* entries;       // Entry, one after the other; at the last level without the back-off
  };
  // What a language knows of an n-gram; side by side, because memory is slow.
  struct Entry {
    uint16_t language;
    uint8_t cost, backoff;
  };
  const uint32_t* code_points;  // of the characters, which are the nodes of the first level
  std::vector<Level> levels;
  const uint8_t* root_backoff;  // per language
  uint8_t base;
  size_t language_count;
};

class ContextModel : public WordModel {
 public:
  explicit ContextModel(ContextTable table);

  size_t scratch() const override { return (sizeof(Found) * AHEAD + (WORD_CAPACITY + 2) * width_) / sizeof(uint16_t); }
  void announce(const Word* const* words, size_t count, uint16_t* scratch) const override;
  void costs(const Word& word, size_t place, uint16_t* scratch, uint16_t* out) const override;
  void costs_of(const Word& word, const uint16_t* rows, size_t count, uint16_t* out) const override;

 private:
  static constexpr uint32_t NONE = 0xFFFFFFFF;
  // The longest n-gram that ends at a character and has a row: the row, and the order that comes next. Without one,
  // what the character costs where nobody knows it, and the first order.
  struct Begin {
    const uint8_t* row;
    size_t next;
  };
  // The n-gram of every order that ends at each character of a word, START and END included.
  struct Found {
    size_t length;  // characters
    uint32_t ngrams[(WORD_CAPACITY + 2) * MAX_ORDER];
    Begin begins[WORD_CAPACITY + 2];
  };

  // All that scoring asks of an n-gram, side by side: one cache miss. Ends are the next one's firsts.
  struct Node {
    uint32_t first_child, first_entry;
    uint32_t row;  // NONE: its entries are a list
    uint32_t children() const { return this[1].first_child - first_child; }
    uint32_t entries() const { return this[1].first_entry - first_entry; }
  };
  struct Ngrams {
    uint32_t at[MAX_ORDER] = {NONE, NONE, NONE, NONE, NONE, NONE};
  };
  // N-grams that many languages saw have rows over all languages: what their last character costs after the others,
  // shorter n-grams considered too, and back-offs.
  struct Level {
    Aligned<Node> nodes;
    Aligned<uint8_t> costs, backoffs;
  };

  static constexpr size_t ROOM_FOR_ROWS = 24 << 20, ROW_FROM = 64;  // bytes; one language in so many
  // Of these n-grams, where their prefixes have one. `shorter` and what is returned: the n-grams that end where the
  // rows of the level before and of this one do.
  std::vector<Ngrams> make_rows(size_t level, const std::vector<uint32_t>& nodes, const std::vector<Ngrams>& shorter);
  uint32_t character(uint32_t code_point) const;
  bool is_last(size_t level) const { return level + 1 == levels_.size(); }
  // Calls visit(entry) for the entries of a node.
  template <class Visit>
  void each_entry(size_t level, const Node& node, Visit&& visit) const;
  // `before` and `now`: the n-grams of every order that end at the character before and at this one.
  void find_next(const uint32_t* before, uint32_t character, uint32_t* now) const;
  template <size_t ORDER>
  void find_next_of(const uint32_t* before, uint32_t character, uint32_t* now) const;
  Begin begin(const uint32_t* now, size_t order) const;  // below `order`
  // From the costs below an order to those with it; returns where they are: `from`, if it adds nothing.
  const uint8_t* add_order(size_t level, const uint32_t* before, const uint32_t* now, const uint8_t* from,
                           uint8_t* to) const;
  void fetch_ahead(const uint32_t* before, const uint32_t* now, const Begin& begin) const;
  void find_ngrams(const Word* const* words, size_t count, Found* found) const;
  // The costs of a character saturate at 255, which is more than it may cost anyway.
  void add_backoff(size_t level, uint32_t node, const uint8_t* from, uint8_t* to) const;

  ContextTable table_;
  size_t width_;
  std::vector<uint16_t> characters_;  // by code point; 0xFFFF: none
  std::vector<Level> levels_;
  Aligned<uint8_t> start_;  // the cost of a character that nobody knows
};

}  // namespace unilid
