#include "report/json_writer.h"

#include <array>
#include <charconv>
#include <cstddef>

#include "report/utf8.h"

namespace pt2triage {
namespace {

// Appends `text`, which is well-formed UTF-8, with JSON's escapes.
void AppendEscaped(std::string_view text, std::string& out) {
  static constexpr char kHex[] = "0123456789abcdef";
  size_t plain = 0;  // start of the run that needs no escape
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte >= 0x20 && byte != '"' && byte != '\\') continue;
    out.append(text.substr(plain, i - plain));
    plain = i + 1;
    switch (byte) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        out += "\\u00";
        out += kHex[byte >> 4];
        out += kHex[byte & 15];
    }
  }
  out.append(text.substr(plain));
}

template <typename Integer>
void AppendNumber(Integer number, std::string& out) {
  std::array<char, 24> digits;
  const auto result =
      std::to_chars(digits.data(), digits.data() + digits.size(), number);
  out.append(digits.data(), result.ptr);
}

}  // namespace

void JsonWriter::Key(std::string_view name) {
  BeforeValue();
  Quoted(name);
  out_ += indent_ > 0 ? ": " : ":";
  after_key_ = true;
}

void JsonWriter::String(std::string_view text) {
  BeforeValue();
  Quoted(text);
}

void JsonWriter::Unsigned(uint64_t number) {
  BeforeValue();
  AppendNumber(number, out_);
}

void JsonWriter::Signed(int64_t number) {
  BeforeValue();
  AppendNumber(number, out_);
}

void JsonWriter::Bool(bool value) {
  BeforeValue();
  out_ += value ? "true" : "false";
}

void JsonWriter::Null() {
  BeforeValue();
  out_ += "null";
}

void JsonWriter::Open(char bracket) {
  BeforeValue();
  out_ += bracket;
  has_items_.push_back(false);
}

void JsonWriter::Close(char bracket) {
  const bool had_items = has_items_.back();
  has_items_.pop_back();
  if (had_items) NewLine();
  out_ += bracket;
}

void JsonWriter::BeforeValue() {
  if (sink_ && out_.size() >= kPiece) {
    sink_(out_);
    out_.clear();
  }
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (has_items_.empty()) return;
  if (has_items_.back()) out_ += ',';
  has_items_.back() = true;
  NewLine();
}

void JsonWriter::NewLine() {
  if (indent_ == 0) return;
  out_ += '\n';
  out_.append(has_items_.size() * static_cast<size_t>(indent_), ' ');
}

void JsonWriter::Quoted(std::string_view text) {
  out_ += '"';
  if (ValidUtf8Prefix(text) == text.size()) {
    AppendEscaped(text, out_);
  } else {
    AppendEscaped(RepairUtf8(text), out_);
  }
  out_ += '"';
}

}  // namespace pt2triage
