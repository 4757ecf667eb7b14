// A part of a file as a source: a member of an archive.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "pt2triage/source.h"

namespace pt2triage {

// Opens `size` bytes of a regular file from `offset` on. `name` is that of the
// source. A file that ends earlier gives less.
absl::StatusOr<std::unique_ptr<Source>> OpenSection(const std::string& path,
                                                    std::string name,
                                                    uint64_t offset,
                                                    uint64_t size);

// Where the data of the zip member begins whose local header is at `offset`.
absl::StatusOr<uint64_t> ZipMemberStart(const std::string& path,
                                        uint64_t offset);

}  // namespace pt2triage
