// Hashes of strings, for tables in memory, and to choose lines of a corpus. They are never stored, so they may differ
// between machines whose bytes have another order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace unilid {

inline uint64_t mix_hash(uint64_t hash, uint64_t chunk) {
  hash = (hash ^ chunk) * 0xD6E8FEB86659FD93u;
  return hash ^ hash >> 32;
}

inline uint64_t load_chunk(const uint8_t* bytes) {
  uint64_t chunk;
  std::memcpy(&chunk, bytes, 8);
  return chunk;
}

// Bytes of a "padded" string that may be read even if it is shorter. Most words have no more than 16 bytes, and are
// hashed and compared as two 64-bit numbers, without a loop.
constexpr size_t PADDED = 16;

// The 16 bytes at MASK + 16 - size are a mask of the first `size` bytes.
constexpr uint8_t MASK[2 * PADDED] = {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};

// The first PADDED bytes of a string; a shorter one is filled up with zeros.
struct Beginning {
  uint64_t first, second;
  bool operator==(const Beginning&) const = default;
};

inline Beginning beginning(const uint8_t* bytes, size_t size) {
  const uint8_t* mask = MASK + PADDED - (size < PADDED ? size : PADDED);
  return {load_chunk(bytes) & load_chunk(mask), load_chunk(bytes + 8) & load_chunk(mask + 8)};
}

inline uint64_t hash_padded(const uint8_t* bytes, size_t size, uint64_t seed = 0) {
  const Beginning start = beginning(bytes, size);
  uint64_t hash = mix_hash(mix_hash(seed << 8 ^ size, start.first), start.second);
  if (size > PADDED) {
    for (size_t i = PADDED; i + 8 < size; i += 8) hash = mix_hash(hash, load_chunk(bytes + i));
    hash = mix_hash(hash, load_chunk(bytes + size - 8));
  }
  return hash * 0xD6E8FEB86659FD93u;
}

inline bool equal_padded(const uint8_t* a, const uint8_t* b, size_t size) {
  return beginning(a, size) == beginning(b, size) &&
         (size <= PADDED || std::memcmp(a + PADDED, b + PADDED, size - PADDED) == 0);
}

inline uint64_t hash_bytes(const uint8_t* bytes, size_t size, uint64_t seed = 0) {
  uint64_t hash = 0x9E3779B97F4A7C15u ^ size ^ seed * 0xD6E8FEB86659FD93u;
  for (; size >= 8; bytes += 8, size -= 8) hash = mix_hash(hash, load_chunk(bytes));
  uint64_t rest = 0;
  std::memcpy(&rest, bytes, size);
  hash = mix_hash(hash, rest) * 0xD6E8FEB86659FD93u;
  return hash ^ hash >> 32;
}

}  // namespace unilid
