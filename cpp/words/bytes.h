// Quick counts of bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace unilid {

// Counts the bytes for which `is` is true. The compiler makes a vector loop of it, because the question is simple and
// the count of a block fits into a byte.
template <class Is>
uint32_t count_bytes(const uint8_t* bytes, size_t size, Is&& is) {
  constexpr size_t BLOCK = 240;  // bytes: a multiple of 16 below 256
  uint32_t count = 0;
  for (size_t at = 0; at < size; at += BLOCK) {
    const uint8_t *first = bytes + at, *last = first + std::min(size - at, BLOCK);
    uint8_t in_block = 0;
    for (; first < last; ++first) in_block = static_cast<uint8_t>(in_block + (is(first) ? 1 : 0));
    count += in_block;
  }
  return count;
}

}  // namespace unilid
