#include "judge/seal.hpp"

#include <crypt.h>

#include <array>
#include <memory>
#include <stdexcept>

namespace warpgrade::judge {

namespace {

constexpr const char *method = "$y$";   // yescrypt
constexpr unsigned long hash_cost = 5;  // 16 MiB; a step has some thirty questions, and each is hashed once

std::string hash(const std::string &answer, const std::string &setting) {
  const auto data = std::make_unique<crypt_data>();
  const char *made = ::crypt_r(answer.c_str(), setting.c_str(), data.get());
  if (made == nullptr || made[0] == '*') throw std::runtime_error("libcrypt refused to hash an answer");
  return made;
}

}  // namespace

std::string seal(const std::string &answer, std::string_view salt) {
  std::array<char, CRYPT_GENSALT_OUTPUT_SIZE> setting = {};
  if (::crypt_gensalt_rn(method, hash_cost, salt.data(), static_cast<int>(salt.size()), setting.data(),
                         static_cast<int>(setting.size())) == nullptr)
    throw std::runtime_error("libcrypt knows no yescrypt");
  return hash(answer, setting.data());
}

bool opens(const std::string &sealed, const std::string &answer) {
  return hash(answer, sealed) == sealed;
}

}  // namespace warpgrade::judge
