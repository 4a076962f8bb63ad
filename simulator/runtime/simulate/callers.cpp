#include "runtime/simulate/callers.hpp"

#include <link.h>
#include <unwind.h>

#include <cstddef>
#include <cstdint>

namespace warpgrade::cuda {
namespace {

constexpr std::size_t most = 4, most_frames = 64;

/// The file that an address is loaded from.
struct Loaded {
  std::uintptr_t address = 0;
  const char *name = nullptr;  ///< empty: the program
  std::uintptr_t bias = 0;
  bool ours = false;
};

bool contains(const dl_phdr_info &file, std::uintptr_t address) {
  for (int i = 0; i < file.dlpi_phnum; ++i)
    if (const auto &part = file.dlpi_phdr[i]; part.p_type == PT_LOAD)
      if (address - file.dlpi_addr - part.p_vaddr < part.p_memsz) return true;
  return false;
}

// dladdr would do, but its version depends on the system that builds this.
int look(dl_phdr_info *file, std::size_t, void *to) {
  auto &wanted = *static_cast<Loaded *>(to);
  if (!contains(*file, wanted.address)) return 0;
  wanted.name = file->dlpi_name;
  wanted.bias = file->dlpi_addr;
  wanted.ours = contains(*file, reinterpret_cast<std::uintptr_t>(&look));
  return 1;
}

struct Found {
  std::vector<links::CodePlace> all;
  std::size_t frames = 0;
};

_Unwind_Reason_Code visit(_Unwind_Context *context, void *to) {
  auto &found = *static_cast<Found *>(to);
  int interrupted = 0;
  const std::uintptr_t address = _Unwind_GetIPInfo(context, &interrupted);
  if (address == 0 || ++found.frames > most_frames || found.all.size() == most) return _URC_END_OF_STACK;
  Loaded file{address - (interrupted == 0 ? 1 : 0)};  // a return address belongs to what follows the call
  ::dl_iterate_phdr(look, &file);
  if (file.name != nullptr && !file.ours)
    found.all.push_back({file.name, static_cast<std::uint64_t>(file.address - file.bias)});
  return _URC_NO_REASON;
}

}  // namespace

std::vector<links::CodePlace> callers() {
  Found found;
  _Unwind_Backtrace(visit, &found);
  return std::move(found.all);
}

}  // namespace warpgrade::cuda
