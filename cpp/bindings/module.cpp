// The module `_kernel`: arrays and strings in, arrays out, and the GIL is released in between. Only the files of this
// folder know Python.
#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>
#include <vector>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/simd.h"
#include "bindings/arrays.h"
#include "bindings/bindings.h"
#include "bindings/gil.h"
#include "store/packing.h"

namespace unilid {

namespace {

struct PyOffsets {
  nb::object firsts;
  uint64_t end;
  size_t large;
};

PyOffsets sum_up_sizes(Array<uint8_t> sizes, Array<uint32_t> large) {
  auto* firsts = new Aligned<uint32_t>(sizes.size() + 1, false);
  nb::capsule owner(firsts, [](void* p) noexcept { delete static_cast<Aligned<uint32_t>*>(p); });
  const SizeSum sum = sum_up(sizes.data(), sizes.size(), large.data(), large.size(), firsts->data());
  return {nb::cast(Result<uint32_t>(firsts->data(), {firsts->size()}, owner)), sum.end, sum.large};
}

using PyMembers = std::tuple<Array<uint8_t>, size_t, Array<uint32_t>>;

// All tables in one call: to take the GIL again for each would be to wait for a thread that is busy with Python.
std::vector<Keys> check_keys(const std::vector<PyMembers>& tables) {
  for (const auto& [members, bytes, firsts] : tables) {
    require(bytes >= 2 && bytes <= 4 && members.size() % bytes == 0, "the members end within a member");
    require(firsts.size() > 0, "the firsts of groups have an end");
  }
  std::vector<Keys> keys;
  without_gil([&] {
    for (const auto& [members, bytes, firsts] : tables) {
      const auto look = bytes == 2 ? keys_of<2> : bytes == 3 ? keys_of<3> : keys_of<4>;
      keys.push_back(look(members.data(), members.size() / bytes, firsts.data(), firsts.size() - 1));
    }
  });
  return keys;
}

nb::list instruction_set_names() {
  nb::list names;
  for (const InstructionSet& set : instruction_sets()) names.append(nb::str(set.name.data(), set.name.size()));
  return names;
}

// Returns the name of the instruction set that was used before.
nb::str use_instruction_set(const char* name) {
  const Loops* loops_of_name = nullptr;
  std::string_view before;
  for (const InstructionSet& set : instruction_sets()) {
    if (set.name == name) loops_of_name = set.loops;
    if (set.loops == &loops()) before = set.name;
  }
  if (loops_of_name == nullptr) {
    throw nb::value_error("this build or this machine does not have the instruction set");
  }
  current_loops = loops_of_name;
  return nb::str(before.data(), before.size());
}

}  // namespace

}  // namespace unilid

NB_MODULE(_kernel, m) {
  using namespace unilid;
  if (PyInterpreterState_GetID(PyInterpreterState_Get()) != 0) {  // the number of the main one
    throw nb::import_error("unilid works in the main interpreter of a process, and this is a sub-interpreter");
  }
  remember_main_thread();
  nb::set_leak_warnings(false);  // a model that lives until the interpreter ends is no leak
  m.def("instruction_sets", &instruction_set_names);
  m.def("use_instruction_set", &use_instruction_set, nb::arg("name"));
  m.attr("LARGE") = LARGE;
  m.attr("MAX_LANGUAGES") = MAX_LANGUAGES;
  m.attr("MAX_THREADS") = MAX_THREADS;
  nb::class_<PyOffsets>(m, "Offsets")
      .def_ro("firsts", &PyOffsets::firsts)
      .def_ro("end", &PyOffsets::end)
      .def_ro("large", &PyOffsets::large);
  m.def("sum_up_sizes", &sum_up_sizes, nb::arg("sizes"), nb::arg("large"));
  nb::class_<Keys>(m, "Keys").def_ro("largest", &Keys::largest).def_ro("ascend", &Keys::ascend);
  m.def("check_keys", &check_keys, nb::arg("tables"));
  bind_words(m);
  bind_corpus(m);
  bind_models(m);
  bind_estimation(m);
  bind_discrimination(m);
  bind_decisions(m);
  bind_scoring(m);
  bind_columns(m);
}
