// Reads tracebacks: frames, the exception at the end, what it was raised from.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "event/exception_line.h"
#include "event/frames.h"
#include "pt2triage/event.h"

namespace pt2triage {

// A whole chain as printed, cause before effect.
struct Traceback {
  std::vector<ExceptionBlock> blocks;
  Evidence evidence;
  std::string intro;  // what stood before "Traceback" on its line
  bool bare = false;  // exception line without a traceback above it
};

// One line of text with its place and pytest's mark.
struct TextLine {
  std::string_view text;
  Evidence at;
  bool pytest_error = false;
  bool quoted = false;  // pytest's mark of the line that failed, or mail's
};

// A push parser for one writer's text. OnLine() says whether the line is part
// of a traceback; the chain is handed to the sink when it is over. Bounded:
// kMaxFrames frames and kMaxFrameBytes a block (the outermost and the innermost
// are kept), kMaxMessage bytes a message, kMaxBlocks blocks a chain. Owns its
// strings. Not thread-safe.
class TracebackParser {
 public:
  static constexpr size_t kMaxFrames = 400;
  static constexpr size_t kMaxFrameBytes = size_t{256} << 10;
  static constexpr size_t kMaxMessage = size_t{16} << 10;
  static constexpr size_t kMaxBlocks = 24;

  using Sink = std::function<void(Traceback&)>;
  // `in_record`: the text is one log record, so nothing foreign can follow.
  explicit TracebackParser(Sink sink, bool in_record = false)
      : sink_(std::move(sink)), in_record_(in_record) {}

  bool OnLine(const TextLine& line);
  void Finish();
  bool active() const { return state_ != State::kIdle; }
  // Where a traceback begins whose exception has not come yet.
  std::optional<Evidence> open_traceback() const;
  // True while lines must be offered (frames of a pytest section pile up
  // before the exception is known).
  bool WantsAll() const {
    return active() || !pytest_frames_.empty() || !loose_frames_.empty();
  }

 private:
  enum class State : uint8_t { kIdle, kFrames, kMessage, kUserCode, kTail };
  enum class Style : uint8_t { kPlain, kNotebook, kRich };

  bool OnIdle(const TextLine& line);
  void BeginBare(const TextLine& line, size_t indent);
  bool OnPrefixedException(const TextLine& line);
  bool OnIndentedException(const TextLine& line, size_t indent);
  void OnLooseFrame(std::string_view text);
  bool OnTrailingFrame(std::string_view text);
  bool OnFrames(std::string_view text, const TextLine& line);
  bool OnMessage(std::string_view text, const TextLine& line);
  bool OnUserCode(std::string_view text, const TextLine& line);
  bool OnTail(std::string_view text, const TextLine& line);
  bool OnSeparator(std::string_view text);
  bool OnSuffix(std::string_view text);
  bool OnTracebackHead(const TextLine& line);
  bool OnPytestFrame(std::string_view text, const TextLine& line);
  bool OnFrameDetail(std::string_view text);
  bool OnHeldFrame(std::string_view text, std::vector<StackFrame>* frames);
  void HoldFrame(std::string_view text, bool pushed);
  void OnPytestCode(std::string_view text, bool marked);
  bool StartBlock(const TextLine& line);
  bool TakeException(std::string_view text, bool must_be_known);
  void PushFrame(StackFrame frame);
  bool PushWaiting(StackFrame frame, std::vector<StackFrame>* frames);
  std::string_view Undecorated(std::string_view text) const;
  bool IsForeign(std::string_view text) const;
  ExceptionBlock& Block() { return current_.blocks.back(); }

  Sink sink_;
  bool in_record_;
  State state_ = State::kIdle;
  Style style_ = Style::kPlain;
  FrameStyle last_frame_ = FrameStyle::kPython;
  Traceback current_;
  std::vector<ExceptionBlock> outer_;  // blocks whose message holds others
  std::vector<StackFrame> pytest_frames_;
  std::vector<StackFrame> loose_frames_;  // above them no `Traceback`
  size_t frame_bytes_ = 0;                // of the block's frames
  size_t waiting_bytes_ = 0;              // of frames above their exception
  std::string pytest_function_;
  std::string pytest_code_;   // of the long style, above its frame
  std::string held_;          // a frame's line that a terminal has wrapped
  bool held_pushed_ = false;  // its first part alone was taken for a frame
  std::optional<LinkKind> pending_link_;
  size_t base_indent_ = 0;
  std::string prefix_;  // what a program that we do not know puts before lines
  int unknown_ = 0;
  int message_lines_ = 0;
  bool after_blank_ = false;
  bool want_code_ = false;
  bool want_pytest_code_ = false;
  bool listed_compile_ = false;
};

// All blocks of all chains in a text that is one record or one artifact.
std::vector<ExceptionBlock> ParseTracebackText(std::string_view text);
// The chains apart.
std::vector<Traceback> ParseTracebacks(std::string_view text);

}  // namespace pt2triage
