// Compiled without exceptions (CMakeLists.txt): only then is a cleanup handler called where the stack is to be unwound,
// and no destructor, which a runtime of C++ would have to find.
#include "bindings/python_end.h"

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#include <unistd.h>
#endif

namespace unilid {

#if defined(__unix__) || defined(__APPLE__)

namespace {

void sleep_forever(void*) {
  for (;;) pause();
}

}  // namespace

void take_gil(PyThreadState* state) {
  pthread_cleanup_push(sleep_forever, nullptr);
  PyEval_RestoreThread(state);
  pthread_cleanup_pop(0);
}

PyGILState_STATE ensure_gil() {
  PyGILState_STATE state;
  pthread_cleanup_push(sleep_forever, nullptr);
  state = PyGILState_Ensure();
  pthread_cleanup_pop(0);
  return state;
}

#else

void take_gil(PyThreadState* state) { PyEval_RestoreThread(state); }

PyGILState_STATE ensure_gil() { return PyGILState_Ensure(); }

#endif

}  // namespace unilid
