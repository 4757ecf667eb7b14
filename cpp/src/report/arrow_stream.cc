#include "report/arrow_stream.h"

#include <cerrno>
#include <new>
#include <utility>

#include "report/arrow_column.h"
#include "report/arrow_type.h"

namespace pt2triage {
namespace {

// Raised when columns change their meaning or go, not when new ones come.
constexpr const char* kTablesVersion = "1";

// What is behind an ArrowArrayStream.
class Stream {
 public:
  Stream(std::unique_ptr<ArrowTable> table, ArrowBatchLimits limits)
      : table_(std::move(table)), limits_(limits) {}

  static int GetSchema(ArrowArrayStream* stream, ArrowSchema* out) {
    return Of(stream)->Try([&](Stream& self) {
      ExportTableSchema(*self.table_, out);
      return 0;
    });
  }
  static int GetNext(ArrowArrayStream* stream, ArrowArray* out) {
    return Of(stream)->Try([&](Stream& self) { return self.Next(out); });
  }
  static const char* GetLastError(ArrowArrayStream* stream) {
    return Of(stream)->error_;
  }
  static void Release(ArrowArrayStream* stream) {
    delete Of(stream);
    stream->release = nullptr;
  }

 private:
  static Stream* Of(ArrowArrayStream* stream) {
    return static_cast<Stream*>(stream->private_data);
  }

  template <typename Action>
  int Try(Action&& action) {
    error_ = nullptr;
    try {
      return action(*this);
    } catch (const std::bad_alloc&) {
      error_ = "out of memory";
      return ENOMEM;
    }
  }

  // The next batch; one that is released already at the end.
  int Next(ArrowArray* out) {
    *out = {};
    size_t row = next_;
    ArrowColumn batch(table_->type());
    while (row < table_->rows() && row - next_ < limits_.rows &&
           batch.text_bytes() < limits_.text_bytes) {
      table_->Put(row++, batch);
    }
    if (batch.overflows()) {
      error_ = "a row has more than 2 GiB of text";
      return EOVERFLOW;
    }
    if (row > next_) std::move(batch).Export(out);
    next_ = row;
    return 0;
  }

  const std::unique_ptr<ArrowTable> table_;
  const ArrowBatchLimits limits_;
  size_t next_ = 0;  // row
  const char* error_ = nullptr;
};

}  // namespace

void ExportStream(std::unique_ptr<ArrowTable> table, ArrowArrayStream* out,
                  ArrowBatchLimits limits) {
  *out = {.get_schema = &Stream::GetSchema,
          .get_next = &Stream::GetNext,
          .get_last_error = &Stream::GetLastError,
          .release = &Stream::Release,
          .private_data = new Stream(std::move(table), limits)};
}

void ExportTableSchema(const ArrowTable& table, ArrowSchema* out) {
  ExportSchema(table.type(),
               {{"pt2triage.version", PT2TRIAGE_VERSION},
                {"pt2triage.tables", kTablesVersion}},
               out);
}

}  // namespace pt2triage
