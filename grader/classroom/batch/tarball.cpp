#include "batch/tarball.hpp"

#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <ctime>
#include <memory>
#include <set>
#include <stdexcept>

namespace warpgrade::batch {

namespace {

constexpr std::time_t any_time = 315532800;  // 1980-01-01, the first day that zip knows; 0 makes tar wonder

la_ssize_t append(struct archive *, void *data, const void *bytes, std::size_t size) {
  static_cast<std::string *>(data)->append(static_cast<const char *>(bytes), size);
  return static_cast<la_ssize_t>(size);
}

class TarWriter {
 public:
  TarWriter() : archive_(::archive_write_new(), ::archive_write_free) {
    check(::archive_write_set_format_ustar(archive_.get()));
    check(::archive_write_add_filter_gzip(archive_.get()));
    check(::archive_write_set_filter_option(archive_.get(), "gzip", "timestamp", nullptr));
    check(::archive_write_open(archive_.get(), &bytes_, nullptr, append, nullptr));
  }
  void add(const std::string &path, unsigned type, unsigned mode, const std::string &content) {
    const std::unique_ptr<struct archive_entry, void (*)(struct archive_entry *)> entry(::archive_entry_new(),
                                                                                        ::archive_entry_free);
    ::archive_entry_set_pathname(entry.get(), path.c_str());
    ::archive_entry_set_filetype(entry.get(), type);
    ::archive_entry_set_perm(entry.get(), static_cast<mode_t>(mode));
    ::archive_entry_set_mtime(entry.get(), any_time, 0);
    ::archive_entry_set_size(entry.get(), static_cast<la_int64_t>(content.size()));
    check(::archive_write_header(archive_.get(), entry.get()));
    if (!content.empty() && ::archive_write_data(archive_.get(), content.data(), content.size()) !=
                                static_cast<la_ssize_t>(content.size()))
      fail();
  }
  std::string take() {
    check(::archive_write_close(archive_.get()));
    return std::move(bytes_);
  }

 private:
  [[noreturn]] void fail() const {
    const char *why = ::archive_error_string(archive_.get());
    throw std::runtime_error(std::string("cannot write an archive: ") + (why ? why : "no memory"));
  }
  void check(int status) const {
    if (status != ARCHIVE_OK) fail();
  }
  std::string bytes_;
  std::unique_ptr<struct archive, int (*)(struct archive *)> archive_;
};

}  // namespace

std::string tar_gz(std::vector<PackedFile> files) {
  std::sort(files.begin(), files.end(),
            [](const PackedFile &a, const PackedFile &b) { return a.path < b.path; });
  TarWriter writer;
  std::set<std::string> folders;
  for (const PackedFile &file : files) {
    for (std::size_t at = file.path.find('/'); at != std::string::npos; at = file.path.find('/', at + 1))
      if (folders.insert(file.path.substr(0, at)).second)
        writer.add(file.path.substr(0, at) + "/", AE_IFDIR, 0755, "");
    writer.add(file.path, AE_IFREG, file.program ? 0755 : 0644, file.content);
  }
  return writer.take();
}

}  // namespace warpgrade::batch
