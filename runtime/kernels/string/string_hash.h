#pragma once

#include <cstdint>
#include <string_view>

namespace tfbuild {

// The hashes by which TensorFlow puts words into buckets; they never change.

// StringToHashBucket.
uint64_t Hash64(std::string_view text);
// StringToHashBucketFast: FarmHash's Fingerprint64.
uint64_t Fingerprint64(std::string_view text);
// StringToHashBucketStrong: SipHash-2-4 under a key.
uint64_t KeyedHash64(uint64_t key0, uint64_t key1, std::string_view text);

}  // namespace tfbuild
