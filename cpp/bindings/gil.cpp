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

}  // namespace

void take_gil(PyThreadState* state) {
#if defined(__GLIBCXX__)
  try {
    PyEval_RestoreThread(state);
  } catch (abi::__forced_unwind&) {  // pthread_exit: nobody who takes the GIL now gets it
    sleep_forever();
  }
#else
  PyEval_RestoreThread(state);
#endif
}

void remember_main_thread() {
  nanobind::object thread = nanobind::module_::import_("threading").attr("main_thread")();
  main_thread = nanobind::cast<unsigned long>(thread.attr("ident"));
}

bool is_main_thread() { return PyThread_get_thread_ident() == main_thread; }

bool has_signal() { return PyErr_CheckSignals() != 0; }

}  // namespace unilid
