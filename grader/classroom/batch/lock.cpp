#include "batch/lock.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <sstream>
#include <system_error>

#include "base/files.hpp"
#include "base/lock.hpp"
#include "batch/database.hpp"
#include "sandbox/sandbox.hpp"

namespace warpgrade::batch {

namespace {

constexpr double lock_patience_seconds = 5;
constexpr const char *lock_name = "gradebook.lock";

std::string content_of(int descriptor) {
  std::string text(1 << 16, '\0');
  const ssize_t size = ::pread(descriptor, text.data(), text.size(), 0);
  text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return text;
}

void append(int descriptor, const std::string &text) {
  // A note that is lost on a full disk costs a temporary folder, no result.
  [[maybe_unused]] const ssize_t ignored = ::write(descriptor, text.data(), text.size());
}

/// A process that ended, whether or not anybody has asked how.
bool is_gone(pid_t process) {
  if (::kill(process, 0) != 0) return errno == ESRCH;
  const std::string stat = read_or_empty(fmt::format("/proc/{}/stat", process));
  const std::size_t name_end = stat.rfind(')');
  return name_end != std::string::npos && name_end + 2 < stat.size() && stat[name_end + 2] == 'Z';
}

}  // namespace

ClassLock::ClassLock(const std::filesystem::path &folder) : file_(folder / lock_name) {
  descriptor_ = ::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_APPEND | O_NOFOLLOW, 0644);
  if (descriptor_ < 0)
    throw StoreError(StoreError::Kind::unusable,
                     fmt::format("{} cannot be written: {}", file_.string(), std::strerror(errno)));
  const auto unusable = [&](const std::string &why) {
    ::close(descriptor_);
    throw StoreError(StoreError::Kind::unusable, why);
  };
  try {
    if (!lock_file(descriptor_, Lock::alone, lock_patience_seconds)) {
      const std::string holder = content_of(descriptor_);
      unusable(
          fmt::format("{}: another gradebook is at work on this class ({}); wait until it ends, or stop it",
                      folder.string(), holder.substr(0, holder.find('\n'))));
    }
  } catch (const std::system_error &e) {
    unusable(fmt::format("{}: {}", file_.string(), e.what()));
  }
  const std::vector<pid_t> still_there = clear_up();
  [[maybe_unused]] const int ignored = ::ftruncate(descriptor_, 0);
  append(descriptor_, fmt::format("process {} on {} since {:%Y-%m-%d %H:%M:%S} UTC\n", ::getpid(),
                                  host_name(), fmt::gmtime(std::time(nullptr))));
  note(::getpid());
  for (const pid_t process : still_there) note(process);
}

std::vector<pid_t> ClassLock::clear_up() {
  std::vector<pid_t> still_there;
  std::istringstream last(content_of(descriptor_));
  std::string holder;
  std::getline(last, holder);
  if (holder.find(" on " + host_name() + " ") == std::string::npos) return still_there;
  for (pid_t process = 0; last >> process;) {
    if (process <= 1 || process == ::getpid()) continue;
    if (is_gone(process))
      Scratch::remove_left_by(process);
    else
      still_there.push_back(process);
  }
  return still_there;
}

ClassLock::~ClassLock() {
  [[maybe_unused]] const int ignored = ::ftruncate(descriptor_, 0);
  ::close(descriptor_);  // lets go of the lock too
}

void ClassLock::note(pid_t process) {
  append(descriptor_, fmt::format("{}\n", process));
}

}  // namespace warpgrade::batch
