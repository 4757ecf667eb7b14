// The JSON contract, written from the field tables of fields.h.
#include <concepts>
#include <type_traits>
#include <utility>

#include "pt2triage/report.h"
#include "report/fields.h"
#include "report/json_writer.h"
#include "report/source_name.h"
#include "report/words.h"

#ifndef PT2TRIAGE_VERSION
#error "PT2TRIAGE_VERSION is not defined; build with CMake"
#endif

namespace pt2triage {
namespace {

constexpr int64_t kSchemaVersion = 1;

// Writes values of the report; holds it to name the sources of evidence.
class ReportWriter {
 public:
  ReportWriter(const Report& report, int indent,
               JsonWriter::Sink sink = nullptr)
      : report_(report), json_(indent, std::move(sink)) {}

  std::string WriteReport() {
    json_.BeginObject();
    json_.Key("schema_version");
    json_.Signed(kSchemaVersion);
    json_.Key("tool");
    json_.BeginObject();
    json_.Key("name");
    json_.String("pt2triage");
    json_.Key("version");
    json_.String(PT2TRIAGE_VERSION);
    json_.EndObject();
    Fields(report_);
    json_.EndObject();
    return std::move(json_).Take();
  }

  std::string WriteFinding(const Finding& finding) {
    Value(finding);
    return std::move(json_).Take();
  }

 private:
  template <HasFields T>
  void Fields(const T& value) {
    ForEachField<T>([&](const auto& field) {
      json_.Key(field.name);
      const auto& member = value.*field.member;
      if (field.empty == Empty::kUnknown && IsEmpty(member)) {
        json_.Null();
      } else {
        Value(member);
      }
    });
  }

  template <typename T>
  static bool IsEmpty(const T& value) {
    return value == T{};
  }
  template <HasFields T>
  static bool IsEmpty(const T&) {
    return false;
  }
  template <typename T>
  static bool IsEmpty(const std::vector<T>&) {
    return false;
  }
  template <typename T>
  static bool IsEmpty(const std::optional<T>&) {
    return false;
  }

  void Value(bool value) { json_.Bool(value); }
  void Value(std::unsigned_integral auto value) { json_.Unsigned(value); }
  void Value(std::signed_integral auto value) { json_.Signed(value); }
  void Value(const std::string& value) { json_.String(value); }
  void Value(HasWords auto value) { Name(WordOf(value)); }

  template <typename T>
  void Value(const std::optional<T>& value) {
    value ? Value(*value) : json_.Null();
  }

  template <typename T>
  void Value(const std::vector<T>& values) {
    json_.BeginArray();
    for (const T& value : values) Value(value);
    json_.EndArray();
  }

  template <HasFields T>
  void Value(const T& value) {
    json_.BeginObject();
    Fields(value);
    json_.EndObject();
  }

  void Value(const Evidence& evidence) {
    json_.BeginObject();
    Place(evidence);
    json_.EndObject();
  }

  void Value(const Diagnostic& diagnostic) {
    json_.BeginObject();
    Place(diagnostic.at);
    json_.Key("kind");
    json_.String(diagnostic.kind);
    json_.Key("message");
    json_.String(diagnostic.message);
    json_.EndObject();
  }

  // The four keys of a place, with the source by name.
  void Place(const Evidence& evidence) {
    json_.Key("source");
    Value(SourceName(report_, evidence));
    json_.Key("line");
    json_.Unsigned(evidence.line);
    json_.Key("offset");
    json_.Unsigned(evidence.offset);
    json_.Key("length");
    json_.Unsigned(evidence.length);
  }

  // The word of an enum; its empty word means unknown.
  void Name(std::string_view name) {
    name.empty() ? json_.Null() : json_.String(name);
  }

  const Report& report_;
  JsonWriter json_;
};

}  // namespace

std::string ReportToJson(const Report& report, int indent) {
  return ReportWriter(report, indent).WriteReport();
}

void WriteReportJson(const Report& report, int indent,
                     const std::function<void(std::string_view)>& sink) {
  sink(ReportWriter(report, indent, sink).WriteReport());
}

std::string FindingToJson(const Report& report, const Finding& finding) {
  return ReportWriter(report, 0).WriteFinding(finding);
}

}  // namespace pt2triage
