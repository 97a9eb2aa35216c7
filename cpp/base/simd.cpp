#include "base/simd.h"

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

}  // namespace

std::vector<InstructionSet> instruction_sets() {
  std::vector<InstructionSet> sets;
#ifdef UNILID_X86
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
    sets.push_back({"avx512", &loops_avx512});
  }
  if (__builtin_cpu_supports("avx2")) sets.push_back({"avx2", &loops_avx2});
#endif
  sets.push_back({BASELINE, &loops_baseline});
  return sets;
}

std::atomic<const Loops*> current_loops = instruction_sets().front().loops;

}  // namespace unilid
