#include "bindings/gil.h"

#if defined(__GLIBCXX__)
#include <cxxabi.h>
#endif
#if defined(__unix__) || defined(__APPLE__)
#include <unistd.h>
#endif

namespace unilid {

namespace {

unsigned long main_thread = 0;

[[noreturn]] void sleep_forever() {
  for (;;) {
#if defined(__unix__) || defined(__APPLE__)
    pause();
#else
    std::this_thread::sleep_for(std::chrono::hours(1));
#endif
  }
}

// Calls what takes the GIL, and sleeps if nobody gets it any more.
template <class Take>
void or_sleep(Take&& take) {
#if defined(__GLIBCXX__)
  try {
    take();
  } catch (abi::__forced_unwind&) {  // pthread_exit
    sleep_forever();
  }
#else
  take();
#endif
}

}  // namespace

void take_gil(PyThreadState* state) {
  or_sleep([&] { PyEval_RestoreThread(state); });
}

GilScope::GilScope() {
  or_sleep([&] { state_ = PyGILState_Ensure(); });
}

void remember_main_thread() {
  nanobind::object thread = nanobind::module_::import_("threading").attr("main_thread")();
  main_thread = nanobind::cast<unsigned long>(thread.attr("ident"));
}

bool is_main_thread() { return PyThread_get_thread_ident() == main_thread; }

bool has_signal() { return PyErr_CheckSignals() != 0; }

}  // namespace unilid
