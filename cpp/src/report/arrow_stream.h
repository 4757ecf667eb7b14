// A table as a stream of record batches.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "report/arrow_abi.h"
#include "report/arrow_table.h"

namespace pt2triage {

// A batch ends after this many rows, or once its text is this long: offsets
// have 32 bits, and a reader of a stream holds one batch.
struct ArrowBatchLimits {
  size_t rows = size_t{1} << 16;
  size_t text_bytes = size_t{64} << 20;
};

// Hands `table` to `out`. The stream may be read in any thread, one at a time,
// to any point; batches outlive it. Without rows it has no batch.
void ExportStream(std::unique_ptr<ArrowTable> table, ArrowArrayStream* out,
                  ArrowBatchLimits limits = {});

// The schema of the stream, with the version of tool and tables as metadata.
void ExportTableSchema(const ArrowTable& table, ArrowSchema* out);

}  // namespace pt2triage
