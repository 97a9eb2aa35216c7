#include "models/context.h"

#include <algorithm>
#include <cstring>

#include "base/simd.h"

namespace unilid {

namespace {

// A list of entries that is so many times as long as that of the languages asked for is searched, not read.
constexpr size_t FEW_OF_ENTRIES = 8;

uint8_t saturated(uint32_t cost, uint32_t more) { return static_cast<uint8_t>(std::min<uint32_t>(cost + more, 0xFF)); }

}  // namespace

uint32_t ContextTable::find_entry(size_t level, uint32_t first, uint32_t last, uint16_t language) const {
  const size_t size = entry_bytes(level);
  while (first < last) {
    const uint32_t middle = first + (last - first) / 2;
    const uint16_t found = language_of(levels[level].entries + middle * size);
    if (found == language) return middle;
    if (found < language) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  return NONE;
}

ContextModel::ContextModel(ContextTable table, const ScriptTable& scripts)
    : table_(std::move(table)),
      width_(padded(table_.language_count)),
      characters_(WORD_END + 1, 0xFFFF),
      levels_(table_.levels.size()),
      unknown_(width_) {
  const size_t languages = table_.language_count;
  for (size_t script = 0; script < 256; ++script) ranges_.push_back(scripts.rows(static_cast<uint8_t>(script)));
  for (size_t c = 0; c < table_.levels[0].size; ++c) characters_[table_.code_points[c]] = static_cast<uint16_t>(c);
  for (size_t l = 0; l < languages; ++l) unknown_[l] = saturated(table_.base, table_.root_backoff[l]);
  for (size_t k = 0; k < levels_.size(); ++k) {
    const ContextTable::Level& from = table_.levels[k];
    Aligned<Node>& nodes = levels_[k].nodes = Aligned<Node>(from.size + 1, false);
    for (size_t i = 0; i <= from.size; ++i) {
      nodes[i] = {is_last(k) ? 0 : from.first_child[i], from.first_entry[i], NONE};
    }
  }
}

void ContextModel::make_all_rows() const {
  std::vector<std::vector<Candidate>> candidates(levels_.size() + 1);
  size_t bytes[MOST_WORTH + 1] = {};  // of the rows of each worth
  for (size_t k = 0; k < levels_.size(); ++k) {
    candidates[k + 1] = candidates_after(k, candidates[k]);
    for (const Candidate& candidate : candidates[k + 1]) {
      bytes[worth(k, candidate)] += ranges_[candidate.script].size() * (is_last(k) ? 1 : 2);
    }
  }
  size_t least = MOST_WORTH + 1;
  for (size_t room = ROOM_FOR_ROWS; least > 0 && bytes[least - 1] <= room;) room -= bytes[--least];
  for (size_t k = 0; k < levels_.size(); ++k) make_rows(k, least, candidates[k], candidates[k + 1]);
}

std::vector<ContextModel::Candidate> ContextModel::candidates_after(size_t k,
                                                                    const std::vector<Candidate>& prefixes) const {
  std::vector<Candidate> result;
  const Aligned<Node>& nodes = levels_[k].nodes;
  const auto add = [&](uint32_t node, uint32_t prefix, uint8_t script) {
    const uint32_t code_point = table_.code_points[k == 0 ? node : table_.levels[k].characters[node]];
    const uint8_t own = code_point < INVALID_BYTE ? CLASS_OF[code_point] : uint8_t{0};
    if (own >= unicode::FIRST_SCRIPT) script = own;
    if (nodes[node].entries() * LANGUAGES_PER_ENTRY > ranges_[script].size() && ranges_[script].size() > 0) {
      result.push_back({node, prefix, script});
    }
  };
  if (k == 0) {
    for (size_t i = 0; i < table_.levels[0].size; ++i) add(static_cast<uint32_t>(i), 0, 0);
    return result;
  }
  for (size_t p = 0; p < prefixes.size(); ++p) {
    const Node& prefix = levels_[k - 1].nodes[prefixes[p].node];
    for (uint32_t child = 0; child < prefix.children(); ++child) {
      add(prefix.first_child + child, static_cast<uint32_t>(p), prefixes[p].script);
    }
  }
  return result;
}

size_t ContextModel::worth(size_t k, const Candidate& candidate) const {
  const size_t saw = levels_[k].nodes[candidate.node].entries();
  return std::min(16 * saw * saw / ranges_[candidate.script].size(), MOST_WORTH);
}

void ContextModel::make_rows(size_t k, size_t least, const std::vector<Candidate>& prefixes,
                             std::vector<Candidate>& candidates) const {
  Level& level = levels_[k];
  size_t lanes = 0;
  for (Candidate& candidate : candidates) {
    if (worth(k, candidate) < least || (k > 0 && prefixes[candidate.prefix].row == NONE)) continue;
    const size_t size = ranges_[candidate.script].size() / LANE;
    if (lanes + size > ROW_PLACE) break;
    candidate.row = static_cast<uint32_t>(candidate.script << 24 | lanes);
    lanes += size;
  }
  level.costs = Aligned<uint8_t>(lanes * LANE, false);
  if (!is_last(k)) level.backoffs = Aligned<uint8_t>(lanes * LANE);
  static constexpr Ngrams NOTHING;
  for (Candidate& candidate : candidates) {
    if (candidate.row == NONE) continue;
    Node& node = level.nodes[candidate.node];
    const Rows& rows = ranges_[candidate.script];
    const uint32_t* before = k == 0 ? NOTHING.at : prefixes[candidate.prefix].ngrams.at;
    uint32_t* now = candidate.ngrams.at;
    find_next(before, k == 0 ? candidate.node : table_.levels[k].characters[candidate.node], now);
    const Origin origin = find_origin(now, k, rows);
    const size_t place = (candidate.row & ROW_PLACE) * LANE;
    const uint8_t* from = origin.row;
    for (size_t j = origin.next; j <= k; ++j) from = add_level(j, before, now, rows, from, level.costs.data() + place);
    if (!is_last(k)) {
      each_entry(k, node, [&](const ContextTable::Entry& entry) {
        if (rows.contains(entry.language)) level.backoffs[place + entry.language - rows.first] = entry.backoff;
      });
    }
    std::atomic_ref(node.row).store(candidate.row, std::memory_order_release);
  }
}

template <class Visit>
void ContextModel::each_entry(size_t k, const Node& node, Visit&& visit) const {
  const size_t size = table_.entry_bytes(k);
  const uint8_t* at = table_.levels[k].entries + node.first_entry * size;
  const uint8_t* end = at + node.entries() * size;
  for (; at < end; at += size) {
    visit(ContextTable::Entry{ContextTable::language_of(at), at[2], size == 4 ? at[3] : uint8_t{0}});
  }
}

uint32_t ContextModel::character(uint32_t code_point) const {
  const uint16_t number = characters_[code_point];
  return number == 0xFFFF ? NONE : number;
}

// Binary searches among the children of each of `before`, in lockstep and without branches that depend on a comparison:
// none of them waits for another, and no branch is mispredicted.
template <size_t ORDER>
void ContextModel::find_next_of(const uint32_t* before, uint32_t character, uint32_t* now) const {
  static constexpr uint16_t NOBODY = 0xFFFF;  // stands for no children; it is no character
  const uint16_t* at[ORDER];
  uint32_t count[ORDER], longest = 1;
  for (size_t k = 1; k < ORDER; ++k) {
    at[k] = &NOBODY, count[k] = 1;
    if (character == NONE || before[k - 1] == NONE) continue;
    const Node& parent = levels_[k - 1].nodes[before[k - 1]];
    if (parent.children() == 0) continue;
    at[k] = table_.levels[k].characters + parent.first_child;
    count[k] = parent.children();
    longest = std::max(longest, count[k]);
  }
  for (; longest > 1; longest -= longest / 2) {
    for (size_t k = 1; k < ORDER; ++k) {
      const uint32_t half = count[k] / 2;
      at[k] += at[k][half] <= character ? half : 0;
      count[k] -= half;
    }
  }
  now[0] = character;
  for (size_t k = 1; k < ORDER; ++k) {
    now[k] = *at[k] == character ? static_cast<uint32_t>(at[k] - table_.levels[k].characters) : NONE;
  }
}

void ContextModel::find_next(const uint32_t* before, uint32_t character, uint32_t* now) const {
  static_assert(MAX_ORDER == 6);
  switch (levels_.size()) {
    case 1:
      return find_next_of<1>(before, character, now);
    case 2:
      return find_next_of<2>(before, character, now);
    case 3:
      return find_next_of<3>(before, character, now);
    case 4:
      return find_next_of<4>(before, character, now);
    case 5:
      return find_next_of<5>(before, character, now);
    default:
      return find_next_of<6>(before, character, now);
  }
}

ContextModel::Origin ContextModel::find_origin(const uint32_t* now, size_t end, const Rows& rows) const {
  for (size_t k = end; k-- > 0;) {
    if (now[k] == NONE) continue;
    const uint8_t* row = row_within(levels_[k].costs, row_of(levels_[k].nodes[now[k]]), rows);
    if (row != nullptr) return {row, k + 1};
  }
  return {unknown_.data() + rows.first, 0};
}

void ContextModel::add_backoff(size_t k, uint32_t node, const Rows& rows, const uint8_t* from, uint8_t* to) const {
  const Node& at = levels_[k].nodes[node];
  if (const uint8_t* row = row_within(levels_[k].backoffs, row_of(at), rows)) {
    return from == to ? add_bytes(to, row, rows.size()) : add_bytes(to, from, row, rows.size());
  }
  if (from != to) std::memcpy(to, from, rows.size());
  each_entry(k, at, [&](const ContextTable::Entry& entry) {
    const size_t place = entry.language - rows.first;
    if (place < rows.size()) to[place] = saturated(to[place], entry.backoff);
  });
}

// An interpolated probability is at least what backing off gives. So the smaller one of the two costs is the cost of
// the formula, up to rounding.
const uint8_t* ContextModel::add_level(size_t k, const uint32_t* before, const uint32_t* now, const Rows& rows,
                                       const uint8_t* from, uint8_t* to) const {
  if (k > 0) {
    if (before[k - 1] == NONE) return from;  // it was pruned, though a longer one may be there
    add_backoff(k - 1, before[k - 1], rows, from, to);
  } else if (from != to) {
    std::memcpy(to, from, rows.size());
  }
  if (now[k] != NONE) {
    each_entry(k, levels_[k].nodes[now[k]], [&](const ContextTable::Entry& entry) {
      const size_t place = entry.language - rows.first;
      if (place < rows.size()) to[place] = std::min(to[place], entry.cost);
    });
  }
  return to;
}

// Prefetches all that costs() will read for a character.
void ContextModel::prefetch_costs(const uint32_t* before, const uint32_t* now, const Origin& origin,
                                  const Rows& rows) const {
  const auto prefetch_row = [&](const uint8_t* row) {
    for (size_t line = 0; line < rows.size(); line += 64) prefetch(row + line);
  };
  const auto prefetch_list = [&](size_t k, const Node& node) {
    const size_t size = table_.entry_bytes(k);
    const uint8_t* entry = table_.levels[k].entries + node.first_entry * size;
    const uint8_t* end = entry + node.entries() * size;
    for (; entry < end; entry += 64) prefetch(entry);
  };
  prefetch_row(origin.row);
  for (size_t k = origin.next; k < levels_.size(); ++k) {
    if (k > 0) {
      if (before[k - 1] == NONE) continue;
      const Node& node = levels_[k - 1].nodes[before[k - 1]];
      const uint8_t* row = row_within(levels_[k - 1].backoffs, row_of(node), rows);
      row != nullptr ? prefetch_row(row) : prefetch_list(k - 1, node);
    }
    if (now[k] != NONE) prefetch_list(k, levels_[k].nodes[now[k]]);
  }
}

// All words advance together, one character at a time: while the memory of one is on its way, the others are looked up.
void ContextModel::find_ngrams(const Word* const* words, const Rows* rows, size_t count, WordNgrams* results) const {
  const size_t order = levels_.size();
  struct Reader {
    const uint8_t *at, *end;
    bool has_end;  // WORD_END is still to come
    uint32_t character;
  };
  Reader readers[BATCH];
  size_t active[BATCH], left = count;
  for (size_t w = 0; w < count; ++w) {
    active[w] = w;
    readers[w] = {words[w]->bytes, words[w]->bytes + words[w]->size, !words[w]->cut_right, 0};
    std::fill(results[w].ngrams, results[w].ngrams + order, NONE);
    if (!words[w]->cut_left) results[w].ngrams[0] = character(WORD_START);
    results[w].length = 1;
  }
  while (left > 0) {
    size_t remaining = 0;
    for (size_t a = 0; a < left; ++a) {
      Reader& reader = readers[active[a]];
      WordNgrams& result = results[active[a]];
      const uint32_t* before = result.ngrams + (result.length - 1) * order;
      if (result.length > 1) {  // the nodes of the character before have arrived by now
        Origin& origin = result.origins[result.length - 1];
        origin = find_origin(before, order, rows[active[a]]);
        prefetch_costs(before - order, before, origin, rows[active[a]]);
      }
      if (reader.at < reader.end) {
        const Character next = decode(reader.at, reader.end);
        reader.character = character(next.valid ? next.code_point : INVALID_BYTE + next.code_point);
        reader.at += next.size;
      } else if (reader.has_end) {
        reader.character = character(WORD_END);
        reader.has_end = false;
      } else {
        continue;
      }
      for (size_t k = 1; k < order && reader.character != NONE; ++k) {
        if (before[k - 1] == NONE) continue;
        const Node& node = levels_[k - 1].nodes[before[k - 1]];
        prefetch(table_.levels[k].characters + node.first_child + node.children() / 2);
      }
      active[remaining++] = active[a];
    }
    left = remaining;
    for (size_t a = 0; a < left; ++a) {
      WordNgrams& result = results[active[a]];
      uint32_t* now = result.ngrams + result.length++ * order;
      find_next(now - order, readers[active[a]].character, now);
      for (size_t k = 0; k < order; ++k) {
        if (now[k] != NONE) prefetch(&levels_[k].nodes[now[k]]);
      }
    }
  }
}

void ContextModel::prepare(const Word* const* words, const Rows* rows, size_t count, uint16_t* scratch) const {
  const size_t before = words_.fetch_add(count, std::memory_order_relaxed);
  if (before < WORDS_BEFORE_ROWS && before + count >= WORDS_BEFORE_ROWS) make_all_rows();
  find_ngrams(words, rows, count, reinterpret_cast<WordNgrams*>(scratch));
}

void ContextModel::costs(const Word&, size_t place, const Rows& rows, uint16_t* scratch, uint16_t* out) const {
  const size_t order = levels_.size(), first = rows.first, size = rows.size();
  const WordNgrams& word = reinterpret_cast<const WordNgrams*>(scratch)[place];
  uint8_t* costs = reinterpret_cast<uint8_t*>(reinterpret_cast<WordNgrams*>(scratch) + BATCH);
  const uint8_t* of[WORD_CAPACITY + 2];  // each character
  for (size_t i = 1; i < word.length; ++i) of[i] = word.origins[i].row;
  // Level by level over all characters, not character by character: a vector load that overlaps a byte which was just
  // stored would have to wait for the store (store-to-load forwarding fails).
  for (size_t k = 0; k < order; ++k) {
    for (size_t i = 1; i < word.length; ++i) {
      if (k < word.origins[i].next) continue;
      const uint32_t* now = word.ngrams + i * order;
      of[i] = add_level(k, now - order, now, rows, of[i], costs + i * width_);
    }
  }
  static_assert(MAX_CHARACTER_COST < 128);
  std::memset(out + first, 0, size * sizeof(uint16_t));
  for (size_t i = 2; i < word.length; i += 2) {
    accumulate_clipped(out + first, of[i - 1], of[i], MAX_CHARACTER_COST, size);
  }
  if (word.length % 2 == 0) accumulate_clipped(out + first, of[word.length - 1], MAX_CHARACTER_COST, size);
}

void ContextModel::costs_of(const Word& word, const uint16_t* rows, size_t count, uint16_t* out) const {
  const size_t order = levels_.size();
  WordNgrams own;
  const Word* words[] = {&word};
  const Rows none;  // nothing is prefetched
  find_ngrams(words, &none, 1, &own);
  std::fill(out, out + count, 0);
  std::vector<uint8_t> costs(count);
  const Rows all{count == 0 ? size_t{0} : rows[0], count == 0 ? size_t{0} : size_t{rows[count - 1]} + 1};
  // Calls visit(index into rows, cost, back-off) for those of the languages that a node has entries of. A node with a
  // row has one of each language.
  const auto over_entries = [&](size_t k, uint32_t node, auto&& visit) {
    const Node& at = levels_[k].nodes[node];
    const uint32_t number = row_of(at);
    if (const uint8_t* row = row_within(levels_[k].costs, number, all)) {
      const uint8_t* backoffs = is_last(k) ? nullptr : row_within(levels_[k].backoffs, number, all);
      for (size_t c = 0; c < count; ++c) {
        const size_t place = rows[c] - all.first;
        visit(c, row[place], backoffs == nullptr ? uint8_t{0} : backoffs[place]);
      }
      return;
    }
    if (count * FEW_OF_ENTRIES < at.entries()) {
      for (size_t c = 0; c < count; ++c) {
        const uint32_t found = table_.find_entry(k, at.first_entry, at.first_entry + at.entries(), rows[c]);
        if (found == ContextTable::NONE) continue;
        const uint8_t* entry = table_.levels[k].entries + found * table_.entry_bytes(k);
        visit(c, entry[2], is_last(k) ? uint8_t{0} : entry[3]);
      }
      return;
    }
    size_t c = 0;
    each_entry(k, at, [&](const ContextTable::Entry& entry) {
      while (c < count && rows[c] < entry.language) ++c;
      if (c < count && rows[c] == entry.language) visit(c, entry.cost, entry.backoff);
    });
  };
  const auto lower_some = [&](size_t k, uint32_t node) {
    over_entries(k, node, [&](size_t c, uint8_t cost, uint8_t) { costs[c] = std::min(costs[c], cost); });
  };
  for (size_t i = 1; i < own.length; ++i) {
    const uint32_t *before = own.ngrams + (i - 1) * order, *now = own.ngrams + i * order;
    for (size_t c = 0; c < count; ++c) costs[c] = unknown_[rows[c]];
    if (now[0] != NONE) lower_some(0, now[0]);
    for (size_t k = 1; k < order; ++k) {
      if (before[k - 1] == NONE) continue;
      over_entries(k - 1, before[k - 1],
                   [&](size_t c, uint8_t, uint8_t backoff) { costs[c] = saturated(costs[c], backoff); });
      if (now[k] != NONE) lower_some(k, now[k]);
    }
    for (size_t c = 0; c < count; ++c) out[c] = static_cast<uint16_t>(out[c] + std::min(costs[c], MAX_CHARACTER_COST));
  }
}

}  // namespace unilid
