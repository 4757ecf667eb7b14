// Writes JSON text, value by value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pt2triage {

// A plain JSON printer: the caller says what comes, the writer puts commas,
// newlines and escapes. Strings may hold any bytes; the output is always
// well-formed UTF-8. Not thread-safe; linear in the output.
class JsonWriter {
 public:
  // `indent` 0 or less writes one line without spaces at the line ends.
  explicit JsonWriter(int indent) : indent_(indent > 0 ? indent : 0) {}

  void BeginObject() { Open('{'); }
  void EndObject() { Close('}'); }
  void BeginArray() { Open('['); }
  void EndArray() { Close(']'); }
  void Key(std::string_view name);

  void String(std::string_view text);
  void Unsigned(uint64_t number);
  void Signed(int64_t number);
  void Bool(bool value);
  void Null();

  std::string Take() && { return std::move(out_); }

 private:
  void Open(char bracket);
  void Close(char bracket);
  // Separates this value from the one before it.
  void BeforeValue();
  void NewLine();
  void Quoted(std::string_view text);

  int indent_;
  bool after_key_ = false;
  std::vector<bool> has_items_;  // per open bracket
  std::string out_;
};

}  // namespace pt2triage
