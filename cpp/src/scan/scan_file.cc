// Opens a file, takes off what packs it, and scans what is left.
#include <algorithm>
#include <string>
#include <utility>

#include "io/codec.h"
#include "io/decoding_source.h"
#include "io/encoding.h"
#include "io/peeked_source.h"
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

// A file, or what came out of it, with the first bytes looked at.
struct Unpacked {
  std::unique_ptr<PeekedSource> source;
  Codec codec =
      Codec::kNone;  // of what is left; the core decodes no more of it
  bool decoded = false;
  uint64_t size = 0;  // before it was decoded
};

absl::StatusOr<Unpacked> Unpack(const FileToScan& file,
                                const ScanOptions& options) {
  Opened source = file.member ? OpenMember(file, options) : OpenFile(file.path);
  if (!source.ok()) return source.status();
  Unpacked result;
  result.decoded = file.member.has_value();
  result.size =
      file.member ? file.member->packed_size : (*source)->Size().value_or(0);
  uint32_t depth = file.depth;
  while (true) {
    result.source = std::make_unique<PeekedSource>(*std::move(source), kHead);
    result.codec = SniffCodec(result.source->head());
    if (!IsDecoded(result.codec)) return result;
    if (++depth > options.limits.max_depth) {
      return TooDeep(options.limits.max_depth);
    }
    source = Decode(std::move(result.source), result.codec, options.limits,
                    options.archive_bytes);
    if (!source.ok()) return source.status();
    result.decoded = true;
  }
}

size_t Useful(size_t threads, uint64_t size, uint64_t large) {
  const uint64_t useful = std::min<uint64_t>(size / large + 1, kMaxThreads);
  return static_cast<size_t>(std::min<uint64_t>(threads, useful));
}

ScanResult ScanText(const FileToScan& file, Unpacked text,
                    const ScanOptions& options, size_t threads) {
  if (threads > 1 && text.decoded && text.size >= kLargePacked) {
    return ScanInParallel(
        *text.source, options,
        {.threads = Useful(threads, text.size, kLargePacked)});
  }
  if (threads > 1 && !text.decoded && text.size >= kLarge) {
    const auto bytes = OpenLargeFile(file.path, kLarge);
    if (!bytes.ok()) return bytes.status();
    if (*bytes) {
      return ScanInParallel(
          **bytes, options,
          {.threads = Useful(threads, (*bytes)->size(), kLarge)});
    }
  }
  return ScanSource(*text.source, options);
}

absl::StatusOr<FileScan> Scan(const FileToScan& file,
                              const ScanOptions& options, size_t threads) {
  absl::StatusOr<Unpacked> text = Unpack(file, options);
  if (!text.ok()) {
    if (!IsUnread(text.status())) return text.status();
    return Unread(file.name.empty() ? file.path : file.name, text.status(),
                  options);
  }
  if (text->codec != Codec::kNone) {
    return FileScan{nullptr, CodecName(text->codec)};
  }
  const std::string_view head = text->source->head();
  // Of what is cut or damaged that early, nobody knows what it was.
  if (file.only_text && text->source->ok() && CompressionName(head).empty() &&
      SniffEncoding(head) == Encoding::kBinary) {
    return FileScan{nullptr, "binary"};
  }
  if (file.only_text && IsOwnReport(head)) return FileScan{nullptr, "own"};
  ScanResult result = ScanText(file, *std::move(text), options, threads);
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
