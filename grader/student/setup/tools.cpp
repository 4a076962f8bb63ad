#include "setup/tools.hpp"

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/files.hpp"

// Placed by embedded.S.
extern "C" const char warpgrade_worker_begin[], warpgrade_worker_end[], warpgrade_server_begin[],
    warpgrade_server_end[], warpgrade_simulator_begin[], warpgrade_simulator_end[],
    warpgrade_worker_clang_begin[], warpgrade_worker_clang_end[];
// Placed by headers.S, which CMake writes: of each header the name, a NUL, the size in 8 bytes, the text; an
// empty name ends the list.
extern "C" const char warpgrade_headers[];

namespace warpgrade {

namespace {

void write_headers(const std::filesystem::path &folder) {
  for (const char *at = warpgrade_headers; *at != 0;) {
    const std::string name = at;
    std::uint64_t size = 0;
    std::memcpy(&size, at + name.size() + 1, sizeof size);
    const char *text = at + name.size() + 1 + sizeof size;
    std::filesystem::create_directories((folder / name).parent_path());
    write_scratch(folder / name, std::string_view(text, size));
    at = text + size;
  }
}

}  // namespace

bool Tools::has_worker_for_nvcc() {
  return &warpgrade_worker_begin[0] != &warpgrade_worker_end[0];
}

Tools::Tools() {
  write_scratch(worker_library(), std::string_view(warpgrade_worker_begin, warpgrade_worker_end));
  write_scratch(record_server(), std::string_view(warpgrade_server_begin, warpgrade_server_end));
  write_scratch(simulator(), std::string_view(warpgrade_simulator_begin, warpgrade_simulator_end));
  write_scratch(worker_library_clang(),
                std::string_view(warpgrade_worker_clang_begin, warpgrade_worker_clang_end));
  write_headers(cuda_headers());
  namespace fs = std::filesystem;
  fs::permissions(worker_library(), fs::perms::owner_read | fs::perms::group_read | fs::perms::others_read);
  for (const fs::path &program : {record_server(), simulator()})
    fs::permissions(program, fs::perms::owner_read | fs::perms::owner_exec | fs::perms::group_read |
                                 fs::perms::group_exec | fs::perms::others_read | fs::perms::others_exec);
}

}  // namespace warpgrade
