// The one alias for hash maps and sets.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>

#include "absl/hash/hash.h"

// Abseil's maps check themselves differently when a sanitizer is on, so their
// layout then differs from the one in an installed libabsl that was built
// without: programs crash or do not compile. Sanitized builds therefore use
// the standard containers. PT2TRIAGE_SANITIZED comes from the build, since
// UndefinedBehaviorSanitizer announces itself through no macro.
#if !defined(PT2TRIAGE_SANITIZED) && \
    (defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__))
#define PT2TRIAGE_SANITIZED 1
#endif

#ifdef PT2TRIAGE_SANITIZED
#include <unordered_map>
#include <unordered_set>
#else
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#endif

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

// What both kinds offer, and so what may be used: find, contains and count by
// anything that converts to std::string_view where the key is a string; every
// other call takes the key's own type. References to elements do not survive
// an insertion, and the order of iteration means nothing: sort before printing.
#ifdef PT2TRIAGE_SANITIZED
template <class K, class V>
using FlatMap =
    std::unordered_map<K, V, internal::KeyHash<K>, internal::KeyEqual<K>>;
template <class K>
using FlatSet =
    std::unordered_set<K, internal::KeyHash<K>, internal::KeyEqual<K>>;
#else
template <class K, class V>
using FlatMap =
    absl::flat_hash_map<K, V, internal::KeyHash<K>, internal::KeyEqual<K>>;
template <class K>
using FlatSet =
    absl::flat_hash_set<K, internal::KeyHash<K>, internal::KeyEqual<K>>;
#endif

}  // namespace pt2triage
