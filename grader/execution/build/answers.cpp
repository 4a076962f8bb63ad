#include "build/answers.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <system_error>

#include "base/files.hpp"
#include "build/build.hpp"
#include "build/cache.hpp"

namespace warpgrade::build {

namespace {

constexpr std::uint64_t most_answer_bytes = std::uint64_t{1} << 20;  // question included
constexpr std::uint64_t most_worker_bytes = std::uint64_t{256} << 20;
constexpr std::size_t most_answers = 512;  // a few KB each

}  // namespace

std::optional<std::vector<std::byte>> Answers::find(std::span<const std::byte> question) const try {
  const std::filesystem::path file = folder_ / name_of(question);
  const auto bytes = read_regular(file, most_answer_bytes);
  if (!bytes) return std::nullopt;
  Reader from(*bytes);
  const std::string sum = from.get_string();
  const std::span<const std::byte> kept = from.get_bytes();
  if (sum != name_of(kept)) return std::nullopt;
  Reader inner(kept);
  const std::span<const std::byte> asked = inner.get_bytes();
  if (!std::equal(asked.begin(), asked.end(), question.begin(), question.end())) return std::nullopt;
  std::vector<std::byte> answer = inner.copy_bytes();
  std::error_code ignored;
  std::filesystem::last_write_time(file, std::filesystem::file_time_type::clock::now(), ignored);
  return answer;
} catch (const WireError &) {
  return std::nullopt;  // of another version, or damaged
}

void Answers::keep(std::span<const std::byte> question, std::span<const std::byte> answer) const try {
  Writer kept;
  kept.put_bytes(question).put_bytes(answer);
  Writer file;
  file.put_string(name_of(kept.bytes())).put_bytes(kept.bytes());
  if (file.bytes().size() > most_answer_bytes) return;  // it would not be read again
  std::filesystem::create_directories(folder_);
  write_whole(folder_ / name_of(question), file.text());
  make_room(folder_, most_answers);
} catch (const std::exception &) {
  // A folder that cannot be written is no reason to fail.
}

void put_identity(Writer &to, const std::filesystem::path &program) {
  struct stat facts {};
  to.put_string(program.string());
  if (::stat(program.c_str(), &facts) != 0) return;
  to.put<std::int64_t>(facts.st_size);
  to.put<std::int64_t>(facts.st_mtim.tv_sec);
  to.put<std::int64_t>(facts.st_mtim.tv_nsec);
}

void put_identity(Writer &to, const Build &build) {
  put_identity(to, "/proc/self/exe");
  to.put_string(build.front_end).put_string(name_of(build.fatbin));
  const auto worker = read_regular(build.worker, most_worker_bytes);
  to.put_string(worker ? name_of(*worker) : "");
}

}  // namespace warpgrade::build
