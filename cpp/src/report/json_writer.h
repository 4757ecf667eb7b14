// Writes JSON text, value by value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pt2triage {

// A plain JSON printer: the caller says what comes, the writer puts commas,
// newlines and escapes. Strings may hold any bytes; the output is always
// well-formed UTF-8. Not thread-safe; linear in the output.
class JsonWriter {
 public:
  // Takes a piece of the text, cut between characters.
  using Sink = std::function<void(std::string_view)>;
  // Pieces are at least this long, but for the last one.
  static constexpr size_t kPiece = size_t{64} << 10;

  // `indent` 0 or less writes one line without spaces at the line ends. With a
  // `sink` the text goes there piece by piece, without one it is kept.
  explicit JsonWriter(int indent, Sink sink = nullptr)
      : indent_(indent > 0 ? indent : 0), sink_(std::move(sink)) {}

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

  // What did not go to the sink.
  std::string Take() && { return std::move(out_); }

 private:
  void Open(char bracket);
  void Close(char bracket);
  // Separates this value from the one before it.
  void BeforeValue();
  void NewLine();
  void Quoted(std::string_view text);

  int indent_;
  Sink sink_;
  bool after_key_ = false;
  std::vector<bool> has_items_;  // per open bracket
  std::string out_;
};

}  // namespace pt2triage
