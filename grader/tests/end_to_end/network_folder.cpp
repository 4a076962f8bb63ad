// For LD_PRELOAD: the calls of a program as a network file system without its lock service answers them.
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <string>

namespace {

template <class Function>
Function *next(const char *name) {
  return reinterpret_cast<Function *>(::dlsym(RTLD_NEXT, name));
}

int refuse(int error) {
  errno = error;
  return -1;
}

bool is_open(const struct stat &file) {
  bool open = false;
  DIR *mine = ::opendir("/proc/self/fd");
  while (const dirent *entry = mine == nullptr ? nullptr : ::readdir(mine)) {
    struct stat one {};
    open |=
        ::fstat(::atoi(entry->d_name), &one) == 0 && one.st_dev == file.st_dev && one.st_ino == file.st_ino;
  }
  if (mine != nullptr) ::closedir(mine);
  return open;
}

/// A file that is open keeps a name in its folder until it is closed: here, for ever.
int remove_at(int folder, const char *path, int flags) {
  struct stat file {};
  if ((flags & AT_REMOVEDIR) == 0 && ::fstatat(folder, path, &file, AT_SYMLINK_NOFOLLOW) == 0 &&
      S_ISREG(file.st_mode) && is_open(file)) {
    const std::string name = path;
    const std::string kept = name.substr(0, name.rfind('/') + 1) + ".nfs" + std::to_string(file.st_ino);
    return ::renameat(folder, path, folder, kept.c_str());
  }
  return next<int(int, const char *, int)>("unlinkat")(folder, path, flags);
}

int control(const char *name, int file, int command, void *argument) {
  for (const int lock : {F_SETLK, F_SETLKW, F_GETLK, F_OFD_SETLK, F_OFD_SETLKW, F_OFD_GETLK})
    if (command == lock) return refuse(ENOLCK);
  return next<int(int, int, ...)>(name)(file, command, argument);
}

}  // namespace

extern "C" {
int flock(int, int) noexcept {
  return refuse(ENOLCK);
}
int fcntl(int file, int command, ...) {
  va_list rest;
  va_start(rest, command);
  void *argument = va_arg(rest, void *);
  va_end(rest);
  return control("fcntl", file, command, argument);
}
int fcntl64(int file, int command, ...) {
  va_list rest;
  va_start(rest, command);
  void *argument = va_arg(rest, void *);
  va_end(rest);
  return control("fcntl64", file, command, argument);
}
int unlinkat(int folder, const char *path, int flags) noexcept {
  return remove_at(folder, path, flags);
}
int unlink(const char *path) noexcept {
  return remove_at(AT_FDCWD, path, 0);
}
int inotify_add_watch(int, const char *, std::uint32_t) noexcept {
  return refuse(ENOSPC);
}
int chown(const char *, uid_t, gid_t) noexcept {
  return refuse(EPERM);
}
int fchown(int, uid_t, gid_t) noexcept {
  return refuse(EPERM);
}
int fchownat(int, const char *, uid_t, gid_t, int) noexcept {
  return refuse(EPERM);
}
}
