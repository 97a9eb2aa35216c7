#include "context.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace unilid {

namespace {

template <class Visit>
void for_each_character(const uint8_t* at, const uint8_t* end, Visit&& visit) {
  while (at < end) {
    const Character character = decode(at, end);
    visit(character.valid ? character.code_point : INVALID_BYTE + character.code_point);
    at += character.size;
  }
}

// One order of a language's trie while it grows: (parent, character) to node.
class GrowingLevel {
 public:
  GrowingLevel() : slots_(256) {}

  uint32_t find_or_add(uint32_t parent, uint32_t character) {
    const size_t slot = find_slot(parent, character);
    if (slots_[slot] != 0) return slots_[slot] - 1;
    parents.push_back(parent);
    characters.push_back(character);
    slots_[slot] = static_cast<uint32_t>(parents.size());
    const uint32_t added = slots_[slot] - 1;
    if (parents.size() * 2 > slots_.size()) {
      slots_.assign(slots_.size() * 2, 0);
      for (size_t n = 0; n < parents.size(); ++n) {
        slots_[find_slot(parents[n], characters[n])] = static_cast<uint32_t>(n + 1);
      }
    }
    return added;
  }

  uint32_t find(uint32_t parent, uint32_t character) const { return slots_[find_slot(parent, character)] - 1; }

  std::vector<uint32_t> parents, characters;

 private:
  size_t find_slot(uint32_t parent, uint32_t character) const {
    uint64_t hash = (static_cast<uint64_t>(parent) << 21 ^ character) * 0x9E3779B97F4A7C15u;
    const size_t mask = slots_.size() - 1;
    size_t slot = (hash ^ hash >> 32) & mask;
    while (slots_[slot] != 0 && (parents[slots_[slot] - 1] != parent || characters[slots_[slot] - 1] != character)) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }
  std::vector<uint32_t> slots_;
};

}  // namespace

namespace {

// A language's n-grams and their statistics, order by order.
struct Statistics {
  std::vector<GrowingLevel> levels;
  std::vector<std::vector<double>> occurrences;  // weighted
  std::vector<std::vector<double>> n;            // as in the formula
  std::vector<std::vector<uint32_t>> suffix;     // the n-gram of the order below without the first character

  size_t order() const { return levels.size(); }
  size_t size(size_t k) const { return levels[k].parents.size(); }
  // Contexts of the n-grams of level k; the first level has one, the empty one.
  size_t contexts(size_t k) const { return k == 0 ? 1 : size(k - 1); }
};

Statistics count_ngrams(std::string_view blob, const int64_t* offsets, const double* counts, size_t words,
                        size_t order) {
  Statistics all{std::vector<GrowingLevel>(order), std::vector<std::vector<double>>(order), {}, {}};
  const uint8_t* bytes = reinterpret_cast<const uint8_t*>(blob.data());
  std::vector<uint32_t> u;
  for (size_t w = 0; w < words; ++w) {
    u.assign(1, WORD_START);
    for_each_character(bytes + offsets[w], bytes + offsets[w + 1], [&](uint32_t c) { u.push_back(c); });
    u.push_back(WORD_END);
    for (size_t first = 0; first < u.size(); ++first) {
      uint32_t node = 0;
      for (size_t k = 0; k < order && first + k < u.size(); ++k) {
        node = all.levels[k].find_or_add(node, u[first + k]);
        if (all.occurrences[k].size() < all.size(k)) all.occurrences[k].push_back(0);
        all.occurrences[k][node] += counts[w];
      }
    }
  }

  all.suffix.resize(order);
  std::vector<std::vector<uint8_t>> starts(order);  // begins with START
  for (size_t k = 0; k < order; ++k) {
    all.suffix[k].resize(all.size(k)), starts[k].resize(all.size(k));
    for (size_t i = 0; i < all.size(k); ++i) {
      const uint32_t parent = all.levels[k].parents[i], character = all.levels[k].characters[i];
      starts[k][i] = k == 0 ? character == WORD_START : starts[k - 1][parent];
      if (k > 0) all.suffix[k][i] = all.levels[k - 1].find(k == 1 ? 0 : all.suffix[k - 1][parent], character);
    }
  }
  all.n = all.occurrences;
  for (size_t k = 0; k + 1 < order; ++k) {
    std::vector<double> neighbours(all.size(k));
    for (const uint32_t s : all.suffix[k + 1]) neighbours[s] += 1;
    for (size_t i = 0; i < all.size(k); ++i) {
      if (!starts[k][i]) all.n[k][i] = neighbours[i];
    }
  }
  return all;
}

}  // namespace

ContextEstimate estimate_context(std::string_view blob, const int64_t* offsets, const double* counts, size_t words,
                                 size_t order, double discount, double base, double prune, size_t prune_from) {
  Statistics all = count_ngrams(blob, offsets, counts, words, order);

  std::vector<std::vector<double>> p(order), backoff(order);  // backoff[k]: of the contexts of level k
  for (size_t k = 0; k < order; ++k) {
    const GrowingLevel& level = all.levels[k];
    std::vector<double> sum(all.contexts(k)), types(all.contexts(k));
    for (size_t i = 0; i < all.size(k); ++i) {
      if (k == 0 && level.characters[i] == WORD_START) continue;  // never predicted
      sum[level.parents[i]] += all.n[k][i];
      types[level.parents[i]] += 1;
    }
    backoff[k].assign(all.contexts(k), 1.0);
    for (size_t h = 0; h < sum.size(); ++h) {
      if (sum[h] > 0) backoff[k][h] = std::min(1.0, discount * types[h] / sum[h]);
    }
    p[k].resize(all.size(k));
    for (size_t i = 0; i < all.size(k); ++i) {
      const uint32_t h = level.parents[i];
      const double own = sum[h] > 0 ? std::max(all.n[k][i] - discount, 0.0) / sum[h] : 0.0;
      p[k][i] = own + backoff[k][h] * (k == 0 ? base : p[k - 1][all.suffix[k][i]]);
    }
  }

  std::vector<std::vector<uint8_t>> kept(order);
  for (size_t k = 0; k < order; ++k) kept[k].assign(all.size(k), 1);
  if (prune > 0) {
    double total = 0;
    for (const double occurrences : all.occurrences[0]) total += occurrences;
    for (size_t k = order; k-- >= prune_from;) {
      std::vector<uint8_t> needed(all.size(k));
      if (k + 1 < order) {
        for (size_t i = 0; i < all.size(k + 1); ++i) needed[all.levels[k + 1].parents[i]] |= kept[k + 1][i];
      }
      // What the kept n-grams of a context leave, and what backing off would give to the others.
      std::vector<double> left(all.contexts(k), 1.0), below(all.contexts(k), 1.0);
      std::vector<uint8_t> used(all.contexts(k)), lost(all.contexts(k));
      for (size_t i = 0; i < all.size(k); ++i) {
        const uint32_t h = all.levels[k].parents[i];
        const double lower = p[k - 1][all.suffix[k][i]];
        const double loss = all.occurrences[k][i] * std::log(p[k][i] / (backoff[k][h] * lower));
        kept[k][i] = needed[i] || loss >= prune * std::sqrt(total);
        if (kept[k][i]) {
          left[h] -= p[k][i], below[h] -= lower, used[h] = 1;
        } else {
          lost[h] = 1;
        }
      }
      for (size_t h = 0; h < left.size(); ++h) {
        if (!lost[h]) continue;
        backoff[k][h] = used[h] ? std::clamp(left[h] / std::max(below[h], 1e-9), backoff[k][h], 1.0) : 1.0;
      }
    }
  }

  ContextEstimate result;
  result.root_backoff = std::log(backoff[0][0]);
  result.levels.resize(order);
  std::vector<uint32_t> number_before{0}, number;
  for (size_t k = 0; k < order; ++k) {
    ContextLevel& out = result.levels[k];
    number.assign(all.size(k), 0);
    for (size_t i = 0; i < all.size(k); ++i) {
      if (!kept[k][i]) continue;
      number[i] = static_cast<uint32_t>(out.parents.size());
      out.parents.push_back(number_before[all.levels[k].parents[i]]);
      out.characters.push_back(all.levels[k].characters[i]);
      out.log_p.push_back(std::log(p[k][i]));
      out.log_backoff.push_back(k + 1 < order ? std::log(backoff[k + 1][i]) : 0.0);
    }
    number_before = number;
  }
  return result;
}

// ---- scoring

namespace {

uint8_t saturated(uint32_t cost, uint32_t more) { return static_cast<uint8_t>(std::min<uint32_t>(cost + more, 0xFF)); }

}  // namespace

ContextModel::ContextModel(ContextTable table)
    : table_(std::move(table)),
      width_(padded(table_.language_count)),
      characters_(WORD_END + 1, 0xFFFF),
      levels_(table_.levels.size()),
      start_(width_) {
  const size_t languages = table_.language_count;
  for (size_t c = 0; c < table_.levels[0].size; ++c) characters_[table_.code_points[c]] = static_cast<uint16_t>(c);
  for (size_t l = 0; l < languages; ++l) start_[l] = saturated(table_.base, table_.root_backoff[l]);

  const uint32_t least = static_cast<uint32_t>(languages / ROW_FROM) + 1;
  std::vector<std::vector<uint32_t>> candidates(levels_.size());  // for a row
  std::vector<size_t> bytes(languages + 1);                       // of the rows of n-grams that so many languages saw
  for (size_t k = 0; k < levels_.size(); ++k) {
    const ContextTable::Level& from = table_.levels[k];
    Level& level = levels_[k];
    level.nodes = Aligned<Node>(from.size + 1, false);
    for (size_t i = 0; i <= from.size; ++i) {
      level.nodes[i] = {is_last(k) ? 0 : from.first_child[i], from.first_entry[i], NONE};
      const uint32_t saw = i == from.size ? 0 : from.first_entry[i + 1] - from.first_entry[i];
      if (saw < least) continue;
      candidates[k].push_back(static_cast<uint32_t>(i));
      bytes[std::min<size_t>(saw, languages)] += width_ * (is_last(k) ? 1 : 2);
    }
  }
  // Rows are faster than lists, and cost memory and time to load: as many as there is room for.
  size_t row_from = bytes.size();
  for (size_t room = ROOM_FOR_ROWS; row_from > least && bytes[row_from - 1] <= room;) room -= bytes[--row_from];
  std::vector<Ngrams> known;
  for (size_t k = 0; k < levels_.size(); ++k) {
    std::erase_if(candidates[k], [&](uint32_t i) { return levels_[k].nodes[i].entries() < row_from; });
    known = make_rows(k, candidates[k], known);
  }
}

std::vector<ContextModel::Ngrams> ContextModel::make_rows(size_t k, const std::vector<uint32_t>& nodes,
                                                          const std::vector<Ngrams>& shorter) {
  Level& level = levels_[k];
  std::vector<uint32_t> chosen;
  std::vector<Ngrams> before;
  for (const uint32_t i : nodes) {
    Ngrams own;
    if (k > 0) {
      const uint32_t* firsts = table_.levels[k - 1].first_child;
      const std::ptrdiff_t parent = std::upper_bound(firsts, firsts + table_.levels[k - 1].size, i) - firsts - 1;
      const uint32_t row = levels_[k - 1].nodes[static_cast<size_t>(parent)].row;
      if (row == NONE) continue;
      own = shorter[row];
    }
    level.nodes[i].row = static_cast<uint32_t>(chosen.size());
    chosen.push_back(i), before.push_back(own);
  }
  level.costs = Aligned<uint8_t>(chosen.size() * width_, false);
  if (!is_last(k)) level.backoffs = Aligned<uint8_t>(chosen.size() * width_);
  std::vector<Ngrams> all(chosen.size());
  for (size_t row = 0; row < chosen.size(); ++row) {
    const uint32_t i = chosen[row];
    uint32_t* now = all[row].at;
    find_next(before[row].at, k == 0 ? i : table_.levels[k].characters[i], now);
    const Begin known = begin(now, k);
    uint8_t* costs = level.costs.data() + row * width_;
    const uint8_t* from = known.row;
    for (size_t j = known.next; j <= k; ++j) from = add_order(j, before[row].at, now, from, costs);
    if (is_last(k)) continue;
    each_entry(k, level.nodes[i], [&](const ContextTable::Entry& entry) {
      level.backoffs[row * width_ + entry.language] = entry.backoff;
    });
  }
  return all;
}

template <class Visit>
void ContextModel::each_entry(size_t k, const Node& node, Visit&& visit) const {
  const size_t size = is_last(k) ? 3 : 4;
  const uint8_t* at = table_.levels[k].entries + node.first_entry * size;
  const uint8_t* end = at + node.entries() * size;
  for (; at < end; at += size) {
    ContextTable::Entry entry{0, at[2], size == 4 ? at[3] : uint8_t{0}};
    std::memcpy(&entry.language, at, sizeof entry.language);
    visit(entry);
  }
}

uint32_t ContextModel::character(uint32_t code_point) const {
  const uint16_t found = characters_[code_point];
  return found == 0xFFFF ? NONE : found;
}

// A binary search among the children of each of `before`, all orders together and without a branch on what is compared:
// none waits for another.
template <size_t ORDER>
void ContextModel::find_next_of(const uint32_t* before, uint32_t character, uint32_t* now) const {
  static constexpr uint16_t NOBODY = 0xFFFF;  // no character
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

ContextModel::Begin ContextModel::begin(const uint32_t* now, size_t order) const {
  for (size_t k = order; k-- > 0;) {
    if (now[k] == NONE) continue;
    const uint32_t row = levels_[k].nodes[now[k]].row;
    if (row != NONE) return {levels_[k].costs.data() + row * width_, k + 1};
  }
  return {start_.data(), 0};
}

void ContextModel::add_backoff(size_t k, uint32_t node, const uint8_t* from, uint8_t* to) const {
  const Node& at = levels_[k].nodes[node];
  if (at.row != NONE) {
    const uint8_t* row = levels_[k].backoffs.data() + at.row * width_;
    return from == to ? add_bytes(to, row, width_) : add_bytes(to, from, row, width_);
  }
  if (from != to) std::memcpy(to, from, width_);
  each_entry(k, at, [&](const ContextTable::Entry& entry) {
    to[entry.language] = saturated(to[entry.language], entry.backoff);
  });
}

// An interpolated probability is never below what backing off gives: taking the smaller cost is the formula, up to
// rounding.
const uint8_t* ContextModel::add_order(size_t k, const uint32_t* before, const uint32_t* now, const uint8_t* from,
                                       uint8_t* to) const {
  if (k > 0) {
    if (before[k - 1] == NONE) return from;  // pruned, though a longer one may be there
    add_backoff(k - 1, before[k - 1], from, to);
  } else if (from != to) {
    std::memcpy(to, from, width_);
  }
  if (now[k] != NONE) {
    each_entry(k, levels_[k].nodes[now[k]], [&](const ContextTable::Entry& entry) {
      to[entry.language] = std::min(to[entry.language], entry.cost);
    });
  }
  return to;
}

// What a character's costs are made of is on its way while the rest of the word is looked up.
void ContextModel::fetch_ahead(const uint32_t* before, const uint32_t* now, const Begin& begin) const {
  const auto fetch_row = [&](const uint8_t* row) {
    for (size_t line = 0; line < width_; line += 64) prefetch(row + line);
  };
  const auto fetch_list = [&](size_t k, const Node& node) {
    const size_t size = is_last(k) ? 3 : 4;
    const uint8_t* entry = table_.levels[k].entries + node.first_entry * size;
    const uint8_t* end = entry + node.entries() * size;
    for (; entry < end; entry += 64) prefetch(entry);
  };
  fetch_row(begin.row);
  for (size_t k = begin.next; k < levels_.size(); ++k) {
    if (k > 0) {
      if (before[k - 1] == NONE) continue;
      const Node& node = levels_[k - 1].nodes[before[k - 1]];
      if (node.row == NONE) {
        fetch_list(k - 1, node);
      } else {
        fetch_row(levels_[k - 1].backoffs.data() + node.row * width_);
      }
    }
    if (now[k] != NONE) fetch_list(k, levels_[k].nodes[now[k]]);
  }
}

// All words advance by one character at a time: while the memory of one is on its way, the others are looked up.
void ContextModel::find_ngrams(const Word* const* words, size_t count, Found* found) const {
  const size_t order = levels_.size();
  struct Reader {
    const uint8_t *at, *end;
    bool ends;  // with END, still to come
    uint32_t character;
  };
  Reader readers[AHEAD];
  size_t active[AHEAD], left = count;
  for (size_t w = 0; w < count; ++w) {
    active[w] = w;
    readers[w] = {words[w]->bytes, words[w]->bytes + words[w]->size, !words[w]->cut_right, 0};
    std::fill(found[w].ngrams, found[w].ngrams + order, NONE);
    if (!words[w]->cut_left) found[w].ngrams[0] = character(WORD_START);
    found[w].length = 1;
  }
  while (left > 0) {
    size_t still = 0;
    for (size_t a = 0; a < left; ++a) {
      Reader& reader = readers[active[a]];
      Found& own = found[active[a]];
      const uint32_t* before = own.ngrams + (own.length - 1) * order;
      if (own.length > 1) {  // its nodes have arrived by now
        Begin& known = own.begins[own.length - 1];
        known = begin(before, order);
        fetch_ahead(before - order, before, known);
      }
      if (reader.at < reader.end) {
        const Character next = decode(reader.at, reader.end);
        reader.character = character(next.valid ? next.code_point : INVALID_BYTE + next.code_point);
        reader.at += next.size;
      } else if (reader.ends) {
        reader.character = character(WORD_END);
        reader.ends = false;
      } else {
        continue;
      }
      for (size_t k = 1; k < order && reader.character != NONE; ++k) {
        if (before[k - 1] == NONE) continue;
        const Node& node = levels_[k - 1].nodes[before[k - 1]];
        prefetch(table_.levels[k].characters + node.first_child + node.children() / 2);
      }
      active[still++] = active[a];
    }
    left = still;
    for (size_t a = 0; a < left; ++a) {
      Found& own = found[active[a]];
      uint32_t* now = own.ngrams + own.length++ * order;
      find_next(now - order, readers[active[a]].character, now);
      for (size_t k = 0; k < order; ++k) {
        if (now[k] != NONE) prefetch(&levels_[k].nodes[now[k]]);
      }
    }
  }
}

void ContextModel::announce(const Word* const* words, size_t count, uint16_t* scratch) const {
  find_ngrams(words, count, reinterpret_cast<Found*>(scratch));
}

void ContextModel::costs(const Word&, size_t place, uint16_t* scratch, uint16_t* out) const {
  const size_t order = levels_.size();
  const Found& found = reinterpret_cast<const Found*>(scratch)[place];
  uint8_t* costs = reinterpret_cast<uint8_t*>(reinterpret_cast<Found*>(scratch) + AHEAD);
  const uint8_t* rows[WORD_CAPACITY + 2];
  for (size_t i = 1; i < found.length; ++i) rows[i] = found.begins[i].row;
  // Order by order over all characters: a row that is read at once does not wait for a byte that was just written.
  for (size_t k = 0; k < order; ++k) {
    for (size_t i = 1; i < found.length; ++i) {
      if (k < found.begins[i].next) continue;
      const uint32_t* now = found.ngrams + i * order;
      rows[i] = add_order(k, now - order, now, rows[i], costs + i * width_);
    }
  }
  std::memset(out, 0, width_ * sizeof(uint16_t));
  for (size_t i = 1; i < found.length; ++i) accumulate_clipped(out, rows[i], MAX_CHARACTER_COST, width_);
}

void ContextModel::costs_of(const Word& word, const uint16_t* rows, size_t count, uint16_t* out) const {
  const size_t order = levels_.size();
  Found found;
  const Word* words[] = {&word};
  find_ngrams(words, 1, &found);
  std::fill(out, out + count, 0);
  std::vector<uint8_t> costs(count);
  // Calls visit(which of the rows, cost and back-off) for the entries of a node that belong to one of them. A dense
  // node's entries are found in its rows.
  const auto over_entries = [&](size_t k, uint32_t node, auto&& visit) {
    const Node& at = levels_[k].nodes[node];
    if (at.row != NONE) {
      const size_t row = at.row * width_;
      for (size_t c = 0; c < count; ++c) {
        visit(c, levels_[k].costs[row + rows[c]], is_last(k) ? 0 : levels_[k].backoffs[row + rows[c]]);
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
  for (size_t i = 1; i < found.length; ++i) {
    const uint32_t *before = found.ngrams + (i - 1) * order, *now = found.ngrams + i * order;
    for (size_t c = 0; c < count; ++c) costs[c] = start_[rows[c]];
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
