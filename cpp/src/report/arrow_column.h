// Builds the values of a column in the layout of Arrow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "report/arrow_abi.h"
#include "report/arrow_type.h"

namespace pt2triage {

// A column that grows by one value at a time; the caller knows its kind. Owns
// its buffers until Export() hands them over without a copy. Not thread-safe;
// linear in the values.
class ArrowColumn {
 public:
  // `type` is to outlive the column.
  explicit ArrowColumn(const ArrowType& type);

  void Null();
  void Text(std::string_view text);  // any bytes; repaired where not UTF-8
  void Word(size_t index);
  void Bool(bool value);
  void Integer(int64_t value);
  void Float(double value);
  // The values put into the child since the last call are one list.
  void EndList();
  // One value was put into each child.
  void EndStruct();

  ArrowColumn& child(size_t i) { return children_[i]; }
  const ArrowType& type() const { return *type_; }
  int64_t length() const { return length_; }
  // Bytes of text in it and its children.
  size_t text_bytes() const;
  // Whether the text is longer than offsets of 32 bits can say.
  bool overflows() const;

  // Moves the values into `out`, which owns them. Throws nothing but
  // std::bad_alloc, and then leaves `out` as it is.
  void Export(ArrowArray* out) &&;

 private:
  struct Exported;

  static void Release(ArrowArray* array);
  void Push(bool valid);
  void EndOffset(size_t end);
  const void* Values() const;

  const ArrowType* type_;
  int64_t length_ = 0;
  int64_t nulls_ = 0;
  std::vector<uint8_t> valid_;    // bits, least significant first
  std::vector<int32_t> offsets_;  // of text and lists
  std::string text_;
  std::vector<uint8_t> bits_;
  std::vector<int32_t> small_;
  std::vector<int64_t> large_;
  std::vector<double> floats_;
  std::vector<ArrowColumn> children_;
};

}  // namespace pt2triage
