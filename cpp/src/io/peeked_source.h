// Looks at the first bytes of a source that is read later.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "pt2triage/source.h"

namespace pt2triage {

// Reads `source` up to `size` bytes ahead; they come again with the first
// Read(). An error that is met while looking comes after them too.
class PeekedSource : public Source {
 public:
  PeekedSource(std::unique_ptr<Source> source, size_t size);

  std::string_view head() const { return head_; }
  // False if an error was met while looking.
  bool ok() const { return status_.ok(); }
  absl::StatusOr<size_t> Read(char* buffer, size_t size) override;
  std::optional<uint64_t> Size() const override { return source_->Size(); }
  std::optional<uint64_t> Consumed() const override {
    return source_->Consumed();
  }
  std::string Warning() const override { return source_->Warning(); }

 private:
  std::unique_ptr<Source> source_;
  std::string head_;
  size_t given_ = 0;  // of it
  absl::Status status_;
};

}  // namespace pt2triage
