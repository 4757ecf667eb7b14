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
bool IsHex(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

// Where the path at `begin` ends, `begin` if none is there: from a root or a
// drive on, or folders and a file name, or the name of a Python file.
size_t PathEnd(std::string_view text, size_t begin) {
  if (begin > 0 && IsPathChar(text[begin - 1])) return begin;
  char c = text[begin];
  bool drive = begin + 2 < text.size() && text[begin + 1] == ':' &&
               (text[begin + 2] == '\\' || text[begin + 2] == '/') &&
               IsWordStart(c);
  size_t end = begin + (drive ? 2 : 0);
  while (end < text.size() && IsPathChar(text[end])) ++end;
  while (end > begin && text[end - 1] == '.') --end;
  if (drive || ((c == '/' || c == '~') && end > begin + 1)) return end;
  std::string_view path = text.substr(begin, end - begin);
  size_t slash = path.rfind('/');
  size_t dot = path.rfind('.');
  bool file =
      path.ends_with(".py") || (slash != std::string_view::npos &&
                                dot != std::string_view::npos && dot > slash);
  return file ? end : begin;
}

// The numbers that follow are ids or places, however short they are.
bool AnnouncesId(std::string_view text) {
  constexpr std::string_view kHeads[] = {" line ",    "pid ",    "pid=",
                                         "pid: ",     "pid(s) ", "block: [",
                                         "thread: [", " id: ["};
  for (std::string_view head : kHeads) {
    if (text.ends_with(head)) return true;
  }
  return false;
}

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
    size_t end = PathEnd(text, i);
    if (end > i) {
      out.append(ShortPath(text.substr(i, end - i)));
      i = end;
      while (i + 1 < text.size() && text[i] == ':' && IsDigit(text[i + 1])) {
        for (++i; i < text.size() && IsDigit(text[i]);) ++i;  // line, column
      }
    } else if (text.substr(i).starts_with("0x")) {
      i += 2;
      while (i < text.size() && IsHex(text[i])) ++i;
      out += "0x";
    } else if (IsDigit(text[i]) && (i == 0 || !IsWord(text[i - 1]))) {
      bool id = AnnouncesId(out);
      bool several = id && out.back() == '[';  // [3,0,0]
      end = i;
      while (end < text.size() &&
             (IsDigit(text[end]) || (several && text[end] == ','))) {
        ++end;
      }
      if (end - i >= 6 || id)
        out += '#';
      else
        out.append(text.substr(i, end - i));
      i = end;
    } else {
      out += text[i++];
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
