// Stopping a long call from outside: the caller sets a flag, and every loop over many words looks at it now and then.
#pragma once

#include <atomic>
#include <exception>

namespace unilid {

// Words between two looks at the flag, in loops that take about a microsecond for each: often enough to be heard at
// once.
constexpr size_t STOP_CHECK = 1024;

#if defined(__wasm__)

// There are no threads, so that nobody can set a flag, and no exceptions.
inline void check_stop() {}

#else

// Thrown by a loop whose caller no longer wants the result. What it had begun is dropped.
class Stopped : public std::exception {
 public:
  const char* what() const noexcept override { return "stopped"; }
};

using StopFlag = std::atomic<bool>;

// The flag of the call that this thread works for; null for a call that nobody can stop. Of a thread, not of the
// process: calls of different threads do not know of each other.
// It is part of every thread from its start, so that none can fail to get it when memory runs out: in musl everything
// thread-local is, and refuses a library that says so; in glibc a variable must say so.
#if defined(__GLIBC__)
[[gnu::tls_model("initial-exec")]]
#endif
inline thread_local const StopFlag* stop_flag = nullptr;

inline void check_stop() {
  if (stop_flag != nullptr && stop_flag->load(std::memory_order_relaxed)) throw Stopped();
}

// Lets this thread work for a call while it lives.
class StopScope {
 public:
  explicit StopScope(const StopFlag* flag) : before_(stop_flag) { stop_flag = flag; }
  ~StopScope() { stop_flag = before_; }
  StopScope(const StopScope&) = delete;

 private:
  const StopFlag* before_;
};

#endif

}  // namespace unilid
