#include "io/peeked_source.h"

#include <utility>

namespace pt2triage {

PeekedSource::PeekedSource(std::unique_ptr<Source> source, size_t size)
    : Source(source->name()), source_(std::move(source)) {
  head_.resize(size);
  size_t have = 0;
  while (have < size) {
    const absl::StatusOr<size_t> n =
        source_->Read(head_.data() + have, size - have);
    if (!n.ok()) status_ = n.status();
    if (!n.ok() || *n == 0) break;
    have += *n;
  }
  head_.resize(have);
}

absl::StatusOr<size_t> PeekedSource::Read(char* buffer, size_t size) {
  if (given_ < head_.size()) {
    const size_t n = head_.copy(buffer, size, given_);
    given_ += n;
    return n;
  }
  if (!status_.ok()) return status_;
  return source_->Read(buffer, size);
}

}  // namespace pt2triage
