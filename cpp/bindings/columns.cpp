// Columns by the Arrow PyCapsule interface: structs of the C data interface in capsules, texts in and answers out.
// https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cerrno>
#include <string>

#include "bindings/arrays.h"
#include "bindings/bindings.h"
#include "bindings/gil.h"
#include "columns/answers.h"
#include "columns/column.h"
#include "columns/texts.h"

namespace unilid {

namespace {

using columns::ColumnError;
using columns::Owned;
using columns::TextColumn;

template <class Struct>
constexpr const char* capsule_name = nullptr;
template <>
constexpr const char* capsule_name<ArrowSchema> = "arrow_schema";
template <>
constexpr const char* capsule_name<ArrowArray> = "arrow_array";
template <>
constexpr const char* capsule_name<ArrowArrayStream> = "arrow_array_stream";

// Takes the struct out of a capsule, which then has nothing left to release.
template <class Struct>
Owned<Struct> taken(nb::handle capsule) {
  const char* name = capsule_name<Struct>;
  if (!PyCapsule_IsValid(capsule.ptr(), name)) throw ColumnError("the column gives no capsule of Arrow");
  auto* found = static_cast<Struct*>(PyCapsule_GetPointer(capsule.ptr(), name));
  if (found->release == nullptr) throw ColumnError("the column was read already, and can be read once only");
  return Owned<Struct>(*found);
}

template <class Struct>
nb::object capsule_of(Owned<Struct> owned) {
  auto memory = std::make_unique<Owned<Struct>>(std::move(owned));
  PyObject* capsule = PyCapsule_New(memory->get(), capsule_name<Struct>, [](PyObject* self) {
    delete static_cast<Owned<Struct>*>(PyCapsule_GetContext(self));
  });
  if (capsule == nullptr) throw nb::python_error();
  PyCapsule_SetContext(capsule, memory.release());
  return nb::steal(capsule);
}

// Some rows of a column of texts.
struct PyTexts {
  std::shared_ptr<const TextColumn> column;
  size_t begin, end;

  size_t size() const { return end - begin; }

  size_t bytes() const {
    size_t sum = 0;
    for (size_t row = begin; row < end; ++row) sum += (*column)[row].size();
    return sum;
  }

  std::vector<bool> nulls() const {
    std::vector<bool> result(size());
    for (size_t row = begin; row < end; ++row) result[row - begin] = column->is_null(row);
    return result;
  }

  // The same rows in parts of so many texts, and about so many bytes; a longer text is a part of its own.
  std::vector<PyTexts> parts(size_t most_texts, size_t most_bytes) const {
    std::vector<PyTexts> result;
    size_t first = begin, sum = 0;
    for (size_t row = begin; row < end; ++row) {
      const size_t length = (*column)[row].size();
      if (row > first && (row - first == most_texts || sum + length > most_bytes)) {
        result.push_back({column, first, row});
        first = row, sum = 0;
      }
      sum += length;
    }
    if (first < end) result.push_back({column, first, end});
    return result;
  }
};

// As for a list (arrays.h): binary texts may be UTF-16.
std::vector<std::string_view> views(const PyTexts& texts, nb::list& owners) {
  std::vector<std::string_view> result;
  result.reserve(texts.size());
  for (size_t row = texts.begin; row < texts.end; ++row) {
    std::string_view text = (*texts.column)[row];
    if (texts.column->is_binary() && may_be_utf16(text)) {
      owners.append(nb::module_::import_("unilid.texts").attr("utf8")(to_bytes(text)));
      text = as_view(nb::borrow<nb::bytes>(owners[nb::len(owners) - 1]));
    }
    result.push_back(text);
  }
  return result;
}

// Columns that come one after the other.
struct PyTextStream {
  Owned<ArrowArrayStream> stream;
  std::unique_ptr<columns::Layout> layout;

  explicit PyTextStream(nb::handle capsule) : stream(taken<ArrowArrayStream>(capsule)) {
    if (stream->get_schema == nullptr || stream->get_next == nullptr || stream->get_last_error == nullptr) {
      throw ColumnError("the stream of the column lacks a function");
    }
    Owned<ArrowSchema> schema;
    read([&] { return stream->get_schema(stream.get(), schema.get()); });
    if (schema.is_empty()) throw ColumnError("the column has no schema");
    layout = std::make_unique<columns::Layout>(*schema);
  }

  std::optional<PyTexts> next() {
    Owned<ArrowArray> array;
    read([&] { return stream->get_next(stream.get(), array.get()); });
    if (array.is_empty()) return std::nullopt;
    const auto column = std::make_shared<const TextColumn>(*layout, std::move(array));
    return PyTexts{column, 0, column->size()};
  }

 private:
  // Calls the source, which may do any amount of work.
  template <class Call>
  void read(Call&& call) {
    int code = 0;
    without_gil([&] { code = call(); });
    if (code == 0) return;
    const char* message = stream->get_last_error(stream.get());
    throw ColumnError("the column could not be read: " + std::string(message == nullptr ? "no reason given" : message));
  }
};

// A sentence may quote another library, whose bytes need not be UTF-8.
void raise_column_error(const std::exception_ptr& raised, void* /*payload*/) {
  try {
    std::rethrow_exception(raised);
  } catch (const ColumnError& error) {
    const std::string_view sentence = error.what();
    const auto size = static_cast<Py_ssize_t>(sentence.size());
    const nb::object decoded = nb::steal(PyUnicode_DecodeUTF8(sentence.data(), size, "backslashreplace"));
    if (decoded.is_valid()) PyErr_SetObject(PyExc_ValueError, decoded.ptr());
  }
}

struct PyColumn {
  columns::SharedColumn column;
};

// The answers to come, behind a stream that was handed out.
struct Exported {
  nb::object batches;
  columns::SharedColumn schema;
  std::string error;
};

Exported* behind(ArrowArrayStream* stream) { return static_cast<Exported*>(stream->private_data); }

int give_schema(ArrowArrayStream* stream, ArrowSchema* out) {
  *out = std::exchange(*columns::schema_of(behind(stream)->schema).get(), ArrowSchema{});
  return 0;
}

// What UTF-8 has no form for, a lone surrogate, is written out.
std::string sentence_of(nb::python_error& error) {
  try {
    const nb::str sentence(error.value());
    if (nb::len(sentence) == 0) return nb::type_name(error.type()).c_str();
    return std::string(as_view(nb::cast<nb::bytes>(sentence.attr("encode")("utf-8", "backslashreplace"))));
  } catch (const nb::python_error&) {
    return "an error that says nothing";
  }
}

// Computes the next batch. Called by the consumer, from any thread, with or without the GIL.
int give_next(ArrowArrayStream* stream, ArrowArray* out) {
  const GilScope gil;
  Exported& own = *behind(stream);
  *out = ArrowArray{};
  try {
    const nb::object batch = nb::steal(PyIter_Next(own.batches.ptr()));
    if (batch.is_valid()) {
      *out = std::exchange(*columns::array_of(nb::cast<PyColumn&>(batch).column).get(), ArrowArray{});
    } else if (PyErr_Occurred()) {
      throw nb::python_error();
    }
    return 0;
  } catch (nb::python_error& error) {
    own.error = sentence_of(error);  // the consumer raises an error of its own with it, also of Ctrl-C
  } catch (const std::exception& error) {
    own.error = error.what();
  }
  return EIO;
}

const char* give_error(ArrowArrayStream* stream) { return behind(stream)->error.c_str(); }

void release_stream(ArrowArrayStream* stream) {
  stream->release = nullptr;
  if (!Py_IsInitialized()) return;
  const GilScope gil;
  delete behind(stream);
}

nb::object stream_of(const PyColumn& schema, nb::object batches) {
  Owned<ArrowArrayStream> stream;
  *stream.get() = {give_schema, give_next, give_error, release_stream,
                   new Exported{nb::steal(PyObject_GetIter(batches.ptr())), schema.column, {}}};
  return capsule_of(std::move(stream));
}

columns::Form form_of(bool ranked, bool shares) {
  require(!ranked || !shares, "a ranking has no shares");
  return ranked ? columns::Form::RANKED : shares ? columns::Form::BEST_WITH_SHARES : columns::Form::BEST;
}

struct PyAnswerBuilder {
  columns::AnswerBuilder builder;
  int32_t languages;
  bool has_shares;

  void append(const PyAnswers& answers, const PyTexts& texts, std::optional<PyShares> shares) {
    using Numbers = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
    const auto rows = nb::cast<nb::ndarray<const int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>>(answers.rows);
    const auto verdicts = nb::cast<Array<uint8_t>>(answers.verdicts);
    const size_t n = rows.shape(0);
    require(n == texts.size() && shares.has_value() == has_shares, "the answers are to other texts");
    for (size_t i = 0; i < rows.size(); ++i) require(rows.data()[i] < languages, "a row is none of the model's");
    const columns::Answers columns{n,
                                   rows.shape(1),
                                   rows.data(),
                                   nb::cast<Numbers>(answers.scores).data(),
                                   nb::cast<Numbers>(answers.probabilities).data(),
                                   verdicts.data()};
    if (!shares) {
      require(builder.append(columns, texts.nulls(), nullptr), TOO_MANY);
      return;
    }
    const auto ends = nb::cast<Array<int64_t>>(shares->ends);
    require(ends.size() == n, "the shares are of other texts");
    const columns::Shares all{ends.data(), nb::cast<Array<int32_t>>(shares->rows).data(),
                              nb::cast<Array<double>>(shares->shares).data()};
    require(builder.append(columns, texts.nulls(), &all), TOO_MANY);
  }

  static constexpr const char* TOO_MANY = "a list column has room for 2,147,483,647 languages; give a stream";
};

}  // namespace

std::vector<std::string_view> views_of(nb::handle texts, nb::list& owners) {
  if (PyTexts* column = nullptr; nb::try_cast(texts, column, false)) return views(*column, owners);
  if (!nb::isinstance<nb::list>(texts)) throw nb::type_error("texts are a list or a column");
  return views(nb::borrow<nb::list>(texts), owners);
}

void bind_columns(nb::module_& m) {
  nb::register_exception_translator(raise_column_error);
  nb::class_<PyTexts>(m, "TextColumn")
      .def(
          "__init__",
          [](PyTexts* self, nb::handle schema_capsule, nb::handle array_capsule) {
            Owned<ArrowArray> array = taken<ArrowArray>(array_capsule);
            const columns::Layout layout(*taken<ArrowSchema>(schema_capsule));
            const auto column = std::make_shared<const TextColumn>(layout, std::move(array));
            new (self) PyTexts{column, 0, column->size()};
          },
          nb::arg("schema"), nb::arg("array"))
      .def("__len__", &PyTexts::size)
      .def_prop_ro("bytes", &PyTexts::bytes)
      .def("parts", &PyTexts::parts, nb::arg("most_texts"), nb::arg("most_bytes"));
  nb::class_<PyTextStream>(m, "TextStream")
      .def(nb::init<nb::handle>(), nb::arg("stream"))
      .def("read", &PyTextStream::next);
  nb::class_<PyColumn>(m, "Column")
      .def("__len__", [](const PyColumn& self) { return self.column->size; })
      .def("schema", [](const PyColumn& self) { return capsule_of(columns::schema_of(self.column)); })
      .def("array", [](const PyColumn& self) { return capsule_of(columns::array_of(self.column)); })
      .def("stream", &stream_of, nb::arg("batches"))
      .def("table", [](const PyColumn& self) {
        require(self.column->format == "+s", "a column of lists is no table");
        return PyColumn{columns::table_of(*self.column)};
      });
  nb::class_<columns::Words>(m, "AnswerWords")
      .def(
          "__init__",
          [](columns::Words* self, const std::vector<std::string>& labels) {
            require(labels.size() >= 2 && labels.size() <= MAX_LANGUAGES + 2, "there are too few or too many labels");
            new (self) columns::Words(labels);
          },
          nb::arg("labels"));
  nb::class_<PyAnswerBuilder>(m, "AnswerBuilder")
      .def(
          "__init__",
          [](PyAnswerBuilder* self, const columns::Words& words, bool ranked, bool shares, bool abstain) {
            new (self)
                PyAnswerBuilder{{std::make_shared<const columns::Words>(words), form_of(ranked, shares), abstain},
                                words.no_language,
                                shares};
          },
          nb::arg("words"), nb::arg("ranked"), nb::arg("shares"), nb::arg("abstain"))
      .def("append", &PyAnswerBuilder::append, nb::arg("answers"), nb::arg("texts"), nb::arg("shares").none())
      .def("finish", [](PyAnswerBuilder& self) { return PyColumn{self.builder.finish()}; });
}

}  // namespace unilid
