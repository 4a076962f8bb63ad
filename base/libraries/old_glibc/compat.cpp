// What programs use of glibc that glibc 2.27 lacks, so that they run there: the C++ library asks for some of
// it, headers of newer systems for the rest. Each function is this program's own (hidden); none is exported.
// See make-stubs.
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cwchar>

#define OWN extern "C" __attribute__((visibility("hidden")))

// ---- 2.32: whether there is only one thread. "No" is always right, and costs an atomic addition here and
// there.

extern "C" {
extern char __libc_single_threaded __attribute__((visibility("hidden")));
char __libc_single_threaded = 0;
}

// ---- 2.32: names of signals, "INT" for 2. The numbers are those of x86-64 and Arm.

OWN const char *sigabbrev_np(int number) noexcept {
  static const char *const names[] = {nullptr,  "HUP",  "INT",    "QUIT", "ILL",   "TRAP", "ABRT", "BUS",
                                      "FPE",    "KILL", "USR1",   "SEGV", "USR2",  "PIPE", "ALRM", "TERM",
                                      "STKFLT", "CHLD", "CONT",   "STOP", "TSTP",  "TTIN", "TTOU", "URG",
                                      "XCPU",   "XFSZ", "VTALRM", "PROF", "WINCH", "POLL", "PWR",  "SYS"};
  return number > 0 && number < static_cast<int>(sizeof names / sizeof *names) ? names[number] : nullptr;
}

// ---- 2.33: stat as functions; before, as inline calls of others.

static_assert(sizeof(void *) == 8, "where the kernel's struct stat is that of glibc");

OWN int fstatat(int folder, const char *path, struct stat *to, int flags) {
  return static_cast<int>(::syscall(SYS_newfstatat, folder, path, to, flags));
}
OWN int stat(const char *path, struct stat *to) {
  return fstatat(AT_FDCWD, path, to, 0);
}
OWN int lstat(const char *path, struct stat *to) {
  return fstatat(AT_FDCWD, path, to, AT_SYMLINK_NOFOLLOW);
}
OWN int fstat(int file, struct stat *to) {
  return static_cast<int>(::syscall(SYS_fstat, file, to));
}
OWN int fstatat64(int folder, const char *path, struct stat64 *to, int flags) {
  return static_cast<int>(::syscall(SYS_newfstatat, folder, path, to, flags));
}
OWN int stat64(const char *path, struct stat64 *to) {
  return fstatat64(AT_FDCWD, path, to, 0);
}
OWN int lstat64(const char *path, struct stat64 *to) {
  return fstatat64(AT_FDCWD, path, to, AT_SYMLINK_NOFOLLOW);
}
OWN int fstat64(int file, struct stat64 *to) {
  return static_cast<int>(::syscall(SYS_fstat, file, to));
}

// ---- 2.35: where the tables are that unwind the stack at an address. The unwinder of the compiler's library
// calls it.

namespace {

struct Object {  // struct dl_find_object, which older headers do not have
  unsigned long long flags;
  void *map_start, *map_end;
  link_map *map;
  void *eh_frame;
  unsigned long long reserved[7];
};

struct Search {
  std::uintptr_t address;
  Object *found;
  link_map *map;
};

int look_at(dl_phdr_info *object, std::size_t, void *data) {
  auto &search = *static_cast<Search *>(data);
  std::uintptr_t start = UINTPTR_MAX, end = 0, frame = 0;
  bool inside = false;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr) &part = object->dlpi_phdr[i];
    const std::uintptr_t from = object->dlpi_addr + part.p_vaddr, to = from + part.p_memsz;
    if (part.p_type == PT_GNU_EH_FRAME) frame = from;
    if (part.p_type != PT_LOAD) continue;
    if (from < start) start = from;
    if (to > end) end = to;
    inside = inside || (search.address >= from && search.address < to);
  }
  if (!inside || frame == 0) return inside ? 2 : 0;
  search.map->l_addr = object->dlpi_addr;  // all that the unwinder reads of it
  *search.found = {};
  search.found->map_start = reinterpret_cast<void *>(start);
  search.found->map_end = reinterpret_cast<void *>(end);
  search.found->map = search.map;
  search.found->eh_frame = reinterpret_cast<void *>(frame);
  return 1;
}

}  // namespace

// Under a name of its own for the compiler: newer headers declare it, older ones do not.
OWN int find_object(void *address, Object *found) __asm__("_dl_find_object");
int find_object(void *address, Object *found) {
  static thread_local link_map map;
  Search search{reinterpret_cast<std::uintptr_t>(address), found, &map};
  return ::dl_iterate_phdr(look_at, &search) == 1 ? 0 : -1;
}

// ---- 2.36: random numbers, for std::random_device and libcrypt.

OWN void arc4random_buf(void *to, std::size_t size) {
  auto *at = static_cast<char *>(to);
  while (size > 0) {
    const ssize_t got = ::getrandom(at, size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) std::abort();  // Linux before 3.17
    at += got;
    size -= static_cast<std::size_t>(got);
  }
}
OWN unsigned int arc4random() {
  unsigned int number = 0;
  arc4random_buf(&number, sizeof number);
  return number;
}

// ---- 2.38: numbers as C23 reads them ("0b101"), by which the newer headers replace the older functions. The
// names of the older ones are given to the assembler, since these headers would replace them here too.

extern "C" {
long old_strtol(const char *, char **, int) __asm__("strtol");
unsigned long old_strtoul(const char *, char **, int) __asm__("strtoul");
long long old_strtoll(const char *, char **, int) __asm__("strtoll");
unsigned long long old_strtoull(const char *, char **, int) __asm__("strtoull");
long old_wcstol(const wchar_t *, wchar_t **, int) __asm__("wcstol");
unsigned long old_wcstoul(const wchar_t *, wchar_t **, int) __asm__("wcstoul");
long long old_wcstoll(const wchar_t *, wchar_t **, int) __asm__("wcstoll");
unsigned long long old_wcstoull(const wchar_t *, wchar_t **, int) __asm__("wcstoull");
int old_vsscanf(const char *, const char *, va_list) __asm__("__isoc99_vsscanf");
int old_vfscanf(FILE *, const char *, va_list) __asm__("__isoc99_vfscanf");
}

#define READS_AS_BEFORE(type, name, character)                                 \
  OWN type __isoc23_##name(const character *text, character **end, int base) { \
    return old_##name(text, end, base);                                        \
  }
READS_AS_BEFORE(long, strtol, char)
READS_AS_BEFORE(unsigned long, strtoul, char)
READS_AS_BEFORE(long long, strtoll, char)
READS_AS_BEFORE(unsigned long long, strtoull, char)
READS_AS_BEFORE(long, wcstol, wchar_t)
READS_AS_BEFORE(unsigned long, wcstoul, wchar_t)
READS_AS_BEFORE(long long, wcstoll, wchar_t)
READS_AS_BEFORE(unsigned long long, wcstoull, wchar_t)

OWN int __isoc23_vsscanf(const char *text, const char *format, va_list values) {
  return old_vsscanf(text, format, values);
}
OWN int __isoc23_sscanf(const char *text, const char *format, ...) {
  va_list values;
  va_start(values, format);
  const int count = old_vsscanf(text, format, values);
  va_end(values);
  return count;
}
OWN int __isoc23_fscanf(FILE *file, const char *format, ...) {
  va_list values;
  va_start(values, format);
  const int count = old_vfscanf(file, format, values);
  va_end(values);
  return count;
}
