// Types and values of Arrow columns for the members of structs that have a
// table of fields.
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "pt2triage/finding.h"
#include "report/arrow_column.h"
#include "report/arrow_type.h"
#include "report/fields.h"
#include "report/views.h"
#include "report/words.h"

namespace pt2triage {

// TypeOf() of a null pointer to T is the type of a value within a column.
// Within lists and structs all may be null, so that readers see the types that
// they make themselves.
inline ArrowType TypeOf(const std::string*) {
  return ArrowType(ArrowKind::kUtf8);
}
inline ArrowType TypeOf(const bool*) { return ArrowType(ArrowKind::kBool); }
inline ArrowType TypeOf(const int32_t*) { return ArrowType(ArrowKind::kInt32); }
inline ArrowType TypeOf(const int64_t*) { return ArrowType(ArrowKind::kInt64); }
// Counts and offsets are signed, so that differences of columns are numbers.
inline ArrowType TypeOf(const uint64_t*) {
  return ArrowType(ArrowKind::kInt64);
}
inline ArrowType TypeOf(const double*) {
  return ArrowType(ArrowKind::kFloat64);
}
inline ArrowType TypeOf(const HasWords auto*) {
  return ArrowType(ArrowKind::kUtf8);
}
inline ArrowType TypeOf(const Evidence*);
template <HasFields T>
ArrowType TypeOf(const T*);

template <typename T>
ArrowType TypeOf(const std::optional<T>*) {
  return TypeOf(static_cast<const T*>(nullptr));
}

template <typename T>
ArrowType TypeOf(const std::vector<T>*) {
  ArrowType list(ArrowKind::kList);
  ArrowType& item =
      list.children.emplace_back(TypeOf(static_cast<const T*>(nullptr)));
  item.name = "item";
  item.nullable = true;
  return list;
}

template <HasFields T>
ArrowType TypeOf(const T*) {
  ArrowType type(ArrowKind::kStruct);
  ForEachField<T>([&]<typename Member>(const Field<T, Member>& field) {
    ArrowType& child =
        type.children.emplace_back(TypeOf(static_cast<const Member*>(nullptr)));
    child.name = field.name;
    child.nullable = true;
  });
  return type;
}

inline ArrowType TypeOf(const Evidence*) {
  return TypeOf(static_cast<const Place*>(nullptr));
}

template <typename T>
inline constexpr bool kIsOptional = false;
template <typename T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

// Whether the JSON has null for the value.
template <typename T, typename Member>
bool IsUnknown(const Member& member, const Field<T, Member>& field) {
  if constexpr (kIsOptional<Member>) {
    return !member.has_value();
  } else if constexpr (HasWords<Member>) {
    return WordOf(member).empty();
  } else if constexpr (std::equality_comparable<Member>) {
    return field.empty == Empty::kUnknown && member == Member{};
  } else {
    return false;
  }
}

// Puts values into columns; `report` names the sources of evidence.
class ArrowValues {
 public:
  explicit ArrowValues(const Report* report) : report_(report) {}

  void Put(const std::string& value, ArrowColumn& to) const { to.Text(value); }
  void Put(bool value, ArrowColumn& to) const { to.Bool(value); }
  void Put(std::integral auto value, ArrowColumn& to) const {
    to.Integer(static_cast<int64_t>(value));
  }
  void Put(double value, ArrowColumn& to) const { to.Float(value); }
  void Put(HasWords auto value, ArrowColumn& to) const {
    to.Text(WordOf(value));
  }
  void Put(const Evidence& value, ArrowColumn& to) const {
    Put(Place(*report_, value), to);
  }
  template <typename T>
  void Put(const std::optional<T>& value, ArrowColumn& to) const {
    value ? Put(*value, to) : to.Null();
  }
  template <typename T>
  void Put(const std::vector<T>& values, ArrowColumn& to) const {
    for (const T& value : values) Put(value, to.child(0));
    to.EndList();
  }
  template <HasFields T>
  void Put(const T& value, ArrowColumn& to) const {
    size_t column = 0;
    ForEachField<T>(
        [&](const auto& field) { PutField(value, field, to.child(column++)); });
    to.EndStruct();
  }
  template <typename T, typename Member>
  void PutField(const T& value, const Field<T, Member>& field,
                ArrowColumn& to) const {
    const Member& member = value.*field.member;
    IsUnknown(member, field) ? to.Null() : Put(member, to);
  }

 private:
  const Report* report_;
};

}  // namespace pt2triage
