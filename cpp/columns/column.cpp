#include "columns/column.h"

namespace unilid::columns {

namespace {

// What lies behind a struct that was handed out: the column, and the structs of what belongs to it.
template <class Struct>
struct Exported {
  SharedColumn column;
  std::vector<Struct> parts;  // the children, and behind them the dictionary
  std::vector<Struct*> children;
  std::vector<const void*> buffers;
};

template <class Struct>
void release(Struct* exported) {
  auto* own = static_cast<Exported<Struct>*>(exported->private_data);
  for (Struct& part : own->parts) {
    if (part.release != nullptr) part.release(&part);  // those that were taken out are somebody else's
  }
  delete own;
  exported->release = nullptr;
}

void fill(const SharedColumn& column, Exported<ArrowSchema>& /*own*/, ArrowSchema* out) {
  out->format = column->format.c_str();
  out->name = column->name.c_str();
  out->flags = column->nullable ? NULLABLE : 0;
}

void fill(const SharedColumn& column, Exported<ArrowArray>& own, ArrowArray* out) {
  for (const Buffer& memory : column->buffers) own.buffers.push_back(memory.get());
  out->length = static_cast<int64_t>(column->size);
  out->null_count = column->nulls;
  out->n_buffers = static_cast<int64_t>(own.buffers.size());
  out->buffers = own.buffers.data();
}

template <class Struct>
Owned<Struct> exported(const SharedColumn& column) {
  auto own = std::make_unique<Exported<Struct>>();
  own->column = column;
  Owned<Struct> result;
  Struct* out = result.get();
  fill(column, *own, out);
  const size_t count = column->children.size();
  own->parts.resize(count + (column->dictionary ? 1 : 0));
  for (size_t c = 0; c < count; ++c) {
    own->children.push_back(&own->parts[c]);
    own->parts[c] = std::exchange(*exported<Struct>(column->children[c]).get(), Struct{});
  }
  if (column->dictionary) own->parts[count] = std::exchange(*exported<Struct>(column->dictionary).get(), Struct{});
  out->n_children = static_cast<int64_t>(count);
  out->children = count == 0 ? nullptr : own->children.data();
  out->dictionary = column->dictionary ? &own->parts[count] : nullptr;
  out->release = release<Struct>;
  out->private_data = own.release();
  return result;
}

}  // namespace

SharedColumn text_column(const std::vector<std::string>& texts) {
  std::vector<int32_t> offsets{0};
  std::vector<char> bytes;
  for (const std::string& text : texts) {
    bytes.insert(bytes.end(), text.begin(), text.end());
    offsets.push_back(static_cast<int32_t>(bytes.size()));
  }
  Column column{.format = "u", .name = "", .size = texts.size(), .buffers = {}, .children = {}, .dictionary = {}};
  column.buffers = {nullptr, buffer(std::move(offsets)), buffer(std::move(bytes))};
  return std::make_shared<const Column>(std::move(column));
}

SharedColumn table_of(const Column& column) {
  Column table = column;
  table.nullable = false;
  table.nulls = 0;
  table.buffers = {nullptr};
  return std::make_shared<const Column>(std::move(table));
}

Owned<ArrowSchema> schema_of(const SharedColumn& column) { return exported<ArrowSchema>(column); }

Owned<ArrowArray> array_of(const SharedColumn& column) { return exported<ArrowArray>(column); }

}  // namespace unilid::columns
