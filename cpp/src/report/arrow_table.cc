#include "report/arrow_table.h"

#include <optional>
#include <string>
#include <tuple>
#include <type_traits>

#include "base/hash.h"
#include "report/arrow_values.h"
#include "report/trace_fields.h"
#include "report/utf8.h"

namespace pt2triage {
namespace {

// The structs whose fields are the columns of a row, and its report.
std::tuple<const Finding&, FindingPlace> PartsOf(const FindingView& row) {
  return {row.finding(), PlaceOf(row)};
}
std::tuple<const GuardFailure&, GuardPlace> PartsOf(const GuardView& row) {
  return {row.guard(), PlaceOf(row)};
}
template <HasFields Row>
std::tuple<const Row&> PartsOf(const Row& row) {
  return {row};
}

const Report* ReportOf(const FindingView& row) { return row.report.get(); }
const Report* ReportOf(const GuardView& row) { return row.view.report.get(); }
template <HasFields Row>
const Report* ReportOf(const Row&) {
  return nullptr;
}

// Calls `visit` with each field of the structs of a tuple type.
template <typename Parts, typename Visitor>
void ForEachColumn(Visitor&& visit) {
  [&]<typename... Part>(std::type_identity<std::tuple<Part...>>) {
    (ForEachField<std::remove_cvref_t<Part>>(visit), ...);
  }(std::type_identity<Parts>{});
}

// The words of an enum, without the one that means unknown.
template <HasWords T>
std::vector<std::string> AllWords() {
  std::vector<std::string> words;
  for (int i = 0; i <= static_cast<int>(LastOf(T{})); ++i) {
    const std::string_view word = WordOf(static_cast<T>(i));
    if (!word.empty()) words.emplace_back(word);
  }
  return words;
}

template <HasWords T>
size_t IndexOf(T value) {
  return static_cast<size_t>(value) - (WordOf(T{}).empty() ? 1 : 0);
}

// Texts of a column of few, in the order in which they come first.
class WordList {
 public:
  size_t Add(const std::string& text) {
    const auto [place, is_new] = index_.try_emplace(text, words_.size());
    if (is_new) words_.push_back(RepairUtf8(text));
    return place->second;
  }
  size_t IndexOf(const std::string& text) const {
    return index_.find(text)->second;
  }
  std::vector<std::string> Take() { return std::move(words_); }

 private:
  FlatMap<std::string, size_t> index_;
  std::vector<std::string> words_;
};

const std::string* TextOf(const std::string& text) { return &text; }
const std::string* TextOf(const std::optional<std::string>& text) {
  return text ? &*text : nullptr;
}

template <typename Member>
inline constexpr bool kIsText = requires(const Member& m) { TextOf(m); };

template <typename Row>
class Table final : public ArrowTable {
 public:
  explicit Table(std::vector<Row> rows) : rows_(std::move(rows)) {
    ForEachColumn<Parts>([this](const auto& field) { AddColumn(field); });
    for (const Row& row : rows_) FindWords(row);
    for (size_t i = 0; i < words_.size(); ++i) {
      if (words_[i]) type_.children[i].words = words_[i]->Take();
    }
  }

  size_t rows() const override { return rows_.size(); }

  void Put(size_t row, ArrowColumn& to) const override {
    const ArrowValues values(ReportOf(rows_[row]));
    ForEachValue(rows_[row],
                 [&](const auto& part, const auto& field, size_t i) {
                   if (!PutWord(part.*field.member, i, to.child(i))) {
                     values.PutField(part, field, to.child(i));
                   }
                 });
    to.EndStruct();
  }

 private:
  using Parts = decltype(PartsOf(std::declval<const Row&>()));

  template <typename T, typename Member>
  void AddColumn(const Field<T, Member>& field) {
    ArrowType type = TypeOf(static_cast<const Member*>(nullptr));
    type.name = field.name;
    type.nullable = CanBeNull(field);
    auto& words = words_.emplace_back();
    if constexpr (HasWords<Member>) {
      type.kind = ArrowKind::kWord;
      type.words = AllWords<Member>();
    } else if (field.values == Values::kFew) {
      type.kind = ArrowKind::kWord;
      words.emplace();
    }
    type_.children.push_back(std::move(type));
    columns_.emplace_back(field.name, field.doc);
  }

  template <typename T, typename Member>
  static bool CanBeNull(const Field<T, Member>& field) {
    if constexpr (HasWords<Member>) {
      // A finding has a category; Category::kNone is of reports.
      return !std::is_same_v<Member, Category> && WordOf(Member{}).empty();
    } else {
      return kIsOptional<Member> || field.empty == Empty::kUnknown;
    }
  }

  // Calls `visit` with struct, field and column of each value of a row.
  template <typename Visitor>
  static void ForEachValue(const Row& row, Visitor&& visit) {
    size_t column = 0;
    const auto fields_of = [&]<typename Part>(const Part& part) {
      ForEachField<Part>(
          [&](const auto& field) { visit(part, field, column++); });
    };
    std::apply([&](const auto&... part) { (fields_of(part), ...); },
               PartsOf(row));
  }

  void FindWords(const Row& row) {
    ForEachValue(row, [this](const auto& part, const auto& field, size_t i) {
      const auto& member = part.*field.member;
      if constexpr (kIsText<std::remove_cvref_t<decltype(member)>>) {
        const std::string* text = words_[i] ? TextOf(member) : nullptr;
        if (text != nullptr) words_[i]->Add(*text);
      }
    });
  }

  // Whether the value is a word, which is then put into `to`.
  template <typename Member>
  bool PutWord(const Member& member, size_t i, ArrowColumn& to) const {
    if (type_.children[i].kind != ArrowKind::kWord) return false;
    if constexpr (HasWords<Member>) {
      if (WordOf(member).empty()) return false;
      to.Word(IndexOf(member));
      return true;
    } else if constexpr (kIsText<Member>) {
      const std::string* text = TextOf(member);
      if (text == nullptr) return false;
      to.Word(words_[i]->IndexOf(*text));
      return true;
    } else {
      return false;
    }
  }

  const std::vector<Row> rows_;
  std::vector<std::optional<WordList>> words_;  // of columns of few texts
};

}  // namespace

std::unique_ptr<ArrowTable> MakeFindingsTable(std::vector<FindingView> rows) {
  return std::make_unique<Table<FindingView>>(std::move(rows));
}

std::unique_ptr<ArrowTable> MakeGuardFailuresTable(
    std::vector<GuardView> rows) {
  return std::make_unique<Table<GuardView>>(std::move(rows));
}

std::unique_ptr<ArrowTable> MakeSourcesTable(std::vector<SourceInfo> rows) {
  return std::make_unique<Table<SourceInfo>>(std::move(rows));
}

template <typename Row>
std::unique_ptr<ArrowTable> MakeTraceTable(std::vector<Row> rows) {
  return std::make_unique<Table<Row>>(std::move(rows));
}

template std::unique_ptr<ArrowTable> MakeTraceTable(std::vector<ProcessRow>);
template std::unique_ptr<ArrowTable> MakeTraceTable(std::vector<CompileRow>);
template std::unique_ptr<ArrowTable> MakeTraceTable(std::vector<BreakRow>);
template std::unique_ptr<ArrowTable> MakeTraceTable(std::vector<RecompileRow>);
template std::unique_ptr<ArrowTable> MakeTraceTable(std::vector<CacheRow>);
template std::unique_ptr<ArrowTable> MakeTraceTable(std::vector<MetricRow>);
template std::unique_ptr<ArrowTable> MakeTraceTable(std::vector<SymbolRow>);
template std::unique_ptr<ArrowTable> MakeTraceTable(std::vector<CollectiveRow>);
template std::unique_ptr<ArrowTable> MakeTraceTable(std::vector<ArtifactRow>);
template std::unique_ptr<ArrowTable> MakeTraceTable(std::vector<KindRow>);

}  // namespace pt2triage
