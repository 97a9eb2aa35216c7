// The GIL: released while the kernel works, and taken again afterwards, whatever happens to the interpreter meanwhile.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "base/stop.h"
#include "bindings/python_end.h"

namespace unilid {

// Has the GIL while it lives, for calls that come from outside of Python, in any thread.
class GilScope {
 public:
  GilScope() = default;
  ~GilScope() { PyGILState_Release(state_); }
  GilScope(const GilScope&) = delete;

 private:
  PyGILState_STATE state_ = ensure_gil();
};

// Whether this is the thread that Python delivers signals to; which one that is, is asked when the module is imported.
void remember_main_thread();
bool is_main_thread();

// Runs the handlers of signals that have arrived, with the GIL; true if one of them raised an error.
bool has_signal();

// Calls work() without the GIL. For work that takes less than a tenth of a second.
template <class Work>
void without_gil(Work&& work) {
  PyThreadState* state = PyEval_SaveThread();
  try {
    work();
  } catch (...) {
    take_gil(state);
    throw;
  }
  take_gil(state);
}

// The same for work of any length: Ctrl-C is heard while it runs. In the main thread, another thread works, and this
// one looks for signals twenty times a second.
template <class Work>
void interruptibly(Work&& work) {
  if (!is_main_thread()) return without_gil(work);  // signals are none of its business
  StopFlag stop{false};
  std::mutex mutex;
  std::condition_variable is_done;
  bool done = false;
  std::exception_ptr error;
  std::thread worker;
  try {
    worker = std::thread([&] {
      const StopScope scope(&stop);
      try {
        work();
      } catch (...) {
        error = std::current_exception();
      }
      const std::lock_guard<std::mutex> lock(mutex);
      done = true;
      is_done.notify_one();
    });
  } catch (const std::system_error&) {  // the system has no more threads
    return without_gil(work);
  }
  PyThreadState* state = PyEval_SaveThread();
  const auto wait = [&] {
    std::unique_lock<std::mutex> lock(mutex);
    return is_done.wait_for(lock, std::chrono::milliseconds(50), [&] { return done; });
  };
  bool signalled = false;
  while (!wait()) {
    if (signalled) continue;
    take_gil(state);
    signalled = has_signal();
    stop = signalled;
    state = PyEval_SaveThread();
  }
  worker.join();
  take_gil(state);
  if (signalled) throw nanobind::python_error();
  if (error) std::rethrow_exception(error);
}

// Bytes of text that take less than a tenth of a second with the largest models.
constexpr size_t SHORT_WORK = size_t{1} << 17;

// Calls work(), which scores these texts, without the GIL.
template <class Work>
void run_on_texts(const std::vector<std::string_view>& texts, Work&& work) {
  size_t bytes = 0;
  for (const std::string_view text : texts) bytes += text.size();
  if (bytes <= SHORT_WORK && texts.size() <= SHORT_WORK / 16) {
    without_gil(work);
  } else {
    interruptibly(work);
  }
}

}  // namespace unilid
