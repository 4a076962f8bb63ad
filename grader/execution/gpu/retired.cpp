#include "gpu/retired.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <filesystem>
#include <sstream>

#include "base/files.hpp"
#include "base/text.hpp"
#include "gpu/device_lock.hpp"

namespace warpgrade::gpu {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view suffix_of_retired = ".out";

/// Another number each time that the machine is started.
std::string this_boot() {
  return trimmed(read_or_empty("/proc/sys/kernel/random/boot_id"));
}

std::string file_of(const std::string &directory, const DeviceInfo &device) {
  return directory + "/" + lock_name(device) + std::string(suffix_of_retired);
}

/// The file has two lines: the boot, and the GPU's address.
std::string address_in(const std::string &file) {
  const auto bytes = read_regular(file, 4096);
  if (!bytes) return "";
  std::istringstream in(std::string(reinterpret_cast<const char *>(bytes->data()), bytes->size()));
  std::string boot, address;
  std::getline(in, boot);
  std::getline(in, address);
  const bool plain = address.size() < 32 && std::all_of(address.begin(), address.end(), [](unsigned char c) {
                       return std::isxdigit(c) != 0 || c == ':' || c == '.';
                     });
  return boot == this_boot() && plain ? address : "";
}

std::string sentence_of(const std::string &address, const std::string &file) {
  struct stat facts {};
  std::array<char, 32> since{};
  std::tm parts{};
  if (::stat(file.c_str(), &facts) == 0 && ::localtime_r(&facts.st_mtime, &parts) != nullptr)
    std::strftime(since.data(), since.size(), "%Y-%m-%d %H:%M", &parts);
  return "GPU " + address + " is out since " + since.data() +
         ": a process that was killed on it did not end. Reset it (nvidia-smi --gpu-reset -i " + address +
         ", then remove " + file + ") or restart the machine";
}

}  // namespace

void retire(const std::string &directory, const DeviceInfo &device) {
  if (directory.empty()) return;
  const std::string text = this_boot() + "\n" + device.pci_bus_id + "\n", file = file_of(directory, device);
  try {
    write_whole(file, text, 0644);
    ::chmod(file.c_str(), 0644);  // whatever the umask: it concerns everybody
  } catch (const FileError &) {   // this process knows it all the same
  }
}

std::string why_retired(const std::string &directory, const DeviceInfo &device) {
  if (directory.empty()) return "";
  const std::string file = file_of(directory, device);
  return address_in(file).empty() ? "" : sentence_of(device.pci_bus_id, file);
}

std::vector<RetiredGpu> retired_gpus(const std::string &directory) {
  std::vector<RetiredGpu> found;
  std::error_code none;
  for (const fs::directory_entry &entry : fs::directory_iterator(directory, none)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("gpu-") || !name.ends_with(suffix_of_retired)) continue;
    const std::string address = address_in(entry.path().string());
    if (!address.empty()) found.push_back({address, sentence_of(address, entry.path().string())});
  }
  std::sort(found.begin(), found.end(),
            [](const RetiredGpu &a, const RetiredGpu &b) { return a.pci_bus_id < b.pci_bus_id; });
  return found;
}

}  // namespace warpgrade::gpu
