#include "triage/fingerprint.h"

#include <cstdint>
#include <cstdio>

#include "base/strings.h"

namespace pt2triage {
namespace {

bool IsPathChar(char c) {
  return IsWord(c) || c == '/' || c == '\\' || c == '.' || c == '-' ||
         c == '+' || c == '~';
}
bool IsHex(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f'); }

// A path's last component, without the hash of a generated file.
std::string_view ShortPath(std::string_view path) {
  std::string_view base = BaseName(path);
  if (Contains(path, "torchinductor_") || path.starts_with("/tmp/")) {
    return "<generated>";
  }
  return base;
}

// 64-bit FNV-1a: small, stable over platforms and versions.
class Hash {
 public:
  void Add(std::string_view text) {
    for (char c : text) Byte(static_cast<unsigned char>(c));
    Byte(0);
  }
  uint64_t value() const { return value_; }

 private:
  void Byte(unsigned char c) {
    value_ ^= c;
    value_ *= 1099511628211ull;
  }
  uint64_t value_ = 14695981039346656037ull;
};

// The part of a message that names the failure: its first line, and the next
// one where the first only announces it.
std::string_view Head(std::string_view message) {
  size_t end = message.find('\n');
  std::string_view first = TrimRight(message.substr(0, end));
  if (end != std::string_view::npos && first.ends_with(":")) {
    end = message.find('\n', end + 1);
    first = message.substr(0, end);
  }
  return first.substr(0, 2000);
}

}  // namespace

std::string NormaliseText(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    char c = text[i];
    bool drive = i + 2 < text.size() && text[i + 1] == ':' &&
                 (text[i + 2] == '\\' || text[i + 2] == '/') && IsWordStart(c);
    bool path = drive || ((c == '/' || c == '~') && i + 1 < text.size() &&
                          IsPathChar(text[i + 1]));
    if (path && (i == 0 || !IsWord(text[i - 1]))) {
      size_t end = i + (drive ? 2 : 0);
      while (end < text.size() && IsPathChar(text[end])) ++end;
      out.append(ShortPath(text.substr(i, end - i)));
      i = end;
      while (i + 1 < text.size() && text[i] == ':' && IsDigit(text[i + 1])) {
        for (++i; i < text.size() && IsDigit(text[i]);) ++i;  // line, column
      }
    } else if (text.substr(i).starts_with("0x")) {
      i += 2;
      while (i < text.size() && IsHex(text[i])) ++i;
      out += "0x";
    } else if (IsDigit(c) && (i == 0 || !IsWord(text[i - 1]))) {
      size_t end = i;
      while (end < text.size() && IsDigit(text[end])) ++end;
      // Long numbers are ids; line numbers follow the word or a file name.
      bool line = out.ends_with(" line ") || out.ends_with(".py:");
      if (end - i >= 6 || line)
        out += '#';
      else
        out.append(text.substr(i, end - i));
      i = end;
    } else {
      out += c;
      ++i;
    }
  }
  return out;
}

std::string FingerprintOf(const Finding& finding) {
  Hash hash;
  hash.Add(CategoryName(finding.category));
  hash.Add(finding.cause);
  hash.Add(AfterLast(finding.exception.value_or(""), '.'));
  if (finding.category == Category::kRecompilation && !finding.exception) {
    hash.Add("");  // one function with one cause is one finding
  } else if (finding.reason) {
    hash.Add(NormaliseText(Head(*finding.reason)));
  } else {
    hash.Add(NormaliseText(Head(finding.message.value_or(""))));
  }
  if (finding.user_frame) {
    hash.Add(BaseName(finding.user_frame->file));
    hash.Add(finding.user_frame->function);
  }
  char text[16];
  std::snprintf(text, sizeof(text), "%012llx",
                static_cast<unsigned long long>(hash.value() >> 16));
  return text;
}

}  // namespace pt2triage
