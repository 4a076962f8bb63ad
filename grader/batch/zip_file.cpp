#include "batch/zip_file.hpp"

#include <archive.h>
#include <archive_entry.h>

#include <ctime>
#include <memory>
#include <stdexcept>

namespace warpgrade::batch {

namespace {

la_ssize_t append(struct archive *, void *data, const void *bytes, std::size_t size) {
  static_cast<std::string *>(data)->append(static_cast<const char *>(bytes), size);
  return static_cast<la_ssize_t>(size);
}

}  // namespace

std::string zip_of(const std::vector<ZipEntry> &entries) {
  constexpr std::time_t some_day = 1'767'225'600;  // 2026-01-01; zip knows none before 1980
  std::string bytes;
  const std::unique_ptr<struct archive, int (*)(struct archive *)> zip(::archive_write_new(),
                                                                       ::archive_write_free);
  const auto check = [&](int status) {
    if (status != ARCHIVE_OK)
      throw std::runtime_error(std::string("cannot write a zip: ") + ::archive_error_string(zip.get()));
  };
  check(::archive_write_set_format_zip(zip.get()));
  check(::archive_write_set_bytes_in_last_block(zip.get(), 1));
  check(::archive_write_open(zip.get(), &bytes, nullptr, append, nullptr));
  for (const ZipEntry &entry : entries) {
    const std::unique_ptr<struct archive_entry, void (*)(struct archive_entry *)> header(
        ::archive_entry_new(), ::archive_entry_free);
    ::archive_entry_set_pathname(header.get(), entry.path.c_str());
    ::archive_entry_set_filetype(header.get(), AE_IFREG);
    ::archive_entry_set_perm(header.get(), entry.executable ? 0755 : 0644);
    ::archive_entry_set_mtime(header.get(), some_day, 0);
    ::archive_entry_set_size(header.get(), static_cast<la_int64_t>(entry.content.size()));
    check(::archive_write_header(zip.get(), header.get()));
    const la_ssize_t written = ::archive_write_data(zip.get(), entry.content.data(), entry.content.size());
    if (written != static_cast<la_ssize_t>(entry.content.size())) check(ARCHIVE_FATAL);
  }
  check(::archive_write_close(zip.get()));
  return bytes;
}

}  // namespace warpgrade::batch
