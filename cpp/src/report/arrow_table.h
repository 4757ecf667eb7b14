// The tables that a report can be exported as.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "report/arrow_column.h"
#include "report/arrow_places.h"
#include "report/arrow_type.h"
#include "report/views.h"

namespace pt2triage {

// Rows that can be put into columns. Owns what it needs of the report;
// immutable once built, but for the forms that are asked for before reading.
class ArrowTable {
 public:
  virtual ~ArrowTable() = default;

  // A struct with a child for each column.
  const ArrowType& type() const { return type_; }
  virtual size_t rows() const = 0;
  virtual void Put(size_t row, ArrowColumn& to) const = 0;

  // Name and meaning of each column.
  const std::vector<std::pair<std::string_view, std::string_view>>& columns()
      const {
    return columns_;
  }

  // Has the words of a column as plain text.
  void UsePlainText(size_t column) {
    type_.children[column].kind = ArrowKind::kUtf8;
  }

 protected:
  ArrowType type_;
  std::vector<std::pair<std::string_view, std::string_view>> columns_;
};

std::unique_ptr<ArrowTable> MakeFindingsTable(std::vector<FindingView> rows);
std::unique_ptr<ArrowTable> MakeGuardFailuresTable(std::vector<GuardView> rows);
std::unique_ptr<ArrowTable> MakeSourcesTable(std::vector<SourceInfo> rows);
// Of a struct of trace.h.
template <typename Row>
std::unique_ptr<ArrowTable> MakeTraceTable(std::vector<Row> rows);

}  // namespace pt2triage
