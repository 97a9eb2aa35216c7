// Excerpts: parts of a long text that are read instead of the whole.
#pragma once

#include <cstddef>
#include <limits>
#include <string_view>

namespace unilid {

// The words of `text` that begin at or after `begin`, and before `end`. What stands before `begin` is read, but does
// not count: it tells whether the line is code.
struct Excerpt {
  std::string_view text;
  size_t begin = 0, end = std::numeric_limits<size_t>::max();
};

// Bytes of an excerpt: about five words. Many short ones show a second language sooner than a few long ones do.
constexpr size_t EXCERPT_BYTES = 32;

// Number `index` of `count` excerpts that are spread over a text: each one stands in its own share of the text, at a
// place that differs from share to share, so that a text which repeats itself is not always read at the same words. A
// share has at least EXCERPT_BYTES.
Excerpt excerpt_of(std::string_view text, size_t index, size_t count);

}  // namespace unilid
