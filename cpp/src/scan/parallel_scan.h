// One large source, scanned by several threads with the result of one.
#pragma once

#include <cstddef>
#include <memory>

#include "absl/status/statusor.h"
#include "pt2triage/scanner.h"
#include "pt2triage/source.h"

namespace pt2triage {

// How a source is shared out. Any values give the same report.
struct Shares {
  size_t threads = 1;  // the calling one among them
  size_t chunk_size = size_t{256} << 10;
};

// Scans what `source` gives, to its end: only one thread reads - and
// decompresses
// - at a time, but while it does the others look for dull lines. In all else as
// below; statuses are those of ScanSource().
absl::StatusOr<std::shared_ptr<SourceResult>> ScanInParallel(
    Source& source, const ScanOptions& options, const Shares& shares);

// Scans what `bytes` holds, to its end. The threads read chunks and look for
// runs of dull lines in them, which needs no state; the calling thread takes
// the chunks in order, counts the runs that are dull in its state too, and
// reads the rest line by line. So logs of which little matters go as fast as
// all threads together can read them; of a trace, only the reading is shared.
// Memory: chunk_size * (2 * threads + 2).
absl::StatusOr<std::shared_ptr<SourceResult>> ScanInParallel(
    const RandomAccess& bytes, const ScanOptions& options,
    const Shares& shares);

}  // namespace pt2triage
