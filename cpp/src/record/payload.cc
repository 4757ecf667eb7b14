#include "record/payload.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"

namespace pt2triage {
namespace {

std::string_view WithoutCr(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace

void Payload::Start(bool keep, bool verify, std::string* copy) {
  copy_ = copy;
  keep_ = keep;
  verify_ = verify || copy != nullptr;
  all_crlf_ = true;
  lines_ = 0;
  left_out_ = 0;
  half_ = kMaxKept / 2;
  head_.clear();
  tail_.clear();
  as_written_ = Md5();
  without_cr_.reset();
}

void Payload::AddLine(std::string_view line) {
  if (lines_++ != 0) {
    if (keep_) Keep("\n");
    if (copy_ != nullptr) *copy_ += '\n';
    if (verify_) as_written_.Update("\n");
    if (without_cr_) without_cr_->Update("\n");
  }
  if (keep_) all_crlf_ &= line.ends_with('\r');
  ContinueLine(line);
}

void Payload::AddRun(std::string_view text, uint64_t lines) {
  const bool returns = without_cr_ || text.find('\r') != std::string_view::npos;
  if (verify_ && returns) {
    while (!text.empty()) AddLine(NextLine(&text).substr(1));
    return;
  }
  if (verify_) Sum(text);
  lines_ += lines;
}

// The lines without their tabs, gathered so that MD5 gets more than one at a
// time; the newline before each but the payload's first one.
void Payload::Sum(std::string_view run) {
  constexpr size_t kGather = size_t{8} << 10;
  sum_buffer_.clear();
  bool first = lines_ == 0;
  while (!run.empty()) {
    if (!std::exchange(first, false)) sum_buffer_ += '\n';
    sum_buffer_.append(NextLine(&run).substr(1));
    if (sum_buffer_.size() >= kGather || run.empty()) {
      as_written_.Update(sum_buffer_);
      if (copy_ != nullptr) copy_->append(sum_buffer_);
      sum_buffer_.clear();
    }
  }
}

void Payload::ContinueLine(std::string_view text) {
  if (keep_) Keep(text);
  if (copy_ != nullptr) copy_->append(text);
  if (!verify_) return;
  if (!without_cr_ && text.ends_with('\r')) without_cr_ = as_written_;
  if (without_cr_) without_cr_->Update(WithoutCr(text));
  as_written_.Update(text);
}

void Payload::Keep(std::string_view text) {
  const size_t to_head = std::min(text.size(), half_ - head_.size());
  head_.append(text.substr(0, to_head));
  text.remove_prefix(to_head);
  if (text.size() > half_) {
    left_out_ += text.size() - half_;
    text.remove_prefix(text.size() - half_);
  }
  tail_.append(text);
  if (tail_.size() > 2 * half_) CutTail();
}

void Payload::CutTail() {
  left_out_ += tail_.size() - half_;
  tail_.erase(0, tail_.size() - half_);
}

void Payload::LimitTo(size_t size) {
  if (kept() <= size) return;
  half_ = size / 2;
  if (left_out_ == 0) {  // what the head holds too much may be of the end
    tail_.insert(0, head_, std::min(half_, head_.size()));
  } else {
    left_out_ += head_.size() - std::min(half_, head_.size());
  }
  head_.resize(std::min(half_, head_.size()));
  if (tail_.size() > half_) CutTail();
  head_.shrink_to_fit();
  tail_.shrink_to_fit();
}

std::string Payload::Checksum(std::string_view expected) const {
  if (!verify_) return {};
  if (without_cr_ && without_cr_->HexDigest() == expected) {
    return std::string(expected);
  }
  return as_written_.HexDigest();
}

bool Payload::HasAddedReturns(std::string_view expected) const {
  return without_cr_ && as_written_.HexDigest() != expected &&
         without_cr_->HexDigest() == expected;
}

std::string Payload::TakeText() {
  if (tail_.size() > half_) CutTail();
  std::string text = std::exchange(head_, {});
  if (left_out_ != 0) {
    text += "\n[... " + std::to_string(left_out_) + " bytes left out ...]\n";
  }
  text += std::exchange(tail_, {});
  if (all_crlf_ && lines_ != 0) {
    std::erase(text, '\r');
  }
  std::erase(text, '\0');  // of a write that was lost, as in any line
  return text;
}

}  // namespace pt2triage
