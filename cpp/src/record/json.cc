#include "record/json.h"

#include <algorithm>
#include <charconv>
#include <new>

#include "base/utf8.h"

namespace pt2triage {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD
constexpr size_t kUsualSize = size_t{256} * 1024;

// The four hex digits at the start of `text`.
std::optional<uint32_t> ReadHex4(std::string_view text) {
  uint32_t code = 0;
  text = text.substr(0, 4);
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), code, 16);
  const bool all = end == text.data() + text.size();
  if (text.size() < 4 || error != std::errc() || !all) return std::nullopt;
  return code;
}

// Decodes what follows `\u`; returns how many bytes of it were used.
size_t DecodeUnicode(std::string_view text, std::string* out) {
  const std::optional<uint32_t> first = ReadHex4(text);
  if (!first) {
    out->append(kReplacement);
    return 0;
  }
  const bool high = *first >= 0xD800 && *first < 0xDC00;
  if (high && text.substr(4).starts_with("\\u")) {
    const std::optional<uint32_t> second = ReadHex4(text.substr(6));
    if (second && *second >= 0xDC00 && *second < 0xE000) {
      AppendUtf8(0x10000 + ((*first - 0xD800) << 10U) + (*second - 0xDC00),
                 out);
      return 10;
    }
  }
  if (*first >= 0xD800 && *first < 0xE000) {
    out->append(kReplacement);
  } else {
    AppendUtf8(*first, out);
  }
  return 4;
}

char DecodeSimpleEscape(char c) {
  switch (c) {
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return c;
  }
}

// Length of the UTF-8 sequence at the start of `text`, 0 if it is not one.
size_t Utf8Length(std::string_view text) {
  const auto lead = static_cast<uint8_t>(text[0]);
  const size_t length = lead < 0x80   ? 1
                        : lead < 0xC2 ? 0
                        : lead < 0xE0 ? 2
                        : lead < 0xF0 ? 3
                        : lead < 0xF5 ? 4
                                      : 0;
  if (length == 0 || text.size() < length) return 0;
  const std::string_view sequence = text.substr(0, length);
  return simdjson::validate_utf8(sequence.data(), sequence.size()) ? length : 0;
}

}  // namespace

bool JsonParser::Iterate(std::string_view text) {
  const simdjson::error_code error =
      parser_
          .iterate(simdjson::padded_string_view(text.data(), text.size(),
                                                text.size() + kJsonPadding))
          .get(document_);
  if (error == simdjson::MEMALLOC)
    throw std::bad_alloc();  // no fault of the text
  return error == simdjson::SUCCESS;
}

std::optional<JsonObject> JsonParser::ParseObject(std::string_view text) {
  JsonObject object;
  if (!Iterate(text) || document_.get_object().get(object)) return std::nullopt;
  return object;
}

void JsonParser::Shrink() {
  if (parser_.capacity() <= kUsualSize) return;
  document_ = simdjson::ondemand::document();
  parser_ = simdjson::ondemand::parser();
}

void PaddedText::Assign(std::string_view text) {
  const size_t needed = text.size() + kJsonPadding;
  if (buffer_.size() < needed) {
    buffer_.clear();  // nothing to copy when it grows
    buffer_.resize(std::max(needed, size_t{512}));
  }
  std::copy(text.begin(), text.end(), buffer_.begin());
  std::fill_n(buffer_.begin() + static_cast<ptrdiff_t>(text.size()),
              kJsonPadding, '\0');
  size_ = text.size();
}

void PaddedText::Shrink() {
  if (buffer_.size() <= kUsualSize) return;
  std::string().swap(buffer_);  // an assignment would keep the buffer
  size_ = 0;
}

std::optional<std::string> ReadString(JsonValue value) {
  simdjson::ondemand::json_type type;
  if (value.type().get(type) || type != simdjson::ondemand::json_type::string) {
    return std::nullopt;
  }
  return DecodeJsonString(value.raw_json_token());
}

std::optional<int64_t> ReadInt(JsonValue value) {
  int64_t number;
  if (value.get_int64().get(number)) return std::nullopt;
  return number;
}

std::optional<bool> ReadBool(JsonValue value) {
  bool flag;
  if (value.get_bool().get(flag)) return std::nullopt;
  return flag;
}

std::string_view RawJson(JsonValue value) {
  using simdjson::ondemand::json_type;
  json_type type;
  if (value.type().get(type)) return {};
  std::string_view raw;
  if (type == json_type::object) {
    JsonObject object;
    if (value.get_object().get(object) || object.raw_json().get(raw)) return {};
  } else if (type == json_type::array) {
    simdjson::ondemand::array array;
    if (value.get_array().get(array) || array.raw_json().get(raw)) return {};
  } else {
    raw = value.raw_json_token();
  }
  const size_t last = raw.find_last_not_of(" \t\r\n");
  return raw.substr(0, last == raw.npos ? 0 : last + 1);
}

std::string DecodeJsonString(std::string_view token) {
  std::string out;
  if (token.starts_with('"')) token.remove_prefix(1);
  while (!token.empty() && token[0] != '"') {
    const size_t plain = std::min(token.find_first_of("\"\\"), token.size());
    out.append(token.substr(0, plain));
    token.remove_prefix(plain);
    if (token.size() < 2 || token[0] != '\\') break;
    const char escape = token[1];
    token.remove_prefix(2);
    if (escape == 'u') {
      token.remove_prefix(DecodeUnicode(token, &out));
    } else {
      out.push_back(DecodeSimpleEscape(escape));
    }
  }
  return out;
}

std::string RepairJson(std::string_view text) {
  std::string out;
  std::string open;  // the closing brackets that are still owed
  bool in_string = false;
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    const size_t length = Utf8Length(text.substr(i));
    const bool control = static_cast<uint8_t>(c) < 0x20;
    if (length == 0 || (control && in_string)) {
      out.append(kReplacement);
    } else if (control) {
      out.push_back(' ');
    } else if (in_string && c == '\\') {
      const bool whole = i + 1 < text.size() && text[i + 1] >= 0x20;
      if (whole) out.append(text.substr(i, 2));
      i += whole ? 1 : 0;  // what is escaped cannot end the string
    } else {
      out.append(text.substr(i, length));
      if (c == '"') in_string = !in_string;
      if (!in_string && c == '{') open.push_back('}');
      if (!in_string && c == '[') open.push_back(']');
      if (!in_string && !open.empty() && c == open.back()) {
        open.pop_back();
        if (open.empty()) return out;
      }
    }
    i += std::max<size_t>(length, 1);
  }
  if (in_string) out.push_back('"');
  out.append(open.rbegin(), open.rend());
  return out;
}

}  // namespace pt2triage
