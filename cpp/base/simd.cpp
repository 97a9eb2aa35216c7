#include "base/simd.h"

#ifdef UNILID_X86
#include <cpuid.h>

#include <cstdint>
#endif

namespace unilid {

#ifdef UNILID_X86
extern const Loops loops_avx512, loops_avx2;
#endif
extern const Loops loops_baseline;

namespace {

#if defined(__aarch64__) || defined(_M_ARM64)
constexpr std::string_view BASELINE = "neon";
#else
constexpr std::string_view BASELINE = "plain";
#endif

#ifdef UNILID_X86
// What the processor has and the system saves when it switches threads. Asked of the processor, and not of the
// compiler's __builtin_cpu_supports, which needs a runtime library that not every compiler brings.
struct Processor {
  bool avx2 = false, avx512 = false;

  Processor() {
    unsigned a = 0, b = 0, c = 0, d = 0;
    constexpr unsigned OSXSAVE = 1U << 27;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & OSXSAVE)) return;
    uint32_t saved = 0, rest = 0;  // the registers that the system saves: XCR0
    __asm__("xgetbv" : "=a"(saved), "=d"(rest) : "c"(0));
    constexpr uint32_t YMM = 0x6, ZMM = 0xE6;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return;
    constexpr unsigned AVX2 = 1U << 5;
    constexpr unsigned AVX512 = 1U << 16 | 1U << 17 | 1U << 28 | 1U << 30 | 1U << 31;  // F, DQ, CD, BW, VL
    avx2 = (saved & YMM) == YMM && (b & AVX2);
    avx512 = (saved & ZMM) == ZMM && (b & AVX512) == AVX512;
  }
};
#endif

}  // namespace

std::vector<InstructionSet> instruction_sets() {
  std::vector<InstructionSet> sets;
#ifdef UNILID_X86
  const Processor processor;
  if (processor.avx512) sets.push_back({"avx512", &loops_avx512});
  if (processor.avx2) sets.push_back({"avx2", &loops_avx2});
#endif
  sets.push_back({BASELINE, &loops_baseline});
  return sets;
}

std::atomic<const Loops*> current_loops = instruction_sets().front().loops;

}  // namespace unilid
