// The members of a flat JSON object, for lines that are one.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pt2triage {

// Walks over the members of a JSON object that is a whole line. Values are
// borrowed as they are written: a string with its quotes, an array or object
// whole. Checks no more than it needs to find them. Not thread-safe.
class JsonMembers {
 public:
  explicit JsonMembers(std::string_view line);

  struct Member {
    std::string_view key;    // as written, without quotes
    std::string_view value;  // as written
  };
  // The next one; nullopt at the end, or where the object is broken.
  std::optional<Member> Next();
  // True if the object was read to its end, with nothing behind it.
  bool complete() const { return complete_; }

 private:
  std::string_view rest_;
  bool first_ = true;
  bool broken_ = false;
  bool complete_ = false;
};

// Appends what a JSON string, with its quotes, says. False if it is none.
bool AppendJsonString(std::string_view value, std::string* out);
// Appends the bytes of an array of numbers below 256. False if it is none.
bool AppendJsonBytes(std::string_view value, std::string* out);

}  // namespace pt2triage
