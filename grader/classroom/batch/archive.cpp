#include "batch/archive.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>
#include <locale.h>

#include <algorithm>
#include <array>
#include <exception>
#include <memory>
#include <set>
#include <string_view>

#include "base/text.hpp"
#include "batch/names.hpp"
#include "batch/zip_directory.hpp"
#include "report/text.hpp"

namespace warpgrade::batch {

namespace {

constexpr const char *what_is_read = "Hand in a .zip; .tar, .tar.gz, .tar.xz and .7z are read too.";

enum class Format : std::uint8_t { zip, seven_zip, tar, tar_gzip, tar_xz, tar_bzip2, tar_zstd };

/// By its first bytes, whatever its name says; the rest is left to libarchive.
Format format_of(const Bytes &bytes, const std::string &name) {
  std::array<char, 512> buffer{};
  const std::string_view head(buffer.data(), bytes.read(0, buffer));
  if (head.empty())
    throw Refused(fmt::format("{} is empty, 0 bytes: the upload did not arrive. Hand it in again.", name));
  struct Magic {
    std::string_view bytes;
    Format format;
  };
  static constexpr Magic known[] = {{"PK\3\4", Format::zip},
                                    {"PK\5\6", Format::zip},
                                    {"7z\xbc\xaf\x27\x1c", Format::seven_zip},
                                    {"\x1f\x8b", Format::tar_gzip},
                                    {"\xfd\x37zXZ", Format::tar_xz},
                                    {"BZh", Format::tar_bzip2},
                                    {"\x28\xb5\x2f\xfd", Format::tar_zstd}};
  for (const Magic &magic : known)
    if (head.starts_with(magic.bytes)) return magic.format;
  if (head.starts_with("Rar!"))
    throw Refused(fmt::format("{} is a RAR archive, which is not read. {}", name, what_is_read));
  if (head.size() == buffer.size()) return Format::tar;  // libarchive looks at its checksum
  throw Refused(fmt::format("{} is not an archive, or it is damaged. {}", name, what_is_read));
}

/// Names become UTF-8, whatever the locale of the process; of this thread, while this lives.
class Utf8Names {
 public:
  Utf8Names() : before_(::uselocale(utf8())) {}
  ~Utf8Names() { ::uselocale(before_); }
  Utf8Names(const Utf8Names &) = delete;
  Utf8Names &operator=(const Utf8Names &) = delete;

 private:
  static locale_t utf8() {
    static const locale_t made = ::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
    return made;  // without it uselocale changes nothing, and names that are not ASCII are refused
  }
  locale_t before_;
};

/// What libarchive reads from. An exception cannot pass through it and waits here.
struct Input {
  const Bytes &bytes;
  std::uint64_t at = 0;
  std::array<char, 65536> buffer{};
  std::exception_ptr error;
};

la_ssize_t read_on(struct archive *a, void *data, const void **block) {
  Input &input = *static_cast<Input *>(data);
  try {
    const std::size_t n = input.bytes.read(input.at, input.buffer);
    input.at += n;
    *block = input.buffer.data();
    return static_cast<la_ssize_t>(n);
  } catch (...) {
    input.error = std::current_exception();
    ::archive_set_error(a, -1, "the file cannot be read");
    return ARCHIVE_FATAL;
  }
}

la_int64_t skip(struct archive *, void *data, la_int64_t wanted) {
  Input &input = *static_cast<Input *>(data);
  const std::uint64_t left = input.bytes.size() - std::min(input.at, input.bytes.size());
  const std::uint64_t n = wanted <= 0 ? 0 : std::min(static_cast<std::uint64_t>(wanted), left);
  input.at += n;
  return static_cast<la_int64_t>(n);
}

la_int64_t seek(struct archive *, void *data, la_int64_t offset, int whence) {
  Input &input = *static_cast<Input *>(data);
  const auto size = static_cast<la_int64_t>(input.bytes.size());
  const la_int64_t base = whence == SEEK_SET   ? 0
                          : whence == SEEK_END ? size
                                               : static_cast<la_int64_t>(input.at);
  la_int64_t to = 0;
  if (__builtin_add_overflow(base, offset, &to) || to < 0) return ARCHIVE_FATAL;
  input.at = static_cast<std::uint64_t>(std::min(to, size));
  return static_cast<la_int64_t>(input.at);
}

class ArchiveReader {
 public:
  ArchiveReader(const Bytes &bytes, const std::string &name, Format format)
      : input_(std::make_unique<Input>(Input{bytes, 0, {}, nullptr})),
        name_(name),
        archive_(::archive_read_new(), ::archive_read_free) {
    if (!archive_) throw std::bad_alloc();
    enable(format);
    struct archive *a = archive_.get();
    ::archive_read_set_callback_data(a, input_.get());
    ::archive_read_set_read_callback(a, read_on);
    ::archive_read_set_skip_callback(a, skip);
    ::archive_read_set_seek_callback(a, seek);
    check(::archive_read_open1(a));
    opened_ = true;
    // A filter within a filter multiplies its ratio, and honest archives have one.
    if (::archive_filter_count(a) > 2)
      throw Refused(fmt::format("{} is compressed several times over. {}", name_, what_is_read));
  }

  /// Nothing after the last one.
  std::optional<Entry> next() {
    struct archive_entry *e = nullptr;
    const int status = ::archive_read_next_header(archive_.get(), &e);
    if (status == ARCHIVE_EOF) return std::nullopt;
    check(status);
    Entry entry;
    const char *path = ::archive_entry_pathname(e);
    entry.path = path != nullptr ? path : "\xef\xbf\xbd";  // it cannot be put into UTF-8
    entry.kind = kind_of(e);
    entry.size = static_cast<std::uint64_t>(std::max<la_int64_t>(0, ::archive_entry_size(e)));
    entry.modified = ::archive_entry_mtime_is_set(e) ? ::archive_entry_mtime(e) : 0;
    entry.set_id = (::archive_entry_mode(e) & 06000) != 0;
    entry.encrypted = ::archive_entry_is_encrypted(e) != 0;
    return entry;
  }

  std::optional<std::string> content(std::uint64_t most) {
    std::string bytes;
    std::array<char, 65536> block{};
    for (;;) {
      const la_ssize_t n = ::archive_read_data(archive_.get(), block.data(), block.size());
      if (n < 0) check(static_cast<int>(n) == ARCHIVE_WARN ? ARCHIVE_FATAL : static_cast<int>(n));
      if (n == 0) return bytes;
      bytes.append(block.data(), static_cast<std::size_t>(n));
      if (bytes.size() > most) return std::nullopt;
    }
  }

 private:
  void enable(Format format) {
    struct archive *a = archive_.get();
    switch (format) {
      case Format::zip:  // by its directory: the other reader believes what entries say of themselves
        ::archive_read_support_format_zip_seekable(a);
        return;
      case Format::seven_zip:
        ::archive_read_support_format_7zip(a);
        return;
      case Format::tar_gzip:
        ::archive_read_support_filter_gzip(a);
        break;
      case Format::tar_xz:
        ::archive_read_support_filter_xz(a);
        break;
      case Format::tar_bzip2:
        ::archive_read_support_filter_bzip2(a);
        break;
      case Format::tar_zstd:
        ::archive_read_support_filter_zstd(a);
        break;
      case Format::tar:
        break;
    }
    ::archive_read_support_format_tar(a);
  }

  static Entry::Kind kind_of(struct archive_entry *e) {
    if (::archive_entry_hardlink(e) != nullptr) return Entry::Kind::hard_link;
    switch (::archive_entry_filetype(e)) {
      case AE_IFREG:
        return Entry::Kind::file;
      case AE_IFDIR:
        return Entry::Kind::folder;
      case AE_IFLNK:
        return Entry::Kind::symbolic_link;
      default:
        return Entry::Kind::special;
    }
  }

  void check(int status) {
    if (input_->error) std::rethrow_exception(input_->error);
    if (status >= ARCHIVE_WARN) return;
    // libarchive asks a format for this that it has not chosen yet when it fails to open.
    if (opened_ && ::archive_read_has_encrypted_entries(archive_.get()) == 1)
      throw Refused(fmt::format("{} is encrypted. Hand it in without a password.", name_));
    const char *why = ::archive_error_string(archive_.get());
    throw Refused(fmt::format("{} is not an archive, or it is damaged{}. {}", name_,
                              why == nullptr ? "" : fmt::format(" ({})", for_terminal(why)), what_is_read));
  }

  Utf8Names names_;
  std::unique_ptr<Input> input_;
  const std::string &name_;
  bool opened_ = false;
  std::unique_ptr<struct archive, int (*)(struct archive *)> archive_;
};

}  // namespace

void read_archive(const Bytes &bytes, const std::string &name, const ArchiveBounds &bounds,
                  const EachEntry &each) {
  const std::string title = shown(name);
  const Format format = format_of(bytes, title);
  std::set<std::string> special;
  if (format == Format::zip) {
    special = check_zip(bytes, bounds.entries);
    if (bytes.size() == 22) return;  // no entry at all: libarchive takes it for damaged
  }
  ArchiveReader reader(bytes, title, format);
  std::uint64_t count = 0;
  while (auto entry = reader.next()) {
    if (++count > bounds.entries)
      throw Refused(
          fmt::format("{} has more than {} entries. Hand in only the step files.", title, bounds.entries));
    if (!special.empty() && special.contains(fmt::format("{}", fmt::join(parts_of(entry->path), "/"))))
      entry->kind = Entry::Kind::special;
    each(*entry, [&](std::uint64_t most) { return reader.content(most); });
  }
}

void prepare_to_read() {
  const Utf8Names loaded;
}

void check_entry(const Entry &entry, std::uint64_t most_name_bytes) {
  const auto refuse = [&](const std::string &why) {
    throw Refused(
        fmt::format("{} {}. Nothing of the submission is read; pack the step files again and hand them in.",
                    shown(entry.path), why));
  };
  if (const std::string hazard = hazard_in(entry.path, most_name_bytes); !hazard.empty()) refuse(hazard);
  switch (entry.kind) {
    case Entry::Kind::file:
      if (entry.set_id) refuse("is marked to run with the rights of its owner (setuid or setgid)");
      break;
    case Entry::Kind::folder:
      break;
    case Entry::Kind::symbolic_link:
      return refuse("is a symbolic link, not a file");
    case Entry::Kind::hard_link:
      return refuse("is a hard link, not a file");
    case Entry::Kind::special:
      return refuse("is a device or a FIFO, not a file");
    case Entry::Kind::unreadable:
      return refuse("is inside more folders than are searched");
  }
  if (entry.encrypted) refuse("is encrypted");
}

}  // namespace warpgrade::batch
