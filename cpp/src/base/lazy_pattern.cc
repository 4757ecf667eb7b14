#include "base/lazy_pattern.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/piece.h"

namespace pt2triage {
namespace {

// Any of these; empty: not known.
using Texts = std::vector<std::string>;

// A longer text is rarer; of several the shortest decides.
size_t Worth(const Texts& texts) {
  size_t worth = texts.empty() ? 0 : texts.front().size();
  for (const std::string& text : texts) worth = std::min(worth, text.size());
  return worth;
}

// Walks over a pattern. What it does not know it takes for something that may
// be anything, so a text can come out too short but never wrong.
class LiteralFinder {
 public:
  explicit LiteralFinder(std::string_view pattern) : left_(pattern) {}

  Texts Find() {
    Texts found = Alternatives();
    return sure_ ? std::move(found) : Texts();
  }

 private:
  // Up to the end or a closing bracket.
  Texts Alternatives() {
    Texts all;
    bool known = true;
    while (true) {
      Texts one = Sequence();
      known = known && !one.empty();
      std::move(one.begin(), one.end(), std::back_inserter(all));
      if (!left_.starts_with("|")) break;
      Take();
    }
    return known ? std::move(all) : Texts();
  }

  // Up to the next alternative.
  Texts Sequence() {
    Texts best;
    std::string run;
    const auto offer = [&](Texts texts) {
      if (Worth(texts) > Worth(best)) best = std::move(texts);
    };
    const auto end_run = [&] {
      if (!run.empty()) offer({std::exchange(run, "")});
    };
    while (!left_.empty() && left_.front() != ')' && left_.front() != '|') {
      const char c = Take();
      if (c == '(') {
        end_run();
        Texts group = Group();
        if (!SkipQuantifier()) offer(std::move(group));
        continue;
      }
      char literal = 0;
      if (c == '\\') {
        if (!left_.empty() && !IsWord(left_.front())) {
          literal = Take();
        } else {
          SkipEscape();
        }
      } else if (c == '[') {
        SkipClass();
      } else if (c != '.' && c != '^' && c != '$') {
        literal = c;
      }
      const bool more = left_.starts_with("+");
      const bool optional = SkipQuantifier();
      if (literal != 0 && !optional) run += literal;
      if (literal == 0 || optional || more) end_run();
    }
    end_run();
    return best;
  }

  Texts Group() {
    if (left_.starts_with("?:") || left_.starts_with("?P<")) {
      left_.remove_prefix(left_.find_first_of(":>") + 1);
    } else if (left_.starts_with("?")) {
      sure_ = false;  // flags
      return {};
    }
    Texts found = Alternatives();
    if (!left_.empty()) Take();
    return found;
  }

  // Whether what stands before may be missing.
  bool SkipQuantifier() {
    bool optional = false;
    while (!left_.empty()) {
      const char c = left_.front();
      if (c == '{') {
        optional = true;
        if (left_.size() < 2 || !IsDigit(left_[1])) sure_ = false;  // no count
        left_.remove_prefix(std::min(left_.find('}'), left_.size() - 1));
      } else if (c == '*' || c == '?') {
        optional = true;
      } else if (c != '+') {
        break;
      }
      left_.remove_prefix(1);
    }
    return optional;
  }

  void SkipEscape() {
    if (left_.empty()) return;
    const char c = Take();
    // \x{10FFFF}, \pN, \Q...: not used; without a literal nothing goes wrong.
    if (c == 'x' || c == 'p' || c == 'P' || c == 'Q' || IsDigit(c)) {
      sure_ = false;
    }
  }

  void SkipClass() {
    if (left_.starts_with("^")) Take();
    if (left_.starts_with("]")) Take();
    while (!left_.empty()) {
      const char c = Take();
      if (c == ']') return;
      if (c == '\\' && !left_.empty()) Take();
      if (c == '[') sure_ = sure_ && !left_.starts_with(":");
    }
  }

  static bool IsDigit(char c) { return c >= '0' && c <= '9'; }
  static bool IsWord(char c) {
    return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  }

  char Take() {
    const char c = left_.front();
    left_.remove_prefix(1);
    return c;
  }

  std::string_view left_;
  bool sure_ = true;
};

}  // namespace

std::vector<std::string> RequiredTexts(std::string_view pattern) {
  return LiteralFinder(pattern).Find();
}

bool LazyPattern::MayMatch(std::string_view text) const {
  return texts_.empty() || std::ranges::any_of(texts_, [&](const auto& one) {
           return text.find(one) != std::string_view::npos;
         });
}

const re2::RE2& LazyPattern::operator*() const {
  std::call_once(once_, [this] {
    compiled_ = std::make_unique<re2::RE2>(ToPiece(pattern_));
  });
  return *compiled_;
}

}  // namespace pt2triage
