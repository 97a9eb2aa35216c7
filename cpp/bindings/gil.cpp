#include "bindings/gil.h"

namespace unilid {

namespace {

unsigned long main_thread = 0;

}  // namespace

void remember_main_thread() {
  nanobind::object thread = nanobind::module_::import_("threading").attr("main_thread")();
  main_thread = nanobind::cast<unsigned long>(thread.attr("ident"));
}

bool is_main_thread() { return PyThread_get_thread_ident() == main_thread; }

bool has_signal() { return PyErr_CheckSignals() != 0; }

}  // namespace unilid
