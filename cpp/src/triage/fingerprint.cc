#include "triage/fingerprint.h"

#include <cstdint>
#include <cstdio>

#include "base/strings.h"
#include "triage/normal_forms.h"

namespace pt2triage {
namespace {

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

// The next line with a word in it, without what stands before it.
std::string_view NextWords(std::string_view* rest) {
  while (!rest->empty()) {
    std::string_view line = Trim(NextLine(rest));
    if (!line.empty()) return line;
  }
  return {};
}

// The part of a message that names the failure: its first line, and what that
// line only announces: the next line, the first constraint, the compiler's
// first error.
std::string Head(std::string_view message) {
  std::string_view rest = message.substr(0, 8000);
  std::string head(TrimRight(NextLine(&rest)).substr(0, 2000));
  std::string_view more;
  if (head.ends_with(':') || Contains(head, "Constraints violated")) {
    more = NextWords(&rest);
  } else if (head.ends_with("C++ compile error")) {
    do more = NextWords(&rest);
    while (!more.empty() && !Contains(more, "error:"));
  }
  if (!more.empty()) head.append("\n").append(more.substr(0, 2000));
  return head;
}

}  // namespace

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
  // A worker's message only announces what was raised there.
  const std::vector<ChainLink>& chain = finding.exception_chain;
  if (chain.size() > 1 &&
      Contains(finding.message.value_or(""), "in a subprocess:")) {
    hash.Add(AfterLast(chain.back().type, '.'));
    hash.Add(NormaliseText(Head(chain.back().message)));
  }
  const bool placed = !finding.exception && finding.user_frame;
  if (!placed && !finding.guard_failures.empty()) {
    const GuardFailure& guard = finding.guard_failures.front();
    hash.Add(NormaliseText(guard.source.value_or(guard.guard)));
  }
  if (finding.user_frame) {
    hash.Add(NormaliseText(BaseName(finding.user_frame->file)));
    hash.Add(finding.user_frame->function);
  }
  char text[16];
  std::snprintf(text, sizeof(text), "%012llx",
                static_cast<unsigned long long>(hash.value() >> 16));
  return text;
}

}  // namespace pt2triage
