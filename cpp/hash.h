#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace unilid {

// For tables in memory only: never stored, so it may differ between machines.
inline uint64_t hash_bytes(const uint8_t* bytes, size_t size) {
  uint64_t hash = 0x9E3779B97F4A7C15u ^ size;
  for (; size >= 8; bytes += 8, size -= 8) {
    uint64_t chunk;
    std::memcpy(&chunk, bytes, 8);
    hash = (hash ^ chunk) * 0xD6E8FEB86659FD93u;
    hash ^= hash >> 32;
  }
  uint64_t rest = 0;
  std::memcpy(&rest, bytes, size);
  hash = (hash ^ rest) * 0xD6E8FEB86659FD93u;
  hash ^= hash >> 32;
  hash *= 0xD6E8FEB86659FD93u;
  return hash ^ hash >> 32;
}

}  // namespace unilid
