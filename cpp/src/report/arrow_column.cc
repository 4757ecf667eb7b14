#include "report/arrow_column.h"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <utility>

#include "report/utf8.h"

namespace pt2triage {
namespace {

void PushBit(std::vector<uint8_t>& bits, int64_t at, bool value) {
  if (at % 8 == 0) bits.push_back(0);
  if (value) bits.back() |= static_cast<uint8_t>(1u << (at % 8));
}

bool HasOffsets(ArrowKind kind) {
  return kind == ArrowKind::kUtf8 || kind == ArrowKind::kList;
}

}  // namespace

// What an ArrowArray points to. A child may be taken away by its reader, who
// then sets its `release` to null.
struct ArrowColumn::Exported {
  explicit Exported(ArrowColumn&& taken) : column(std::move(taken)) {}
  Exported(const Exported&) = delete;
  Exported& operator=(const Exported&) = delete;
  ~Exported() {
    for (ArrowArray& child : children) {
      if (child.release != nullptr) child.release(&child);
    }
    if (words.release != nullptr) words.release(&words);
  }

  ArrowColumn column;
  std::array<const void*, 3> buffers{};
  std::vector<ArrowArray> children;
  std::vector<ArrowArray*> pointers;
  ArrowArray words{};
};

ArrowColumn::ArrowColumn(const ArrowType& type) : type_(&type) {
  if (HasOffsets(type.kind)) offsets_.push_back(0);
  children_.reserve(type.children.size());
  for (const ArrowType& child : type.children) children_.emplace_back(child);
}

void ArrowColumn::Push(bool valid) {
  PushBit(valid_, length_, valid);
  nulls_ += valid ? 0 : 1;
  ++length_;
}

void ArrowColumn::EndOffset(size_t end) {
  offsets_.push_back(static_cast<int32_t>(end));
}

void ArrowColumn::Null() {
  switch (type_->kind) {
    case ArrowKind::kUtf8:
      EndOffset(text_.size());
      break;
    case ArrowKind::kWord:
    case ArrowKind::kInt32:
      small_.push_back(0);
      break;
    case ArrowKind::kBool:
      PushBit(bits_, length_, false);
      break;
    case ArrowKind::kInt64:
      large_.push_back(0);
      break;
    case ArrowKind::kFloat64:
      floats_.push_back(0);
      break;
    case ArrowKind::kList:
      EndOffset(static_cast<size_t>(children_[0].length_));
      break;
    case ArrowKind::kStruct:
      for (ArrowColumn& column : children_) column.Null();
      break;
  }
  Push(false);
}

void ArrowColumn::Text(std::string_view text) {
  if (ValidUtf8Prefix(text) == text.size()) {
    text_.append(text);
  } else {
    text_.append(RepairUtf8(text));
  }
  EndOffset(text_.size());
  Push(true);
}

void ArrowColumn::Word(size_t index) {
  small_.push_back(static_cast<int32_t>(index));
  Push(true);
}

void ArrowColumn::Bool(bool value) {
  PushBit(bits_, length_, value);
  Push(true);
}

void ArrowColumn::Integer(int64_t value) {
  if (type_->kind == ArrowKind::kInt32) {
    small_.push_back(static_cast<int32_t>(value));
  } else {
    large_.push_back(value);
  }
  Push(true);
}

void ArrowColumn::Float(double value) {
  floats_.push_back(value);
  Push(true);
}

void ArrowColumn::EndList() {
  EndOffset(static_cast<size_t>(children_[0].length_));
  Push(true);
}

void ArrowColumn::EndStruct() { Push(true); }

size_t ArrowColumn::text_bytes() const {
  size_t sum = text_.size();
  for (const ArrowColumn& column : children_) sum += column.text_bytes();
  return sum;
}

bool ArrowColumn::overflows() const {
  return text_.size() > std::numeric_limits<int32_t>::max() ||
         length_ > std::numeric_limits<int32_t>::max() ||
         std::ranges::any_of(children_, &ArrowColumn::overflows);
}

const void* ArrowColumn::Values() const {
  switch (type_->kind) {
    case ArrowKind::kBool:
      return bits_.data();
    case ArrowKind::kInt64:
      return large_.data();
    case ArrowKind::kFloat64:
      return floats_.data();
    default:
      return small_.data();
  }
}

void ArrowColumn::Export(ArrowArray* out) && {
  auto held = std::make_unique<Exported>(std::move(*this));
  ArrowColumn& column = held->column;
  const ArrowType& type = *column.type_;
  held->children.resize(column.children_.size());
  for (size_t i = 0; i < held->children.size(); ++i) {
    std::move(column.children_[i]).Export(&held->children[i]);
    held->pointers.push_back(&held->children[i]);
  }
  if (type.kind == ArrowKind::kWord) {
    const ArrowType text(ArrowKind::kUtf8);
    ArrowColumn words(text);
    for (const std::string& word : type.words) words.Text(word);
    std::move(words).Export(&held->words);
  }
  int64_t buffers = 0;
  held->buffers[static_cast<size_t>(buffers++)] =
      column.nulls_ > 0 ? column.valid_.data() : nullptr;
  if (HasOffsets(type.kind)) {
    held->buffers[static_cast<size_t>(buffers++)] = column.offsets_.data();
  }
  if (type.kind == ArrowKind::kUtf8) {
    held->buffers[static_cast<size_t>(buffers++)] = column.text_.data();
  } else if (type.children.empty()) {
    held->buffers[static_cast<size_t>(buffers++)] = column.Values();
  }
  *out = {.length = column.length_,
          .null_count = column.nulls_,
          .offset = 0,
          .n_buffers = buffers,
          .n_children = static_cast<int64_t>(held->pointers.size()),
          .buffers = held->buffers.data(),
          .children = held->pointers.data(),
          .dictionary = type.kind == ArrowKind::kWord ? &held->words : nullptr,
          .release = &ArrowColumn::Release,
          .private_data = nullptr};
  out->private_data = held.release();
}

void ArrowColumn::Release(ArrowArray* array) {
  delete static_cast<Exported*>(array->private_data);
  array->release = nullptr;
}

}  // namespace pt2triage
