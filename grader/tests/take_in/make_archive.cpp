#include "make_archive.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <locale.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <memory>
#include <stdexcept>

#include "tests/places.hpp"

namespace warpgrade::batch {

namespace fs = std::filesystem;

namespace {

std::uint32_t crc32(const std::string &bytes) {
  std::uint32_t crc = ~0u;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int i = 0; i < 8; ++i) crc = (crc >> 1) ^ (0xedb88320u & (0u - (crc & 1)));
  }
  return ~crc;
}

void put(std::string &out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i));
}

la_ssize_t append(struct archive *, void *data, const void *bytes, std::size_t size) {
  static_cast<std::string *>(data)->append(static_cast<const char *>(bytes), size);
  return static_cast<la_ssize_t>(size);
}

std::string written(const std::string &format, const std::vector<Item> &items, bool encrypted) {
  std::string bytes;
  // The writer puts names into other encodings by the locale, which a test program has not set.
  const std::unique_ptr<std::remove_pointer_t<locale_t>, void (*)(locale_t)> utf8(
      ::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr), ::freelocale);
  const std::unique_ptr<std::remove_pointer_t<locale_t>, void (*)(locale_t)> before(
      ::uselocale(utf8.get()), [](locale_t locale) { ::uselocale(locale); });
  const std::unique_ptr<struct archive, int (*)(struct archive *)> a(::archive_write_new(),
                                                                     ::archive_write_free);
  const auto check = [&](int status) {
    if (status < ARCHIVE_WARN) throw std::runtime_error(format + ": " + ::archive_error_string(a.get()));
  };
  if (format == "zip") {
    check(::archive_write_set_format_zip(a.get()));
    check(::archive_write_set_options(a.get(), "zip:hdrcharset=UTF-8"));
  } else if (format == "7z") {
    check(::archive_write_set_format_7zip(a.get()));
  } else if (format == "gz") {
    check(::archive_write_set_format_raw(a.get()));
    check(::archive_write_add_filter_gzip(a.get()));
  } else {
    check(::archive_write_set_format_pax_restricted(a.get()));
    if (format == "tar.gz") check(::archive_write_add_filter_gzip(a.get()));
    if (format == "tar.xz") check(::archive_write_add_filter_xz(a.get()));
    if (format == "tar.bz2") check(::archive_write_add_filter_bzip2(a.get()));
    if (format == "tar.zst") check(::archive_write_add_filter_zstd(a.get()));
  }
  if (encrypted) {
    check(::archive_write_set_options(a.get(), "zip:encryption=traditional"));
    check(::archive_write_set_passphrase(a.get(), "secret"));
  }
  ::archive_write_set_bytes_in_last_block(a.get(), 1);
  check(::archive_write_open(a.get(), &bytes, nullptr, append, nullptr));
  for (const Item &item : items) {
    const std::unique_ptr<struct archive_entry, void (*)(struct archive_entry *)> e(::archive_entry_new(),
                                                                                    ::archive_entry_free);
    ::archive_entry_copy_pathname(e.get(), item.path.c_str());
    ::archive_entry_set_mode(e.get(), item.mode);
    ::archive_entry_set_mtime(e.get(), item.modified, 0);
    const bool link = (item.mode & 0170000) == 0120000, file = (item.mode & 0170000) == 0100000;
    if (link) ::archive_entry_copy_symlink(e.get(), item.content.c_str());
    if (!item.hard_link.empty()) ::archive_entry_copy_hardlink(e.get(), item.hard_link.c_str());
    const bool content = file && item.hard_link.empty();
    ::archive_entry_set_size(e.get(), content ? static_cast<la_int64_t>(item.content.size()) : 0);
    check(::archive_write_header(a.get(), e.get()));
    if (content && ::archive_write_data(a.get(), item.content.data(), item.content.size()) < 0)
      check(ARCHIVE_FATAL);
  }
  check(::archive_write_close(a.get()));
  return bytes;
}

}  // namespace

std::string pack(const std::string &format, const std::vector<Item> &items) {
  return written(format, items, false);
}

std::string gzipped(const std::string &bytes) {
  return written("gz", {{"bytes", bytes}}, false);
}

std::string pack_encrypted(const std::vector<Item> &items) {
  return written("zip", items, true);
}

ZipBytes &ZipBytes::add(const std::string &name, const std::string &content) {
  return add(name, content, {});
}

ZipBytes &ZipBytes::add(const std::string &name, const std::string &content, const Odd &odd) {
  const Listed listed{name, crc32(content), static_cast<std::uint32_t>(content.size()),
                      static_cast<std::uint32_t>(data_.size()), odd};
  const std::string &local = odd.local_name.empty() ? name : odd.local_name;
  data_ += "PK\3\4";
  put(data_, 20, 2);
  put(data_, odd.flags | (odd.trailed ? 8u : 0u), 2);
  put(data_, 0, 2);  // stored
  put(data_, 0x5c616000, 4);
  put(data_, odd.trailed ? 0 : listed.crc, 4);
  put(data_, odd.trailed ? 0 : listed.size, 4);
  put(data_, odd.trailed ? 0 : listed.size, 4);
  put(data_, local.size(), 2);
  put(data_, 0, 2);
  data_ += local + content;
  if (odd.trailed) {
    data_ += "PK\7\10";
    put(data_, listed.crc, 4);
    put(data_, listed.size, 4);
    put(data_, listed.size, 4);
  }
  listed_.push_back(listed);
  return *this;
}

ZipBytes &ZipBytes::add_nested(const std::string &outer, const std::string &inner, bool listed) {
  ZipBytes alone;
  alone.add(inner, std::string(1000, 'k'));
  const std::size_t header = 30 + outer.size(), at = data_.size() + header;
  add(outer, alone.data_);
  if (listed) {
    listed_.push_back(alone.listed_[0]);
    listed_.back().offset = static_cast<std::uint32_t>(at);
  }
  return *this;
}

std::string ZipBytes::bytes() const {
  std::string directory;
  for (const Listed &listed : listed_) {
    directory += "PK\1\2";
    put(directory, 0x0314, 2);  // made on Unix
    put(directory, 20, 2);
    put(directory, listed.odd.flags | (listed.odd.trailed ? 8u : 0u), 2);
    put(directory, 0, 2);
    put(directory, 0x5c616000, 4);
    put(directory, listed.crc + listed.odd.crc_off_by, 4);
    put(directory, listed.size, 4);
    put(directory, listed.size, 4);
    put(directory, listed.name.size(), 2);
    put(directory, 0, 2 + 2 + 2 + 2);
    put(directory, std::uint64_t{listed.odd.mode} << 16, 4);
    put(directory, listed.offset, 4);
    directory += listed.name;
  }
  std::string end = "PK\5\6";
  put(end, 0, 4);
  put(end, listed_.size(), 2);
  put(end, listed_.size(), 2);
  put(end, directory.size(), 4);
  put(end, data_.size(), 4);
  put(end, 0, 2);
  return data_ + directory + end;
}

std::vector<Item> all_steps(const std::string &folder, const std::string &text) {
  std::vector<Item> items;
  for (const course::Step &step : hw6().steps)
    if (!step.beyond) items.push_back({folder + step.file, "// " + step.id + "\n" + text});
  return items;
}

const course::Assignment &hw6() {
  static const course::Assignment assignment = course::read_assignment(fs::path(place::assignments) / "hw6");
  return assignment;
}

Scratch::Scratch() {
  static std::atomic<int> count = 0;
  path_ = fs::temp_directory_path() /
          ("warpgrade-take-in-" + std::to_string(::getpid()) + "-" + std::to_string(count++));
  fs::remove_all(path_);
  fs::create_directories(path_);
}

Scratch::~Scratch() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

fs::path Scratch::write(const std::string &name, const std::string &content, std::int64_t modified) const {
  const fs::path file = path_ / name;
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << content;
  if (modified != 0)
    fs::last_write_time(
        file, std::chrono::file_clock::from_sys(std::chrono::sys_seconds(std::chrono::seconds(modified))));
  return file;
}

fs::path Scratch::write_all(const std::string &folder, const std::vector<Item> &items) const {
  for (const Item &item : items) write(folder + "/" + item.path, item.content, item.modified);
  return path_ / folder;
}

const Handin &Taken::only() const {
  if (handins.size() != 1) throw std::runtime_error(std::to_string(handins.size()) + " submissions, not one");
  return handins[0];
}

const Handin &Taken::of(const std::string &student) const {
  for (const Handin &handin : handins)
    if (handin.student == student && handin.superseded_by.empty()) return handin;
  std::string all;
  for (const Handin &handin : handins) all += " '" + handin.student + "'";
  throw std::runtime_error("nothing of '" + student + "', only of" + all);
}

Taken taken(const fs::path &submissions, TakeInOptions options, const course::Assignment &assignment) {
  Taken all;
  options.surveyed = [&](const Survey &survey) { all.survey = survey; };
  take_in(submissions, assignment, options, [&](Handin handin) { all.handins.push_back(std::move(handin)); });
  std::stable_sort(all.handins.begin(), all.handins.end(), [](const Handin &a, const Handin &b) {
    return std::tuple(a.student, !a.superseded_by.empty(), a.source) <
           std::tuple(b.student, !b.superseded_by.empty(), b.source);
  });
  return all;
}

std::vector<std::string> names_of(const Handin &handin) {
  std::vector<std::string> names;
  for (const HandedFile &file : handin.files) names.push_back(file.name);
  return names;
}

std::string joined(const std::vector<std::string> &lines) {
  std::string text;
  for (const std::string &line : lines) text += line + "\n";
  return text;
}

}  // namespace warpgrade::batch
