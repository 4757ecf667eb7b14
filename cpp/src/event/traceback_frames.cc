// The frames of a traceback, in every style that people paste.
#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "event/traceback.h"
#include "event/traceback_text.h"

namespace pt2triage {
namespace {

// The code comes later; it is short.
size_t BytesOf(const StackFrame& frame) {
  return sizeof(StackFrame) + frame.file.size() + frame.function.size();
}

}  // namespace

// Frames whose `Traceback` line was left out, for an exception that may follow.
void TracebackParser::OnLooseFrame(std::string_view text) {
  if (TrimLeft(text).starts_with(kFrameHead)) {
    if (std::optional<FrameMatch> match = ParseFrame(text)) {
      PushWaiting(std::move(match->frame), &loose_frames_);
      want_code_ = true;
      return;
    }
  }
  if (loose_frames_.empty()) return;
  if (Indent(text) >= 3) {
    if (std::exchange(want_code_, false)) {
      loose_frames_.back().code.assign(Trim(text).substr(0, 500));
    }
  } else if (!text.empty()) {
    loose_frames_.clear();
  }
}

// The code of a frame: above it after `>` in the long style, below it in the
// short one.
void TracebackParser::OnPytestCode(std::string_view text, bool marked) {
  bool want = std::exchange(want_pytest_code_, false);
  listed_compile_ = listed_compile_ || Contains(text, "torch.compile(");
  if (marked && Indent(text) >= 5) {
    pytest_code_.assign(Trim(text).substr(0, 500));
  } else if (want && Indent(text) >= 4 && !pytest_frames_.empty()) {
    pytest_frames_.back().code.assign(Trim(text).substr(0, 500));
  }
}

// Frames of pytest's sections stand above (short style) or around (long style)
// the lines that carry the exception.
bool TracebackParser::OnPytestFrame(std::string_view text,
                                    const TextLine& line) {
  if (line.pytest_error || in_record_) return false;
  OnPytestCode(text, line.quoted);
  if (text.starts_with("    def ") || text.starts_with("def ")) {
    std::string_view name = TrimLeft(text).substr(4);
    pytest_function_.assign(name.substr(0, name.find('(')).substr(0, 1024));
    return false;
  }
  if (state_ == State::kFrames) return false;
  std::optional<FrameMatch> match = ParsePytestFrame(text);
  if (!match) return false;
  if (match->frame.function.empty()) match->frame.function = pytest_function_;
  match->frame.code = std::exchange(pytest_code_, {});
  if (state_ == State::kIdle || pending_link_) {
    const bool has_code = !match->frame.code.empty();
    if (PushWaiting(std::move(match->frame), &pytest_frames_)) {
      want_pytest_code_ = !has_code;
    }
    return true;
  }
  // After the exception's lines: where it was raised.
  std::string_view last = AfterLast(TrimRight(text), ' ');
  if (last == Block().type ||
      AfterLast(last, '.') == AfterLast(Block().type, '.')) {
    PushFrame(std::move(match->frame));
    state_ = State::kTail;
    return true;
  }
  Finish();
  pytest_frames_.push_back(std::move(match->frame));
  return true;
}

void TracebackParser::PushFrame(StackFrame frame) {
  std::vector<StackFrame>& frames = Block().frames;
  if (frames.empty()) frame_bytes_ = 0;
  frame_bytes_ += BytesOf(frame);
  while (frames.size() >= kMaxFrames ||
         (frame_bytes_ > kMaxFrameBytes && frames.size() > 8)) {
    const auto middle =
        frames.begin() + static_cast<ptrdiff_t>(frames.size() / 4);
    frame_bytes_ -= std::min(frame_bytes_, BytesOf(*middle));
    frames.erase(middle);
  }
  frames.push_back(std::move(frame));
}

// For lists of which the first frames are kept; false if there is no room.
bool TracebackParser::PushWaiting(StackFrame frame,
                                  std::vector<StackFrame>* frames) {
  if (frames->empty()) waiting_bytes_ = 0;
  waiting_bytes_ += BytesOf(frame);
  if (frames->size() >= kMaxFrames || waiting_bytes_ > kMaxFrameBytes) {
    return false;
  }
  frames->push_back(std::move(frame));
  return true;
}

// The code line, carets and listing lines below a frame.
bool TracebackParser::OnFrameDetail(std::string_view text) {
  std::vector<StackFrame>& frames = Block().frames;
  if (frames.empty()) return false;
  if (last_frame_ == FrameStyle::kColab || style_ == Style::kNotebook) {
    std::optional<ListingLine> listing = ParseListingLine(text);
    if (!listing) return false;
    if (listing->arrow) {
      if (frames.back().line == 0) frames.back().line = listing->line;
      if (frames.back().line == listing->line) {
        frames.back().code.assign(listing->code.substr(0, 500));
      }
    }
    return true;
  }
  if (Indent(text) < 3) return false;
  if (want_code_ && !IsCarets(text)) {
    frames.back().code.assign(Trim(text).substr(0, 500));
    want_code_ = false;
  }
  return true;
}

// Remembers a frame's line that seems to go on below. `pushed`: what is there
// was a frame already, without its function.
void TracebackParser::HoldFrame(std::string_view text, bool pushed) {
  held_.assign(text.substr(0, 4096));
  held_pushed_ = pushed;
}

// Joins a held line with the next one; true if that gives a frame, or may do so
// with one line more.
bool TracebackParser::OnHeldFrame(std::string_view text,
                                  std::vector<StackFrame>* frames) {
  if (held_.empty()) return false;
  std::string joined = std::exchange(held_, {});
  const bool rich = style_ == Style::kRich;
  std::string_view next = rich ? Trim(text) : text;
  auto parse = [&](const std::string& line) {
    return rich ? ParseRichFrame(line) : ParseFrame(line);
  };
  // A terminal cuts anywhere; mail and rich cut at blanks and lose them.
  std::string with_blank = joined + ' ' + std::string(next);
  joined.append(next);
  std::optional<FrameMatch> match = parse(joined);
  if (!match || match->frame.function.empty()) match = parse(with_blank);
  if (match && !match->frame.function.empty()) {
    if (held_pushed_ && !frames->empty()) frames->pop_back();
    last_frame_ = match->style;
    want_code_ = match->style == FrameStyle::kPython;
    frames->push_back(std::move(match->frame));
    return true;
  }
  // A path in three parts; what was no frame so far may be one yet.
  bool longer = !match && joined.size() < 1024 && !Contains(joined, ", line ");
  if (!longer || held_pushed_) return false;
  HoldFrame(joined, /*pushed=*/false);
  return true;
}

bool TracebackParser::OnFrames(std::string_view text, const TextLine& line) {
  if (Trim(text).empty()) return true;
  if (OnHeldFrame(text, &Block().frames)) return true;
  if (style_ == Style::kRich) {
    if (std::optional<FrameMatch> match = ParseRichFrame(text)) {
      last_frame_ = match->style;
      PushFrame(std::move(match->frame));
      return true;
    }
    std::string_view path = Trim(text);
    bool drive = path.size() > 3 && path[1] == ':' && path[2] == '\\';
    bool wrapped = line.text.starts_with("│") &&
                   (path.starts_with('/') || path.starts_with("~/") || drive);
    if (wrapped) {
      HoldFrame(path, /*pushed=*/false);
      return true;
    }
    if (text.starts_with("╰") || text.starts_with("└")) {
      style_ = Style::kPlain;
      return true;
    }
    if (line.text.starts_with("│") || Contains(text, "frames hidden")) {
      constexpr std::string_view kArrow = "❱ ";
      size_t arrow = text.find(kArrow);
      if (arrow != std::string_view::npos && !Block().frames.empty()) {
        std::string_view code = text.substr(arrow + kArrow.size());
        size_t bar = code.find("│ ");
        if (bar != std::string_view::npos) {
          Block().frames.back().code.assign(Trim(code.substr(bar + 4)));
        }
      }
      return true;
    }
  }
  if (std::optional<FrameMatch> match = ParseFrame(text)) {
    last_frame_ = match->style;
    want_code_ = match->style == FrameStyle::kPython;
    if (match->frame.function.empty()) HoldFrame(text, /*pushed=*/true);
    PushFrame(std::move(match->frame));
    return true;
  }
  if (TrimLeft(text).starts_with(kFrameHead)) {
    HoldFrame(text, /*pushed=*/false);
    return true;
  }
  if (line.pytest_error && pending_link_) return TakeException(text, false);
  if (OnFrameDetail(text)) return true;
  if (Indent(text) == 0 && !IsSection(text) && TakeException(text, false)) {
    return true;
  }
  if (Indent(text) > 0 || ++unknown_ <= 4 * kMaxUnknown) {
    return Indent(text) > 0;
  }
  Finish();
  return false;
}

// ComfyUI prints the frames below the message: outermost first, without a head.
bool TracebackParser::OnTrailingFrame(std::string_view text) {
  if (!current_.bare || current_.blocks.size() != 1) return false;
  if (text.starts_with("## Stack Trace") || text.starts_with("```"))
    return true;
  if (!TrimLeft(text).starts_with(kFrameHead)) {
    return !Block().frames.empty() && Indent(text) >= 4;
  }
  std::optional<FrameMatch> match = ParseFrame(text);
  if (!match) return false;
  PushFrame(std::move(match->frame));
  unknown_ = 0;
  return true;
}

bool TracebackParser::OnUserCode(std::string_view text, const TextLine& line) {
  if (OnHeldFrame(text, &Block().user_frames)) return true;
  std::vector<StackFrame>& frames = Block().user_frames;
  if (Trim(text).empty()) return true;
  if (std::optional<FrameMatch> match = ParseFrame(text)) {
    if (match->frame.function.empty()) HoldFrame(text, /*pushed=*/true);
    PushWaiting(std::move(match->frame), &frames);
    want_code_ = true;
    return true;
  }
  if (TrimLeft(text).starts_with(kFrameHead)) {
    HoldFrame(text, /*pushed=*/false);
    return true;
  }
  // A paste may have lost all indentation, then only what follows a frame is
  // its code.
  bool code = want_code_ && !IsCarets(text);
  if (!frames.empty() && (Indent(text) >= 3 || code)) {
    if (code) frames.back().code.assign(Trim(text).substr(0, 500));
    want_code_ = want_code_ && !code;
    return true;
  }
  state_ = State::kTail;
  return OnTail(text, line);
}

}  // namespace pt2triage
