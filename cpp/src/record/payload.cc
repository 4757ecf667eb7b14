#include "record/payload.h"

#include <algorithm>

namespace pt2triage {
namespace {

std::string_view WithoutCr(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace

void Payload::Start(bool keep, bool verify) {
  keep_ = keep;
  verify_ = verify;
  all_crlf_ = true;
  lines_ = 0;
  left_out_ = 0;
  head_.clear();
  tail_.clear();
  as_written_ = Md5();
  without_cr_.reset();
}

void Payload::AddLine(std::string_view line) {
  if (lines_++ != 0) {
    if (keep_) Keep("\n");
    if (verify_) as_written_.Update("\n");
    if (without_cr_) without_cr_->Update("\n");
  }
  if (keep_) all_crlf_ &= line.ends_with('\r');
  ContinueLine(line);
}

void Payload::ContinueLine(std::string_view text) {
  if (keep_) Keep(text);
  if (!verify_) return;
  if (!without_cr_ && text.ends_with('\r')) without_cr_ = as_written_;
  if (without_cr_) without_cr_->Update(WithoutCr(text));
  as_written_.Update(text);
}

void Payload::Keep(std::string_view text) {
  constexpr size_t kHalf = kMaxKept / 2;
  const size_t to_head = std::min(text.size(), kHalf - head_.size());
  head_.append(text.substr(0, to_head));
  text.remove_prefix(to_head);
  if (text.size() > kHalf) {
    left_out_ += text.size() - kHalf;
    text.remove_prefix(text.size() - kHalf);
  }
  tail_.append(text);
  if (tail_.size() > 2 * kHalf) {
    left_out_ += tail_.size() - kHalf;
    tail_.erase(0, tail_.size() - kHalf);
  }
}

std::string Payload::Checksum(std::string_view expected) const {
  if (!verify_) return {};
  if (without_cr_ && without_cr_->HexDigest() == expected) {
    return std::string(expected);
  }
  return as_written_.HexDigest();
}

std::string Payload::TakeText() {
  constexpr size_t kHalf = kMaxKept / 2;
  if (tail_.size() > kHalf) {
    left_out_ += tail_.size() - kHalf;
    tail_.erase(0, tail_.size() - kHalf);
  }
  std::string text = std::move(head_);
  if (left_out_ != 0) {
    text += "\n[... " + std::to_string(left_out_) + " bytes left out ...]\n";
  }
  text += tail_;
  head_.clear();
  tail_.clear();
  if (all_crlf_ && lines_ != 0) {
    std::erase(text, '\r');
  }
  std::erase(text, '\0');  // of a write that was lost, as in any line
  return text;
}

}  // namespace pt2triage
