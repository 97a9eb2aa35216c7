// Taking the GIL while the interpreter may be about to end. Python before 3.14 then ends the thread that asks for it
// (pthread_exit), which unwinds its stack: through frames of C++, whose runtime may not be the one that unwinds. So the
// thread sleeps instead until the process ends, as Python 3.14 lets it.
#pragma once

#include <Python.h>

namespace unilid {

// Takes the GIL for a thread that has released it.
void take_gil(PyThreadState* state);

// Takes it for any thread: PyGILState_Ensure.
PyGILState_STATE ensure_gil();

}  // namespace unilid
