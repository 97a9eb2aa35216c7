// Memory, results, and the checks of a file that loop over its tables.
#include <cstring>
#include <new>

#include "base/elementary.h"
#include "store/packing.h"
#include "web/exports.h"

namespace unilid::web {

// Arrays are aligned as the vector loops want them.
constexpr std::align_val_t ALIGNMENT{64};

UNILID_EXPORT("allocate") void* allocate(size_t bytes) { return ::operator new(bytes, ALIGNMENT); }
UNILID_EXPORT("release") void release(void* memory) { ::operator delete(memory, ALIGNMENT); }

UNILID_EXPORT("result_count") size_t result_count() { return results.size(); }
UNILID_EXPORT("result_data") const char* result_data(size_t index) { return results[index].data(); }
UNILID_EXPORT("result_size") size_t result_size(size_t index) { return results[index].size(); }

// The checksum of zlib, to be continued from that of what stands before.
UNILID_EXPORT("crc32") uint32_t crc32(const uint8_t* bytes, size_t size, uint32_t before) {
  static const std::vector<uint32_t> table = [] {
    std::vector<uint32_t> entries(8 * 256);  // of a byte that is followed by 0 to 7 others
    for (uint32_t byte = 0; byte < 256; ++byte) {
      uint32_t entry = byte;
      for (int bit = 0; bit < 8; ++bit) entry = entry & 1 ? entry >> 1 ^ 0xEDB88320u : entry >> 1;
      entries[byte] = entry;
    }
    for (size_t i = 256; i < entries.size(); ++i) {
      entries[i] = entries[i - 256] >> 8 ^ entries[entries[i - 256] & 0xFF];
    }
    return entries;
  }();
  uint32_t sum = ~before;
  for (; size >= 8; bytes += 8, size -= 8) {
    uint64_t chunk;
    std::memcpy(&chunk, bytes, 8);
    chunk ^= sum;
    sum = 0;
    for (size_t i = 0; i < 8; ++i) sum ^= table[(7 - i) * 256 + (chunk >> 8 * i & 0xFF)];
  }
  for (; size > 0; ++bytes, --size) sum = sum >> 8 ^ table[(sum ^ *bytes) & 0xFF];
  return ~sum;
}

// out: the end of the last group and the number of large sizes, see SizeSum.
UNILID_EXPORT("sum_up_sizes")
void sum_up_sizes(const uint8_t* sizes, size_t groups, const uint32_t* large, size_t large_count, uint32_t* firsts,
                  double* out) {
  const SizeSum sum = sum_up(sizes, groups, large, large_count, firsts);
  out[0] = static_cast<double>(sum.end), out[1] = static_cast<double>(sum.large);
}

// The largest key, and whether keys ascend within every group: see Keys. Members have 2, 3 or 4 bytes.
UNILID_EXPORT("check_keys")
void check_keys(const uint8_t* members, size_t member_bytes, size_t count, const uint32_t* firsts, size_t groups,
                double* out) {
  const Keys keys = member_bytes == 2   ? keys_of<2>(members, count, firsts, groups)
                    : member_bytes == 3 ? keys_of<3>(members, count, firsts, groups)
                                        : keys_of<4>(members, count, firsts, groups);
  out[0] = keys.largest, out[1] = keys.ascend;
}

UNILID_EXPORT("logarithms") void logarithms(double* values, size_t count) {
  for (size_t i = 0; i < count; ++i) values[i] = portable::log(values[i]);
}
UNILID_EXPORT("exponential") double exponential(double x) { return portable::exp(x); }

}  // namespace unilid::web
