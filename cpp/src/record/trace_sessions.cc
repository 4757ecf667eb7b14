#include "record/trace_sessions.h"

#include <algorithm>

namespace pt2triage {
namespace {

// PyTorch 2.4 prints a thread id of about 15 digits where later versions print
// the process. Threads share their process's strings, so all are one key.
constexpr size_t kMaxPidDigits = 8;

std::string_view KeyOf(std::string_view process) {
  return process.size() > kMaxPidDigits ? std::string_view() : process;
}

}  // namespace

uint32_t TraceSessions::Enter(std::string_view process) {
  const std::string_view key = KeyOf(process);
  if (current_ == nullptr || current_->process != key) {
    const auto it = std::find_if(
        sessions_.begin(), sessions_.end(),
        [key](const auto& session) { return session->process == key; });
    current_ = it == sessions_.end() ? Begin(key) : it->get();
  }
  current_->used = ++clock_;
  return current_->number;
}

TraceSessions::Session* TraceSessions::Begin(std::string_view process) {
  if (sessions_.size() >= kMaxSessions) MakeRoom();
  auto session = std::make_unique<Session>();
  session->parent = current_ == nullptr ? 0 : current_->number;
  session->number = ++last_number_;
  session->process = process;
  sessions_.push_back(std::move(session));
  return sessions_.back().get();
}

void TraceSessions::MakeRoom() {
  const auto oldest = std::min_element(
      sessions_.begin(), sessions_.end(), [this](const auto& a, const auto& b) {
        // The current one counts as the newest.
        return (a.get() == current_ ? ~uint64_t{0} : a->used) <
               (b.get() == current_ ? ~uint64_t{0} : b->used);
      });
  if (oldest == sessions_.end() || oldest->get() == current_) return;
  sessions_.erase(oldest);
}

uint32_t TraceSessions::Intern(int64_t id, std::string_view text,
                               bool* stored) {
  if (current_ == nullptr) Enter("");
  if (id == 0 && current_->defines_zero) {
    const uint64_t now = current_->used;
    Session* const old = current_;
    const std::string process = old->process;
    current_ = nullptr;
    std::erase_if(sessions_, [old](const auto& s) { return s.get() == old; });
    current_ = Begin(process);
    current_->used = now;
  }
  current_->defines_zero |= id == 0;
  while (TotalBytes() + text.size() > InternTable::kMaxBytes &&
         sessions_.size() > 1) {
    MakeRoom();
  }
  *stored = TotalBytes() + text.size() <= InternTable::kMaxBytes &&
            current_->strings.Add(id, text);
  return current_->number;
}

std::optional<std::string_view> TraceSessions::Find(int64_t id) const {
  const Session* session = current_;
  while (session != nullptr) {
    if (auto text = session->strings.Find(id)) return text;
    session = session->defines_zero ? nullptr : ByNumber(session->parent);
  }
  return std::nullopt;
}

const TraceSessions::Session* TraceSessions::ByNumber(uint32_t number) const {
  const auto it = std::find_if(
      sessions_.begin(), sessions_.end(),
      [number](const auto& session) { return session->number == number; });
  return it == sessions_.end() ? nullptr : it->get();
}

size_t TraceSessions::TotalBytes() const {
  size_t total = 0;
  for (const auto& session : sessions_) total += session->strings.bytes();
  return total;
}

}  // namespace pt2triage
