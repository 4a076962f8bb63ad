#include "batch/lock.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

#include "batch/database.hpp"
#include "sandbox/sandbox.hpp"

namespace warpgrade::batch {

namespace {

constexpr auto patience = std::chrono::seconds(5);
constexpr const char *file_name = "gradebook.lock";

std::string host_name() {
  char name[256] = "";
  ::gethostname(name, sizeof name - 1);
  return name;
}

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
  std::ifstream in(fmt::format("/proc/{}/stat", process));
  const std::string stat(std::istreambuf_iterator<char>(in), {});
  const std::size_t name_end = stat.rfind(')');
  return name_end != std::string::npos && name_end + 2 < stat.size() && stat[name_end + 2] == 'Z';
}

}  // namespace

ClassLock::ClassLock(const std::filesystem::path &folder) : file_(folder / file_name) {
  descriptor_ = ::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_APPEND | O_NOFOLLOW, 0644);
  if (descriptor_ < 0)
    throw StoreError(StoreError::Kind::unusable,
                     fmt::format("{} cannot be written: {}", file_.string(), std::strerror(errno)));
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) {
      const std::string why = std::strerror(errno);
      ::close(descriptor_);
      throw StoreError(StoreError::Kind::unusable,
                       fmt::format("{} cannot be locked: {}", file_.string(), why));
    }
    if (std::chrono::steady_clock::now() >= deadline) {
      std::string holder = content_of(descriptor_);
      holder = holder.substr(0, holder.find('\n'));
      ::close(descriptor_);
      throw StoreError(
          StoreError::Kind::unusable,
          fmt::format("{}: another gradebook is at work on this class ({}); wait for its end, or stop it",
                      folder.string(), holder));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
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
      sandbox::Scratch::remove_left_by(process);
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
