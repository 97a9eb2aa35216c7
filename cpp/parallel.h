// Texts over threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <numeric>
#include <string_view>
#include <thread>
#include <vector>

namespace unilid {

// Calls work(first, last) on ranges that cover [0, items), taken in order by up to `threads` threads. The first
// exception ends the rest and is thrown again here. Threads live for the call only, so a fork finds none.
template <class Work>
void parallel_ranges(const std::vector<size_t>& ends, size_t threads, Work&& work) {
  std::atomic<size_t> next{0};
  std::exception_ptr error;
  std::mutex error_mutex;
  const auto run = [&] {
    try {
      for (size_t r; (r = next.fetch_add(1)) < ends.size();) work(r == 0 ? 0 : ends[r - 1], ends[r]);
    } catch (...) {
      next = ends.size();
      const std::lock_guard<std::mutex> lock(error_mutex);
      if (!error) error = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  try {
    for (size_t t = 1; t < threads && t < ends.size(); ++t) others.emplace_back(run);
  } catch (...) {  // the system has no more threads: those that are there do the work
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

// Ranges of about equal bytes, small enough that threads end together.
inline std::vector<size_t> ranges_by_bytes(const std::vector<std::string_view>& texts, size_t threads) {
  if (threads <= 1) return {texts.size()};
  size_t total = 0;
  for (const std::string_view text : texts) total += text.size() + 16;
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
