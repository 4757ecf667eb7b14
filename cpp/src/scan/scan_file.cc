// Opens a file, takes off what packs it, and scans what is left.
#include <algorithm>
#include <string>
#include <utility>

#include "io/codec.h"
#include "io/decoding_source.h"
#include "io/encoding.h"
#include "io/peeked_source.h"
#include "io/read_ahead.h"
#include "io/section_source.h"
#include "io/unread.h"
#include "pt2triage/scanner.h"
#include "pt2triage/source.h"
#include "scan/parallel_scan.h"
#include "scan/scan_source.h"
#include "scan/source_result.h"

namespace pt2triage {
namespace {

// A smaller file is done before threads have started; for each further thread
// there must be as much again.
constexpr uint64_t kLarge = uint64_t{16} << 20;
// The same for compressed data.
constexpr uint64_t kLargePacked = uint64_t{1} << 20;
// More threads than can share the reading of one file are of no use.
constexpr size_t kMaxThreads = 16;
// Enough to tell text from other bytes, and an archive by its first header.
constexpr size_t kHead = 4096;

using Opened = absl::StatusOr<std::unique_ptr<Source>>;

Codec CodecOf(Packing packing) {
  switch (packing) {
    case Packing::kDeflate:
      return Codec::kDeflate;
    case Packing::kZstd:
      return Codec::kZstd;
    case Packing::kStored:
      break;
  }
  return Codec::kStored;
}

Opened OpenMember(const FileToScan& file, const ScanOptions& options) {
  const FileToScan::Member& member = *file.member;
  uint64_t offset = member.offset;
  if (member.in_zip) {
    const absl::StatusOr<uint64_t> start = ZipMemberStart(file.path, offset);
    if (!start.ok()) return start.status();
    offset = *start;
  }
  Opened packed = OpenSection(file.path, file.name, offset, member.packed_size);
  if (!packed.ok()) return packed.status();
  return Decode(*std::move(packed), CodecOf(member.packing), options.limits,
                options.archive_bytes, {member.crc, member.size});
}

bool IsDecoded(Codec codec) {
  return codec == Codec::kGzip || codec == Codec::kZstd;
}

// A result of what could not even be opened.
FileScan Unread(const std::string& name, const absl::Status& why,
                const ScanOptions& options) {
  SourceScanner scanner(name, options);
  FileScan scan{scanner.Finish(), {}};
  NoteUnread(why, scan.result.get());
  return scan;
}

absl::Status TooDeep(uint32_t depth) {
  return LimitStatus("it is packed more than " + std::to_string(depth) +
                     " times; --max-depth allows more");
}

absl::StatusOr<FileScan> Scan(const FileToScan& file,
                              const ScanOptions& options, size_t threads) {
  const std::string& name = file.name.empty() ? file.path : file.name;
  Opened source = file.member ? OpenMember(file, options) : OpenFile(file.path);
  if (!source.ok()) {
    return IsUnread(source.status()) ? absl::StatusOr<FileScan>(Unread(
                                           name, source.status(), options))
                                     : source.status();
  }
  const uint64_t size =
      file.member ? file.member->packed_size : (*source)->Size().value_or(0);
  auto peeked = std::make_unique<PeekedSource>(*std::move(source), kHead);
  bool packed = file.member && file.member->packing != Packing::kStored;
  uint32_t depth = file.depth;
  Codec codec = SniffCodec(peeked->head());
  while (IsDecoded(codec)) {
    if (++depth > options.limits.max_depth) {
      return Unread(name, TooDeep(options.limits.max_depth), options);
    }
    packed = true;
    source =
        Decode(std::move(peeked), codec, options.limits, options.archive_bytes);
    if (!source.ok()) return Unread(name, source.status(), options);
    peeked = std::make_unique<PeekedSource>(*std::move(source), kHead);
    codec = SniffCodec(peeked->head());
  }
  if (codec != Codec::kNone) return FileScan{nullptr, CodecName(codec)};
  if (file.only_text && CompressionName(peeked->head()).empty() &&
      SniffEncoding(peeked->head()) == Encoding::kBinary) {
    return FileScan{nullptr, "binary"};
  }
  std::unique_ptr<Source> text = std::move(peeked);
  if (packed && threads > 1 && size >= kLargePacked) {
    text = ReadAhead(std::move(text));
  } else if (!packed && !file.member && threads > 1 && size >= kLarge) {
    text.reset();
    const auto bytes = OpenLargeFile(file.path, kLarge);
    if (!bytes.ok()) return bytes.status();
    if (*bytes) {
      const uint64_t useful =
          std::min<uint64_t>((*bytes)->size() / kLarge + 1, kMaxThreads);
      const auto shared =
          static_cast<size_t>(std::min<uint64_t>(threads, useful));
      ScanResult result = ScanInParallel(**bytes, options, {.threads = shared});
      if (!result.ok()) return result.status();
      return FileScan{*std::move(result), {}};
    }
    Opened again = OpenFile(file.path);  // it has become small
    if (!again.ok()) return again.status();
    text = *std::move(again);
  }
  ScanResult result = ScanSource(*text, options);
  if (!result.ok()) return result.status();
  return FileScan{*std::move(result), {}};
}

}  // namespace

absl::StatusOr<FileScan> ScanFile(const FileToScan& file,
                                  const ScanOptions& options, size_t threads) {
  return WithinMemory<absl::StatusOr<FileScan>>(
      file.name.empty() ? file.path : file.name,
      [&] { return Scan(file, options, threads); });
}

}  // namespace pt2triage
