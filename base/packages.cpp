#include "base/packages.hpp"

#include <fmt/format.h>

#include <array>
#include <stdexcept>

#include "base/files.hpp"

namespace warpgrade {

namespace {

struct Package {
  std::array<std::string_view, 4> names;  ///< by PackageManager; the first is Debian's
};

constexpr Package known_packages[] = {
#define PACKAGE(apt, dnf, zypper, pacman) {{apt, dnf, zypper, pacman}},
#include "base/packages.inc"
#undef PACKAGE
};

constexpr std::array<std::string_view, 4> commands = {"apt-get install", "dnf install", "zypper install",
                                                      "pacman -S"};

struct System {
  std::string_view id;
  PackageManager manager;
};

constexpr System systems[] = {
    {"debian", PackageManager::apt},
    {"ubuntu", PackageManager::apt},
    {"fedora", PackageManager::dnf},
    {"rhel", PackageManager::dnf},
    {"centos", PackageManager::dnf},
    {"rocky", PackageManager::dnf},
    {"almalinux", PackageManager::dnf},
    {"suse", PackageManager::zypper},
    {"opensuse", PackageManager::zypper},
    {"opensuse-leap", PackageManager::zypper},
    {"opensuse-tumbleweed", PackageManager::zypper},
    {"sles", PackageManager::zypper},
    {"arch", PackageManager::pacman},
};

/// The value of `key` in os-release's format, without its quotes; empty if missing.
std::string_view value_of(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    if (!line.starts_with(key) || !line.substr(key.size()).starts_with('=')) continue;
    line.remove_prefix(key.size() + 1);
    if (line.size() >= 2 && (line.front() == '"' || line.front() == '\''))
      line = line.substr(1, line.size() - 2);
    return line;
  }
  return {};
}

}  // namespace

PackageManager package_manager(std::string_view os_release) {
  const std::string ids = fmt::format("{} {} ", value_of(os_release, "ID"), value_of(os_release, "ID_LIKE"));
  for (std::size_t at = 0; at < ids.size();) {
    const std::size_t end = ids.find(' ', at);
    const std::string_view id = std::string_view(ids).substr(at, end - at);
    for (const System &system : systems)
      if (system.id == id) return system.manager;
    at = end + 1;
  }
  return PackageManager::apt;
}

PackageManager package_manager() {
  static const PackageManager here = package_manager(read_or_empty("/etc/os-release"));
  return here;
}

std::string install_command(std::string_view package, PackageManager manager) {
  const auto column = static_cast<std::size_t>(manager);
  for (const Package &known : known_packages) {
    if (known.names[0] != package) continue;
    if (known.names[column].empty())
      return fmt::format("install what Debian calls {}: this system has no package of it", package);
    return fmt::format("sudo {} {}", commands[column], known.names[column]);
  }
  throw std::logic_error(fmt::format("packages.inc has no row for {}", package));
}

}  // namespace warpgrade
