#include "base/packages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace warpgrade {
namespace {

TEST(Packages, ASystemsPackageManagerFollowsFromItsIdOrFromWhatItIsLike) {
  EXPECT_EQ(package_manager("NAME=\"Debian GNU/Linux\"\nID=debian\n"), PackageManager::apt);
  EXPECT_EQ(package_manager("ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n"), PackageManager::apt);
  EXPECT_EQ(package_manager("ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n"), PackageManager::dnf);
  EXPECT_EQ(package_manager("ID='ol'\nID_LIKE=\"fedora\"\n"), PackageManager::dnf);
  EXPECT_EQ(package_manager("ID=\"opensuse-leap\"\nID_LIKE=\"suse opensuse\""), PackageManager::zypper);
  EXPECT_EQ(package_manager("ID=manjaro\nID_LIKE=arch\n"), PackageManager::pacman);
  EXPECT_EQ(package_manager("VERSION_ID=3\nID=something\n"), PackageManager::apt);
  EXPECT_EQ(package_manager(""), PackageManager::apt);
  EXPECT_EQ(package_manager("ID=\"\nID_LIKE"), PackageManager::apt);
}

TEST(Packages, AMissingPackageComesWithTheCommandThatInstallsIt) {
  EXPECT_EQ(install_command("clang", PackageManager::apt), "sudo apt-get install clang");
  EXPECT_EQ(install_command("libfmt-dev", PackageManager::dnf), "sudo dnf install fmt-devel");
  EXPECT_EQ(install_command("nlohmann-json3-dev", PackageManager::zypper),
            "sudo zypper install nlohmann_json-devel");
  EXPECT_EQ(install_command("build-essential", PackageManager::pacman), "sudo pacman -S base-devel");
  EXPECT_THAT(install_command("libjs-chart.js", PackageManager::dnf), testing::HasSubstr("no package of it"));
  EXPECT_THROW((void)install_command("no-such-row", PackageManager::apt), std::logic_error);
}

}  // namespace
}  // namespace warpgrade
