// Work that is shared among threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <numeric>
#include <string_view>
#include <thread>
#include <vector>

#include "base/stop.h"

namespace unilid {

// More threads than this are of no use to anybody, and may be more than the system has room for.
constexpr size_t MAX_THREADS = 256;

// Bytes of text from which on another thread pays for its start: some milliseconds of work.
constexpr size_t WORTH_A_THREAD = size_t{1} << 14;

// Calls work(first, last) for consecutive ranges. Range r ends at ends[r], and the first one begins at 0. Up to
// `threads` threads take one range after the other. The first exception stops the others and is thrown again here.
// Threads live for the call only, so a fork finds none.
template <class Work>
void parallel_ranges(const std::vector<size_t>& ends, size_t threads, Work&& work) {
  std::atomic<size_t> next{0};
  std::exception_ptr error;
  std::mutex error_mutex;
  const StopFlag* flag = stop_flag;
  const auto run = [&] {
    const StopScope scope(flag);
    try {
      for (size_t r; (r = next.fetch_add(1)) < ends.size();) {
        check_stop();
        work(r == 0 ? 0 : ends[r - 1], ends[r]);
      }
    } catch (...) {
      next = ends.size();
      const std::lock_guard<std::mutex> lock(error_mutex);
      if (!error) error = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  try {
    for (size_t t = 1; t < std::min(threads, MAX_THREADS) && t < ends.size(); ++t) others.emplace_back(run);
  } catch (...) {  // the system has no more threads: the ones that were started do the work
  }
  run();
  for (std::thread& thread : others) thread.join();
  if (error) std::rethrow_exception(error);
}

// Ranges of one item each.
inline std::vector<size_t> one_by_one(size_t items) {
  std::vector<size_t> ends(items);
  std::iota(ends.begin(), ends.end(), size_t{1});
  return ends;
}

// Ranges of about equal bytes, eight for each thread, so that threads end at about the same time. A text counts 16
// bytes more than it has, for the work that does not depend on its length.
inline std::vector<size_t> ranges_by_bytes(const std::vector<std::string_view>& texts, size_t threads) {
  size_t total = 0;
  for (const std::string_view text : texts) total += text.size() + 16;
  threads = std::min({threads, MAX_THREADS, 1 + total / WORTH_A_THREAD});
  if (threads <= 1) return {texts.size()};
  const size_t target = total / (threads * 8) + 1;
  std::vector<size_t> ends;
  size_t bytes = 0;
  for (size_t t = 0; t < texts.size(); ++t) {
    bytes += texts[t].size() + 16;
    if (bytes >= target) ends.push_back(t + 1), bytes = 0;
  }
  if (ends.empty() || ends.back() != texts.size()) ends.push_back(texts.size());
  return ends;
}

}  // namespace unilid
