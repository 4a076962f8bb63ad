#include "exercise_archive.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "batch/names.hpp"
#include "batch/take_in.hpp"

namespace warpgrade::fuzz {
namespace {

course::Assignment assignment() {
  course::Assignment a;
  a.name = "hw6";
  for (const char *file : {"step0_naive.cu", "step1_coalesced.cu", "step2_shared.cu"}) {
    course::Step step;
    step.id = std::string(file).substr(0, 5);
    step.file = file;
    a.steps.push_back(step);
  }
  a.archive_limits = {1 << 20, 150'000, 4096, 20, 16384, 100, 2, 200, 0, 0};
  return a;
}

void put(std::string &out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i));
}

std::array<std::uint32_t, 256> crc_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    table[i] = i;
    for (int bit = 0; bit < 8; ++bit) table[i] = (table[i] >> 1) ^ (0xedb88320u & (0u - (table[i] & 1)));
  }
  return table;
}

std::uint32_t crc32(std::string_view bytes) {
  static const std::array<std::uint32_t, 256> table = crc_table();
  std::uint32_t crc = ~0u;
  for (const char c : bytes) crc = (crc >> 8) ^ table[(crc ^ static_cast<unsigned char>(c)) & 0xff];
  return ~crc;
}

struct Entry {
  std::string name, content;
  unsigned mode = 0;
};

std::string zip_of(const std::vector<Entry> &entries) {
  std::string data, directory;
  for (const Entry &e : entries) {
    std::string common;  // what the directory and the entry itself have in common
    put(common, 0x0800'0014, 4);
    common += std::string(6, '\0');
    put(common, crc32(e.content), 4);
    put(common, e.content.size(), 4);
    put(common, e.content.size(), 4);
    put(common, e.name.size(), 2);
    directory += "PK\1\2";
    put(directory, 0x0314, 2);
    directory += common;
    directory += std::string(10, '\0');
    put(directory, std::uint64_t{e.mode} << 16, 4);
    put(directory, data.size(), 4);
    directory += e.name;
    data += "PK\3\4" + common + std::string(2, '\0') + e.name + e.content;
  }
  std::string end = "PK\5\6";
  put(end, 0, 4);
  put(end, entries.size(), 2);
  put(end, entries.size(), 2);
  put(end, directory.size(), 4);
  put(end, data.size(), 4);
  put(end, 0, 2);
  return data + directory + end;
}

std::string tar_of(const std::vector<Entry> &entries) {
  std::string tar;
  for (const Entry &e : entries) {
    std::string header(512, '\0');
    const auto text = [&](std::size_t at, std::size_t room, std::string_view value) {
      value.substr(0, room).copy(&header[at], room);
    };
    const auto octal = [&](std::size_t at, int digits, std::uint64_t value) {
      char buffer[32];
      std::snprintf(buffer, sizeof buffer, "%0*llo", digits, static_cast<unsigned long long>(value));
      text(at, static_cast<std::size_t>(digits), buffer);
    };
    const unsigned type = e.mode >> 12;
    const bool file = type == 010;
    text(0, 100, e.name);
    octal(100, 7, e.mode & 07777);
    octal(124, 11, file ? e.content.size() : 0);
    octal(136, 11, 1'772'366'400);
    // regular, symbolic link, folder, FIFO, device, hard link; pax and GNU headers ride along as odd types
    header[156] = file          ? '0'
                  : type == 012 ? '2'
                  : type == 04  ? '5'
                  : type == 01  ? '6'
                  : type == 02  ? '3'
                                : '1';
    text(157, 100, file ? "" : e.content);
    text(257, 8, std::string_view("ustar\00000", 8));
    text(148, 8, "        ");
    std::uint64_t sum = 0;
    for (const char c : header) sum += static_cast<unsigned char>(c);
    octal(148, 6, sum);
    header[154] = '\0';
    tar += header;
    if (file) {
      tar += e.content;
      tar.resize((tar.size() + 511) / 512 * 512, '\0');
    }
  }
  return tar + std::string(1024, '\0');
}

/// Entries as: a byte for the kind, one for the length of the name, the name, two for the length of the
/// content, the content. A kind of archive has such a list, format included, as its content.
std::string build(std::string_view recipe, int depth) {
  if (recipe.empty()) return "";
  const char format = recipe[0];
  recipe.remove_prefix(1);
  if (format != 'z' && format != 't') return std::string(recipe);
  static constexpr unsigned modes[] = {0100644, 0100644, 0100644, 0040755,
                                       0120777, 0010644, 0020644, 0104755};
  std::vector<Entry> entries;
  const auto take = [&](std::size_t n) {
    const std::string_view taken = recipe.substr(0, std::min(n, recipe.size()));
    recipe.remove_prefix(taken.size());
    return taken;
  };
  const auto byte = [&]() -> std::size_t {
    const std::string_view one = take(1);
    return one.empty() ? 0 : static_cast<unsigned char>(one[0]);
  };
  while (!recipe.empty() && entries.size() < 200) {
    const std::size_t kind = byte();
    Entry e;
    e.name = take(byte());
    const std::size_t low = byte(), size = low + 256 * byte();
    const std::string_view content = take(size);
    e.mode = modes[kind % std::size(modes)];
    e.content = kind % 16 >= 8 && depth < 4 ? build(content, depth + 1) : std::string(content);
    // A few bytes expand to many: what a bomb needs.
    if (kind >= 240) e.content = std::string(std::min<std::size_t>(content.size() * 1000, 200'000), 'b');
    entries.push_back(std::move(e));
  }
  return format == 'z' ? zip_of(entries) : tar_of(entries);
}

void expect(bool holds, const char *what) {
  if (holds) return;
  std::fprintf(stderr, "a Handin breaks its promise: %s\n", what);
  std::abort();
}

void expect_text(const std::string &text) {
  expect(is_utf8(text), "its text is UTF-8");
  for (const char c : text)
    expect(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f, "its text has no controls");
}

void check(const batch::Handin &h) {
  expect(!h.student.empty() && h.student.size() <= 255 && h.student.find('/') == std::string::npos &&
             h.student[0] != '.' && h.student[0] != '-',
         "its student can name a file");
  expect(h.refused.empty() || h.files.empty(), "nothing of what is refused is graded");
  std::size_t bytes = 0;
  for (const batch::HandedFile &file : h.files) {
    expect(file.name.starts_with("step") && file.name.ends_with(".cu"), "it has files of steps alone");
    bytes += file.content.size();
  }
  expect(bytes <= 3 * 4096, "its files are no longer than the limit");
  for (const std::string &text : {h.student, h.source, h.refused, h.superseded_by, h.id_mismatch})
    expect_text(text);
  for (const std::string &note : h.notes) expect_text(note);
}

void take_in(std::string_view bytes, const std::string &name, const course::Assignment &a) {
  std::size_t announced = 0, came = 0;
  batch::TakeInOptions options;
  options.apart = false;
  options.surveyed = [&](const batch::Survey &survey) {
    announced = survey.handins;
    for (const std::string &remark : survey.remarks) expect_text(remark);
  };
  try {
    batch::take_in(*batch::memory_source(bytes, name), name, a, options, [&](const batch::Handin &h) {
      check(h);
      ++came;
    });
    expect(announced == came, "as many come as were announced");
  } catch (const course::ConfigError &) {  // about submission_metadata.yml
  } catch (const batch::Refused &) {
    expect(false, "what is refused is a Handin");
  } catch (const std::runtime_error &) {  // no class at all
  }
}

}  // namespace

std::string archive_of(std::span<const std::byte> bytes) {
  return build({reinterpret_cast<const char *>(bytes.data()), bytes.size()}, 0);
}

void exercise_archive(std::span<const std::byte> bytes) {
  static const course::Assignment a = assignment();
  const std::string archive = archive_of(bytes);
  take_in(archive, "20261234_HW6.zip", a);
  take_in(archive, "class.zip", a);
}

}  // namespace warpgrade::fuzz
