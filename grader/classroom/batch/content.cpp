#include "batch/content.hpp"

#include <fmt/format.h>
#include <sha2.h>
#include <zstd.h>

#include <cstdint>
#include <memory>
#include <new>
#include <stdexcept>

namespace warpgrade::batch {

std::string hash_of(std::string_view bytes) {
  char text[SHA256_DIGEST_STRING_LENGTH];
  SHA256Data(reinterpret_cast<const std::uint8_t *>(bytes.data()), bytes.size(), text);
  return text;
}

std::uint64_t seed_of(std::uint64_t class_seed, std::string_view step, std::string_view file) {
  constexpr std::size_t digits = 13;  // 52 bits
  return std::stoull(
      hash_of(fmt::format("warpgrade seed 1\n{}\n{}\n{}", class_seed, step, hash_of(file))).substr(0, digits),
      nullptr, 16);
}

std::string compressed(std::string_view bytes) {
  std::string to(ZSTD_compressBound(bytes.size()), '\0');
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(), &ZSTD_freeCCtx);
  if (!context) throw std::bad_alloc();
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  const std::size_t size = ZSTD_compress2(context.get(), to.data(), to.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(size)) throw std::runtime_error(ZSTD_getErrorName(size));
  to.resize(size);
  return to;
}

std::string expanded(std::string_view bytes) {
  const unsigned long long size = ZSTD_getFrameContentSize(bytes.data(), bytes.size());
  constexpr unsigned long long most = 1ull << 30;
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || size > most)
    throw std::runtime_error("these bytes are not what was stored");
  std::string to(size, '\0');
  const std::size_t got = ZSTD_decompress(to.data(), to.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(got) || got != size) throw std::runtime_error("these bytes are not what was stored");
  return to;
}

}  // namespace warpgrade::batch
