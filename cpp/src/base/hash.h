// The one alias for hash maps and sets.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>

#include "absl/hash/hash.h"

namespace pt2triage {

// Hashes std::string, std::string_view and literals alike, so that a map keyed
// by std::string is searched by std::string_view without a copy.
struct StringHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const {
    return absl::Hash<std::string_view>{}(text);
  }
};

namespace internal {

template <class K>
inline constexpr bool kIsString =
    std::is_same_v<K, std::string> || std::is_same_v<K, std::string_view>;

template <class K>
using KeyHash = std::conditional_t<kIsString<K>, StringHash, absl::Hash<K>>;

template <class K>
using KeyEqual =
    std::conditional_t<kIsString<K>, std::equal_to<>, std::equal_to<K>>;

}  // namespace internal

// The standard containers: those of Abseil are left broken where memory runs
// out while they grow, and have another layout where a sanitizer is on. find,
// contains and count take anything that converts to std::string_view where the
// key is a string; every other call takes the key's own type. References to
// elements are not to be kept, and the order of iteration means nothing: sort
// before printing.
template <class K, class V>
using FlatMap =
    std::unordered_map<K, V, internal::KeyHash<K>, internal::KeyEqual<K>>;
template <class K>
using FlatSet =
    std::unordered_set<K, internal::KeyHash<K>, internal::KeyEqual<K>>;

}  // namespace pt2triage
