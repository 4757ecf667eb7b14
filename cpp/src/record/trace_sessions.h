// Which run of which process a trace record belongs to.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "record/intern_table.h"

namespace pt2triage {

// The sessions of one source, with an intern table each. A file usually holds
// one; concatenated files and forked children that share a descriptor make
// more. A session begins with a new process number, or when ids are handed out
// from 0 again. A process that never defined id 0 was forked, so it inherits
// the strings of the session before it. Tables together stay within
// InternTable::kMaxBytes, and sessions within kMaxSessions: those unused for
// longest are forgotten. Not thread-safe. Cost: a string compare per record.
class TraceSessions {
 public:
  static constexpr size_t kMaxSessions = 64;

  // Makes the session of `process` the current one and returns its number.
  uint32_t Enter(std::string_view process);
  // Takes a `str` record of the current session; returns its number, which is
  // new if the ids start again. False in *stored if there was no room.
  uint32_t Intern(int64_t id, std::string_view text, bool* stored);
  std::optional<std::string_view> Find(int64_t id) const;

 private:
  struct Session {
    uint32_t number = 0;
    std::string process;
    InternTable strings;
    bool defines_zero = false;
    uint32_t parent = 0;  // number of the session before it
    uint64_t used = 0;    // clock of its last Enter()
  };

  Session* Begin(std::string_view process);
  const Session* ByNumber(uint32_t number) const;
  void MakeRoom();
  size_t TotalBytes() const;

  std::vector<std::unique_ptr<Session>> sessions_;
  Session* current_ = nullptr;
  uint32_t last_number_ = 0;
  uint64_t clock_ = 0;
};

}  // namespace pt2triage
