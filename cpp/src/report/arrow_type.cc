#include "report/arrow_type.h"

#include <memory>

namespace pt2triage {
namespace {

const char* FormatOf(ArrowKind kind) {
  switch (kind) {
    case ArrowKind::kUtf8:
      return "u";
    case ArrowKind::kWord:  // the type of the index
    case ArrowKind::kInt32:
      return "i";
    case ArrowKind::kBool:
      return "b";
    case ArrowKind::kInt64:
      return "l";
    case ArrowKind::kFloat64:
      return "g";
    case ArrowKind::kList:
      return "+l";
    case ArrowKind::kStruct:
      return "+s";
  }
  return "n";
}

// Number of pairs, then length and bytes of each key and value.
std::string Encode(const ArrowMetadata& metadata) {
  std::string encoded;
  const auto number = [&](size_t value) {
    const auto word = static_cast<int32_t>(value);
    encoded.append(reinterpret_cast<const char*>(&word), sizeof word);
  };
  const auto text = [&](std::string_view value) {
    number(value.size());
    encoded.append(value);
  };
  if (metadata.empty()) return encoded;
  number(metadata.size());
  for (const auto& [key, value] : metadata) {
    text(key);
    text(value);
  }
  return encoded;
}

void Release(ArrowSchema* schema);

// What an ArrowSchema points to. A child may be taken away by its reader, who
// then sets its `release` to null.
struct Description {
  Description() = default;
  Description(const Description&) = delete;
  Description& operator=(const Description&) = delete;
  ~Description() {
    for (ArrowSchema& child : children) {
      if (child.release != nullptr) child.release(&child);
    }
    if (words.release != nullptr) words.release(&words);
  }

  std::string name;
  std::string metadata;
  std::vector<ArrowSchema> children;
  std::vector<ArrowSchema*> pointers;
  ArrowSchema words{};
};

void Release(ArrowSchema* schema) {
  delete static_cast<Description*>(schema->private_data);
  schema->release = nullptr;
}

}  // namespace

void ExportSchema(const ArrowType& type, const ArrowMetadata& metadata,
                  ArrowSchema* out) {
  auto held = std::make_unique<Description>();
  held->name = type.name;
  held->metadata = Encode(metadata);
  held->children.resize(type.children.size());
  for (size_t i = 0; i < type.children.size(); ++i) {
    ExportSchema(type.children[i], {}, &held->children[i]);
    held->pointers.push_back(&held->children[i]);
  }
  if (type.kind == ArrowKind::kWord) {
    ExportSchema(ArrowType(ArrowKind::kUtf8), {}, &held->words);
  }
  *out = {.format = FormatOf(type.kind),
          .name = held->name.c_str(),
          .metadata = metadata.empty() ? nullptr : held->metadata.data(),
          .flags = type.nullable ? ARROW_FLAG_NULLABLE : 0,
          .n_children = static_cast<int64_t>(held->pointers.size()),
          .children = held->pointers.data(),
          .dictionary = type.kind == ArrowKind::kWord ? &held->words : nullptr,
          .release = &Release,
          .private_data = nullptr};
  out->private_data = held.release();
}

}  // namespace pt2triage
