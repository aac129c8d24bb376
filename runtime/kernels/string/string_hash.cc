#include "kernels/string/string_hash.h"

#include <cstring>
#include <utility>

namespace tfbuild {
namespace {

// Little-endian, as all machines that this runs on.
uint64_t Read64(const char* from) {
  uint64_t value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}
uint64_t Read32(const char* from) {
  uint32_t value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}
uint64_t ByteAt(const char* from) { return static_cast<unsigned char>(*from); }
// The last bytes, fewer than eight.
uint64_t ReadRest(const char* from, size_t count) {
  uint64_t value = 0;
  for (size_t i = 0; i < count; ++i) value |= ByteAt(from + i) << (8 * i);
  return value;
}
uint64_t Right(uint64_t value, int bits) { return value >> bits | value << (64 - bits); }
uint64_t Left(uint64_t value, int bits) { return Right(value, 64 - bits); }

constexpr uint64_t kFarm0 = 0xc3a5c85c97cb3127u;
constexpr uint64_t kFarm1 = 0xb492b66fbe98f273u;
constexpr uint64_t kFarm2 = 0x9ae16a3b2f90404fu;

uint64_t Fold(uint64_t value) { return value ^ value >> 47; }
uint64_t Mix(uint64_t u, uint64_t v, uint64_t factor) {
  const uint64_t a = Fold((u ^ v) * factor);
  return Fold((v ^ a) * factor) * factor;
}

uint64_t UpTo16(const char* s, size_t size) {
  const uint64_t factor = kFarm2 + size * 2;
  if (size >= 8) {
    const uint64_t a = Read64(s) + kFarm2, b = Read64(s + size - 8);
    return Mix(Right(b, 37) * factor + a, (Right(a, 25) + b) * factor, factor);
  }
  if (size >= 4) return Mix(size + (Read32(s) << 3), Read32(s + size - 4), factor);
  if (size == 0) return kFarm2;
  const uint64_t y = ByteAt(s) + (ByteAt(s + (size >> 1)) << 8);
  const uint64_t z = size + (ByteAt(s + size - 1) << 2);
  return Fold(y * kFarm2 ^ z * kFarm0) * kFarm2;
}

uint64_t UpTo32(const char* s, size_t size) {
  const uint64_t factor = kFarm2 + size * 2;
  const uint64_t a = Read64(s) * kFarm1, b = Read64(s + 8);
  const uint64_t c = Read64(s + size - 8) * factor, d = Read64(s + size - 16) * kFarm2;
  return Mix(Right(a + b, 43) + Right(c, 30) + d, a + Right(b + kFarm2, 18) + c, factor);
}

uint64_t UpTo64(const char* s, size_t size) {
  const uint64_t factor = kFarm2 + size * 2;
  const uint64_t a = Read64(s) * kFarm2, b = Read64(s + 8);
  const uint64_t c = Read64(s + size - 8) * factor, d = Read64(s + size - 16) * kFarm2;
  const uint64_t y = Right(a + b, 43) + Right(c, 30) + d;
  const uint64_t z = Mix(y, a + Right(b + kFarm2, 18) + c, factor);
  const uint64_t e = Read64(s + 16) * factor, f = Read64(s + 24);
  const uint64_t g = (y + Read64(s + size - 32)) * factor;
  const uint64_t h = (z + Read64(s + size - 24)) * factor;
  return Mix(Right(e + f, 43) + Right(g, 30) + h, e + Right(f + a, 18) + g, factor);
}

using Pair = std::pair<uint64_t, uint64_t>;

Pair Stir(const char* s, uint64_t a, uint64_t b) {
  a += Read64(s);
  b = Right(b + a + Read64(s + 24), 21);
  const uint64_t c = a;
  a += Read64(s + 8) + Read64(s + 16);
  return {a + Read64(s + 24), b + Right(a, 44) + c};
}

// What a hash of more than 64 bytes carries from block to block.
struct State {
  uint64_t x, y, z;
  Pair v, w;

  // The last block has another factor, and weighs its neighbours by `weight`.
  void Block(const char* s, uint64_t factor, uint64_t weight) {
    x = Right(x + y + v.first + Read64(s + 8), 37) * factor;
    y = Right(y + v.second + Read64(s + 48), 42) * factor;
    x ^= w.second * weight;
    y += v.first * weight + Read64(s + 40);
    z = Right(z + w.first, 33) * factor;
    v = Stir(s, v.second * factor, x + w.first);
    w = Stir(s + 32, z + w.second, y + Read64(s + 16));
    std::swap(z, x);
  }
};

}  // namespace

uint64_t Fingerprint64(std::string_view text) {
  const char* s = text.data();
  const size_t size = text.size();
  if (size <= 16) return UpTo16(s, size);
  if (size <= 32) return UpTo32(s, size);
  if (size <= 64) return UpTo64(s, size);
  constexpr uint64_t kSeed = 81;
  State state{kSeed * kFarm2 + Read64(s), kSeed * kFarm1 + 113, 0, {0, 0}, {0, 0}};
  state.z = Fold(state.y * kFarm2 + 113) * kFarm2;
  const size_t over = (size - 1) & 63;
  const char* end = s + (size - 1) / 64 * 64;
  for (; s != end; s += 64) state.Block(s, kFarm1, 1);
  const uint64_t factor = kFarm1 + ((state.z & 0xff) << 1);
  state.w.first += over;
  state.v.first += state.w.first;
  state.w.first += state.v.first;
  state.Block(end + over - 63, factor, 9);
  return Mix(Mix(state.v.first, state.w.first, factor) + Fold(state.y) * kFarm0 + state.z,
             Mix(state.v.second, state.w.second, factor) + state.x, factor);
}

uint64_t Hash64(std::string_view text) {
  constexpr uint64_t kFactor = 0xc6a4a7935bd1e995u;
  const char* s = text.data();
  size_t size = text.size();
  uint64_t hash = 0xDECAFCAFFEu ^ size * kFactor;
  for (; size >= 8; s += 8, size -= 8) {
    uint64_t word = Read64(s) * kFactor;
    word = (word ^ word >> 47) * kFactor;
    hash = (hash ^ word) * kFactor;
  }
  if (size > 0) hash = (hash ^ ReadRest(s, size)) * kFactor;
  hash = (hash ^ hash >> 47) * kFactor;
  return hash ^ hash >> 47;
}

uint64_t KeyedHash64(uint64_t key0, uint64_t key1, std::string_view text) {
  uint64_t v[4] = {key0 ^ 0x736f6d6570736575u, key1 ^ 0x646f72616e646f6du,
                   key0 ^ 0x6c7967656e657261u, key1 ^ 0x7465646279746573u};
  const auto rounds = [&v](int count) {
    for (int i = 0; i < count; ++i) {
      v[0] += v[1];
      v[2] += v[3];
      v[1] = Left(v[1], 13) ^ v[0];
      v[3] = Left(v[3], 16) ^ v[2];
      v[0] = Left(v[0], 32);
      v[2] += v[1];
      v[0] += v[3];
      v[1] = Left(v[1], 17) ^ v[2];
      v[3] = Left(v[3], 21) ^ v[0];
      v[2] = Left(v[2], 32);
    }
  };
  const auto feed = [&](uint64_t word) {
    v[3] ^= word;
    rounds(2);
    v[0] ^= word;
  };
  const char* s = text.data();
  size_t left = text.size();
  for (; left >= 8; s += 8, left -= 8) feed(Read64(s));
  feed(ReadRest(s, left) | static_cast<uint64_t>(text.size()) << 56);
  v[2] ^= 0xff;
  rounds(4);
  return v[0] ^ v[1] ^ v[2] ^ v[3];
}

}  // namespace tfbuild
