// Splits a stream of chunks into physical lines.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace pt2triage {

// A physical line: `text` without its newline, and where it stands. A line
// longer than LineSplitter::kMaxLine comes in pieces that share a line number.
struct PhysicalLine {
  std::string_view text;
  uint64_t number = 1;  // 1-based
  uint64_t offset = 0;  // of the first byte
  uint64_t length = 0;  // bytes in the source, newline included
};

// Cuts at '\n' with memchr (vectorised by libc). A line inside one chunk is a
// view into the chunk; only a line that crosses chunks is copied, into a carry
// buffer of at most kMaxLine bytes. Pieces of over-long lines are cut at fixed
// distances from the line's start, so chunking never changes the result. Not
// thread-safe; views live until the sink returns.
class LineSplitter {
 public:
  static constexpr size_t kMaxLine = size_t{8} << 20;

  template <typename Sink>
  void Feed(std::string_view chunk, Sink&& sink) {
    while (!chunk.empty()) {
      const void* hit = std::memchr(chunk.data(), '\n', chunk.size());
      size_t room = kMaxLine - carry_.size();
      size_t n = hit ? static_cast<size_t>(static_cast<const char*>(hit) -
                                           chunk.data())
                     : chunk.size();
      if (n > room) {  // cut an over-long line
        Emit(chunk.substr(0, room), /*newline=*/false, sink);
        chunk.remove_prefix(room);
        continue;
      }
      if (!hit) {
        carry_.append(chunk);
        return;
      }
      Emit(chunk.substr(0, n), /*newline=*/true, sink);
      chunk.remove_prefix(n + 1);
    }
  }

  // Emits the last line, which has no newline.
  template <typename Sink>
  void Finish(Sink&& sink) {
    if (!carry_.empty()) Emit({}, /*newline=*/false, sink);
    if (in_line_) ++lines_;
    in_line_ = false;
  }

  // Counts whole lines that were read elsewhere. Not while a line waits.
  void Skip(uint64_t bytes, uint64_t lines) {
    offset_ += bytes;
    lines_ += lines;
    in_line_ = false;
  }

  // True while a line waits for its end.
  bool carries() const { return !carry_.empty(); }
  uint64_t bytes() const { return offset_; }
  uint64_t lines() const { return lines_; }

 private:
  template <typename Sink>
  void Emit(std::string_view tail, bool newline, Sink&& sink) {
    PhysicalLine line;
    if (carry_.empty()) {
      line.text = tail;
    } else {
      carry_.append(tail);
      line.text = carry_;
    }
    line.number = lines_ + 1;
    line.offset = offset_;
    line.length = line.text.size() + (newline ? 1 : 0);
    offset_ += line.length;
    if (newline) ++lines_;
    in_line_ = !newline;
    sink(line);
    carry_.clear();
  }

  std::string carry_;
  uint64_t offset_ = 0;
  uint64_t lines_ = 0;
  bool in_line_ = false;
};

}  // namespace pt2triage
