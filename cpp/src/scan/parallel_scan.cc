#include "scan/parallel_scan.h"

#include <memory>
#include <new>
#include <string_view>

#include "absl/status/status.h"
#include "scan/chunks.h"
#include "scan/scan_source.h"

namespace pt2triage {
namespace {

// Feeds what is behind `*done` if the source has grown since it was opened.
absl::Status FeedRest(const RandomAccess& bytes, const ScanOptions& options,
                      size_t size, SourceScanner* scanner, uint64_t* done) {
  Chunk chunk;
  do {
    const absl::Status status = ReadChunk(bytes, *done, size, &chunk);
    if (!status.ok()) return Named(status, bytes.name());
    scanner->Feed(chunk.text());
    *done += chunk.size;
    if (options.progress && !options.progress(*done)) {
      return Stopped(bytes.name());
    }
  } while (chunk.size > 0);
  return absl::OkStatus();
}

void FeedChunk(const Chunk& chunk, SourceScanner* scanner) {
  std::string_view text = chunk.text();
  scanner->Feed(text.substr(0, chunk.head));
  text.remove_prefix(chunk.head);
  if (chunk.run.bytes > 0 && scanner->TakeRun(chunk.run)) {
    text.remove_prefix(chunk.run.bytes);
  }
  scanner->Feed(text);
}

ScanResult Scan(const RandomAccess& bytes, const ScanOptions& options,
                const Shares& shares) {
  SourceScanner scanner(bytes.name(), options);
  Chunks chunks(bytes, shares, /*in_order=*/false);
  uint64_t done = 0;
  bool last = false;
  while (!last) {
    const Chunk& chunk = chunks.Next();
    if (chunk.out_of_memory) throw std::bad_alloc();
    if (!chunk.status.ok()) return Named(chunk.status, bytes.name());
    FeedChunk(chunk, &scanner);
    if (scanner.in_trace()) chunks.OnlyRead();
    done += chunk.size;
    last = chunk.size < chunks.chunk_size();
    chunks.Release();
    if (options.progress && !options.progress(done)) {
      return Stopped(bytes.name());
    }
  }
  const absl::Status rest =
      FeedRest(bytes, options, chunks.chunk_size(), &scanner, &done);
  if (!rest.ok()) return rest;
  return FinishScan(&scanner, done, bytes.size());
}

ScanResult Scan(Source& source, const ScanOptions& options,
                const Shares& shares) {
  SourceScanner scanner(source.name(), options);
  const InOrder bytes(&source);
  absl::Status unread;
  {
    Chunks chunks(bytes, shares, /*in_order=*/true);
    bool last = false;
    while (!last) {
      const Chunk& chunk = chunks.Next();
      if (chunk.out_of_memory) throw std::bad_alloc();
      if (!chunk.status.ok() && !IsUnread(chunk.status)) {
        return Named(chunk.status, source.name());
      }
      unread = chunk.status;
      FeedChunk(chunk, &scanner);
      if (scanner.in_trace()) chunks.OnlyRead();
      last = chunk.size < chunks.chunk_size();
      chunks.Release();
      if (options.progress && !options.progress(bytes.consumed())) {
        return Stopped(source.name());
      }
    }
  }
  return FinishUnpacked(&scanner, unread, source);
}

}  // namespace

ScanResult ScanInParallel(Source& source, const ScanOptions& options,
                          const Shares& shares) {
  return WithinMemory(source.name(),
                      [&] { return Scan(source, options, shares); });
}

ScanResult ScanInParallel(const RandomAccess& bytes, const ScanOptions& options,
                          const Shares& shares) {
  return WithinMemory(bytes.name(),
                      [&] { return Scan(bytes, options, shares); });
}

}  // namespace pt2triage
