// The command that installs a package on this system, for messages about missing programs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace warpgrade {

enum class PackageManager : std::uint8_t { apt, dnf, zypper, pacman };

/// The package manager of the system whose /etc/os-release this is: its ID, then each word of its ID_LIKE;
/// apt where neither is known.
PackageManager package_manager(std::string_view os_release);
/// That of this machine.
PackageManager package_manager();

/// "sudo apt-get install clang": what installs `package`, one of the Debian names in packages.inc. On a
/// system that has no such package, a sentence that says so.
std::string install_command(std::string_view package, PackageManager manager = package_manager());

}  // namespace warpgrade
