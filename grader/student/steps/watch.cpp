#include "steps/watch.hpp"

#include <poll.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace warpgrade::steps {

namespace fs = std::filesystem;

namespace {
constexpr int between_looks_ms = 500, quiet_ms = 15;
}  // namespace

FilesOfSteps::FilesOfSteps(std::vector<const course::Step *> steps, const fs::path &submission)
    : steps_(std::move(steps)) {
  for (const course::Step *step : steps_) {
    const fs::path source = step->source_in(submission);
    std::vector<fs::path> own = {source};
    for (const std::string &header : step->headers) own.push_back(source.parent_path() / header);
    for (const fs::path &file : own)
      if (used_by_[file].insert(step).second && used_by_[file].size() == 1) files_.push_back(file);
  }
}

std::vector<const course::Step *> FilesOfSteps::using_any(const std::set<fs::path> &saved) const {
  std::vector<const course::Step *> found;
  for (const course::Step *step : steps_)
    if (std::any_of(saved.begin(), saved.end(),
                    [&](const fs::path &file) { return used_by_.at(file).contains(step); }))
      found.push_back(step);
  return found;
}

Watch::Watch(std::vector<fs::path> files) : files_(std::move(files)), known_(look(files_)) {
  events_ = Descriptor(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  std::set<fs::path> folders;
  for (const fs::path &file : files_) folders.insert(file.has_parent_path() ? file.parent_path() : ".");
  // Failing is not a reason to stop: then files are looked at twice a second.
  for (const fs::path &folder : folders)
    ::inotify_add_watch(events_.get(), folder.c_str(), IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE);
}

std::map<fs::path, Watch::Look> Watch::look(const std::vector<fs::path> &files) {
  std::map<fs::path, Look> looks;
  for (const fs::path &file : files) {
    struct stat facts {};
    if (::stat(file.c_str(), &facts) == 0)
      looks[file] = {facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec};
  }
  return looks;
}

bool Watch::wait(int stop, int milliseconds) {
  std::array<pollfd, 2> both = {{{stop, POLLIN, 0}, {events_.get(), POLLIN, 0}}};  // poll passes over -1
  if (::poll(both.data(), both.size(), milliseconds) < 0 && errno != EINTR) ::poll(nullptr, 0, quiet_ms);
  std::array<char, 4096> unread;
  while (events_.get() >= 0 && ::read(events_.get(), unread.data(), unread.size()) > 0) continue;
  return (both[0].revents & (POLLIN | POLLHUP)) != 0;
}

std::optional<std::set<fs::path>> Watch::next(int stop) {
  std::map<fs::path, Look> now = look(files_);
  for (;;) {
    std::set<fs::path> saved;
    for (const auto &[file, facts] : now)
      if (const auto before = known_.find(file); before == known_.end() || before->second != facts)
        saved.insert(file);
    if (wait(stop, saved.empty() ? between_looks_ms : quiet_ms)) return std::nullopt;
    std::map<fs::path, Look> later = look(files_);
    if (!saved.empty() && later == now) {
      for (const fs::path &file : saved) known_[file] = now[file];
      return saved;
    }
    now = std::move(later);
  }
}

}  // namespace warpgrade::steps
