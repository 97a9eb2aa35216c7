#include <nanobind/stl/optional.h>

#include <cmath>

#include "base/elementary.h"
#include "base/simd.h"
#include "bindings/arrays.h"
#include "bindings/bindings.h"

namespace unilid {

namespace {

void make_decision(PyDecision* self, Array<double> log_prior, double step, Temperature temperature,
                   std::optional<PyRerank> rerank, std::optional<PyRejection> rejection,
                   std::optional<Array<double>> handicaps) {
  const size_t languages = log_prior.size();
  require(languages > 0 && languages <= MAX_LANGUAGES, "a decision is about 1 to MAX_LANGUAGES languages");
  require(!handicaps || handicaps->size() == languages, "the arrays of a decision differ in their number of languages");
  require(!rerank || (rerank->thresholds.size() == languages && rerank->replaces.size() == languages),
          "the arrays of a decision differ in their number of languages");
  require(!rejection || (rejection->usual.size() == languages && rejection->spread.size() == languages),
          "the arrays of a decision differ in their number of languages");
  new (self) PyDecision{languages,
                        copied(log_prior),
                        handicaps ? copied(*handicaps) : std::vector<double>{},
                        step,
                        temperature,
                        std::move(rerank),
                        std::move(rejection),
                        {},
                        {}};
  self->log_prior.resize(padded(languages), -INFINITY);
  if (const auto& r = self->py_rerank) {
    self->rerank = {r->thresholds.data(), r->replaces.data(), r->distance, r->ranks};
  }
  if (const auto& r = self->py_rejection) {
    self->rejection = {r->usual.data(), r->spread.data(), r->shared, r->sampling, r->limit, r->least_probability};
  }
}

nb::object logarithms(Array<double> values) {
  std::vector<double> results(values.size());
  for (size_t i = 0; i < results.size(); ++i) results[i] = portable::log(values.data()[i]);
  return owned(std::move(results));
}

}  // namespace

void bind_decisions(nb::module_& m) {
  nb::dict reasons;
  for (const auto& [reason, name] : REASON_NAMES) reasons[nb::int_(static_cast<int>(reason))] = name;
  for (const auto& [verdict, name] : VERDICT_NAMES) reasons[nb::int_(static_cast<int>(verdict))] = name;
  m.attr("REASONS") = reasons;
  m.attr("FIRST_UNDETERMINED") = FIRST_UNDETERMINED;

  m.def("logarithms", &logarithms, nb::arg("values"));
  m.def("exponential", &portable::exp, nb::arg("x"));

  nb::class_<Temperature>(m, "Temperature")
      .def(nb::init<double, double, double>(), nb::arg("scale"), nb::arg("length"), nb::arg("decay"));
  nb::class_<PyRerank>(m, "Rerank")
      .def(
          "__init__",
          [](PyRerank* self, Array<double> thresholds, Array<uint8_t> replaces, double distance, size_t ranks) {
            new (self) PyRerank{copied(thresholds), copied(replaces), distance, ranks};
          },
          nb::arg("thresholds"), nb::arg("replaces"), nb::arg("distance"), nb::arg("ranks"));
  nb::class_<PyRejection>(m, "Rejection")
      .def(
          "__init__",
          [](PyRejection* self, Array<double> usual, Array<double> spread, double shared, double sampling, double limit,
             double least_probability) {
            new (self) PyRejection{copied(usual), copied(spread), shared, sampling, limit, least_probability};
          },
          nb::arg("usual"), nb::arg("spread"), nb::arg("shared"), nb::arg("sampling"), nb::arg("limit"),
          nb::arg("least_probability"));
  nb::class_<PyDecision>(m, "Decision")
      .def("__init__", &make_decision, nb::arg("log_prior"), nb::arg("step"), nb::arg("temperature"),
           nb::arg("rerank").none() = nb::none(), nb::arg("rejection").none() = nb::none(),
           nb::arg("handicaps").none() = nb::none());
}

}  // namespace unilid
