// Lines that are JSON objects of docker's or of the journal's.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/strings.h"
#include "line/json_members.h"
#include "line/stamps.h"
#include "line/wrapped_lines.h"

namespace pt2triage {

bool WrappedLines::MayTakeJson(std::string_view text) {
  text.remove_prefix(2);
  if (text.starts_with("log\":")) return true;
  return !text.empty() && (IsUpper(text[0]) || text[0] == '_') &&
         Contains(text, "__REALTIME_TIMESTAMP\"");
}

bool WrappedLines::OnDocker(const PhysicalLine& line) {
  JsonMembers members(line.text);
  text_.clear();
  time_.clear();
  std::string_view log;
  std::string_view stream;
  std::string_view time;
  while (const std::optional<JsonMembers::Member> member = members.Next()) {
    if (member->key == "log") log = member->value;
    if (member->key == "stream") stream = member->value;
    if (member->key == "time") time = member->value;
  }
  const bool known = stream == "\"stdout\"" || stream == "\"stderr\"";
  if (known) stream = stream.substr(1, 6);
  if (!members.complete() || !known || !AppendJsonString(log, &text_) ||
      !AppendJsonString(time, &time_) || ReadIsoTime(time_).length == 0) {
    return false;
  }
  const bool whole = text_.ends_with('\n');
  if (whole) text_.pop_back();
  const size_t at = Find(Kind::kDocker, stream);
  if (at < held_.size() && Append(line, text_, at)) {
    if (whole) Release(Find(Kind::kDocker, stream));
  } else if (whole) {
    Emit({line, time_, {}, stream, line.length}, text_);
  } else {
    Held held;
    held.kind = Kind::kDocker;
    held.channel.assign(stream);
    held.time = time_;
    Hold(line, text_, std::move(held));
  }
  return true;
}

bool WrappedLines::OnJournal(const PhysicalLine& line) {
  JsonMembers members(line.text);
  std::string_view message;
  std::string_view pid;
  std::string_view ident;
  std::string_view micros;
  while (const std::optional<JsonMembers::Member> member = members.Next()) {
    if (member->key == "MESSAGE") message = member->value;
    if (member->key == "_PID") pid = member->value;
    if (member->key == "SYSLOG_IDENTIFIER") ident = member->value;
    if (member->key == "__REALTIME_TIMESTAMP") micros = member->value;
  }
  if (!members.complete() || message.empty() || micros.size() < 2) return false;
  const std::optional<int64_t> time =
      ToInt(micros.substr(1, micros.size() - 2));
  if (!time || *time < 0) return false;
  text_.clear();
  if (message != "null" && !AppendJsonString(message, &text_) &&
      !AppendJsonBytes(message, &text_)) {
    return false;
  }
  time_ = UtcTimeOfMicros(*time);
  writer_.clear();
  AppendJsonString(ident, &writer_);
  if (pid.size() > 2 && pid[0] == '"') {
    writer_ += '[';
    AppendJsonString(pid, &writer_);
    writer_ += ']';
  }
  Emit({line, time_, writer_, {}, line.length}, text_);
  return true;
}

}  // namespace pt2triage
