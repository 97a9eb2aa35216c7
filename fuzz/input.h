// What all targets share: the input as a text, and how a run ends.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "base/hash.h"

// Ends the run with the input kept, as a sanitizer does.
#define EXPECT(condition)                                                          \
  do {                                                                             \
    if (!(condition)) {                                                            \
      std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                \
    }                                                                              \
  } while (false)

namespace unilid::fuzz {

// An input is two bytes of options and the text. What takes long is done for one input in so many, which is chosen by
// the hash of all its bytes. An option would not do: what it reaches is new to the fuzzer, which keeps such inputs, and
// nearly all that it makes of them would have the option, too.
struct Input {
  Input(const uint8_t* data, size_t size)
      : options(static_cast<uint16_t>((size > 0 ? data[0] : 0) | (size > 1 ? data[1] << 8 : 0))),
        hash(size == 0 ? 0 : hash_bytes(data, size)),
        text(reinterpret_cast<const char*>(data) + std::min<size_t>(size, 2), size - std::min<size_t>(size, 2)) {}

  uint16_t options;
  uint64_t hash;
  std::string_view text;
};

}  // namespace unilid::fuzz
