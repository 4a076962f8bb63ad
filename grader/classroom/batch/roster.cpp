#include "batch/roster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/csv.hpp"
#include "base/encoding.hpp"
#include "base/text.hpp"
#include "batch/bytes.hpp"
#include "batch/layout.hpp"
#include "batch/names.hpp"
#include "course/assignment.hpp"
#include "platforms/platform.hpp"

namespace warpgrade::batch {

namespace {

constexpr std::uint64_t most_roster_bytes = 16 << 20;

struct Line {
  int number = 0;
  std::vector<std::string> cells;
};

/// The rows that say anything.
std::vector<Line> lines_in(std::string_view csv, const std::string &name) try {
  const CsvTable table(csv, {.delimiters = ",;\t", .lines = 1, .trimmed = true});
  std::vector<Line> lines;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    std::vector<std::string> cells = table.cells(row);
    if (std::any_of(cells.begin(), cells.end(), [](const std::string &cell) { return !cell.empty(); }))
      lines.push_back({table.line(row), std::move(cells)});
  }
  return lines;
} catch (const CsvError &e) {
  throw course::ConfigError(fmt::format("{}:{}: a quote begins in this row and never ends", name, e.line()));
}

/// The order in which a column is taken for the id where no submission tells: those of people's own tables
/// first, then those of platforms, the surest first.
std::vector<std::string_view> id_columns() {
  std::vector<platforms::RosterColumn> columns = {
      {"student", 0}, {"student id", 1}, {"student_id", 1}, {"login", 3}};
  for (const platforms::Platform *p : platforms::all())
    columns.insert(columns.end(), p->roster.ids.begin(), p->roster.ids.end());
  std::stable_sort(columns.begin(), columns.end(),
                   [](const auto &a, const auto &b) { return a.rank < b.rank; });
  std::vector<std::string_view> names;
  for (const platforms::RosterColumn &column : columns) names.push_back(column.name);
  return names;
}

/// Whose file this is, where its header tells.
const platforms::Platform *platform_of(const std::vector<std::string> &header) {
  for (const platforms::Platform *p : platforms::all())
    if (!p->roster.mark.empty() && std::find(header.begin(), header.end(), p->roster.mark) != header.end())
      return p;
  return nullptr;
}

/// Where the header has names of people: one column, or a first and a last name.
std::vector<std::size_t> name_columns(const std::vector<std::string> &header,
                                      const platforms::Platform *platform) {
  const auto columns = [&](std::initializer_list<std::string_view> wanted) {
    std::vector<std::size_t> found;
    for (const std::string_view name : wanted)
      if (const auto at = std::find(header.begin(), header.end(), name); at != header.end())
        found.push_back(static_cast<std::size_t>(at - header.begin()));
    return found;
  };
  for (const std::string_view one : {"name", "full name", "student name"})
    if (auto found = columns({one}); !found.empty()) return found;
  if (platform != nullptr)
    if (auto found = columns({platform->roster.people}); !found.empty()) return found;
  return columns({"first name", "last name"});
}

bool is_about_something_else(const std::string &first_cell) {
  const auto all = platforms::all();
  return std::any_of(all.begin(), all.end(), [&](const platforms::Platform *p) {
    return !p->roster.not_a_student.empty() && first_cell.find(p->roster.not_a_student) != std::string::npos;
  });
}

/// Of the words that a platform puts before ids on a roster and not in the names of submissions.
std::size_t length_before_id(const std::string &cell) {
  for (const platforms::Platform *p : platforms::all())
    if (!p->roster.before_id.empty() && folded(cell).starts_with(p->roster.before_id))
      return p->roster.before_id.size();
  return 0;
}

/// "1, 2, 3 and 4 more"
std::string examples(const std::vector<std::string> &all) {
  constexpr std::size_t most = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(all.size(), most); ++i) text += (i == 0 ? "" : ", ") + shown(all[i]);
  return all.size() > most ? fmt::format("{} and {} more", text, all.size() - most) : text;
}

}  // namespace

Roster Roster::read(const std::filesystem::path &file) {
  const FileBytes bytes(file);
  if (bytes.size() > most_roster_bytes)
    throw course::ConfigError(
        fmt::format("{}:1: {} bytes are too many for a roster", file.string(), bytes.size()));
  std::string text(bytes.size(), '\0');
  text.resize(bytes.read(0, text));
  return parse(text, file.string());
}

Roster Roster::parse(const std::string &bytes, const std::string &name) {
  std::string csv;
  try {
    csv = utf8_of(bytes);
  } catch (const EncodingError &e) {
    throw course::ConfigError(fmt::format("{}:{}: {}", name, e.line(), e.what()));
  }
  if (csv.find('\0') != std::string::npos)
    throw course::ConfigError(fmt::format("{}:1: a character of this roster is 0, so it is not text", name));
  const std::vector<Line> lines = lines_in(csv, name);
  if (lines.empty())
    throw course::ConfigError(fmt::format("{}:1: the file is empty, a header was expected", name));

  Roster roster;
  roster.name_ = name;
  std::vector<std::string> header;
  for (const std::string &cell : lines[0].cells) header.push_back(folded(cell));
  const platforms::Platform *const platform = platform_of(header);
  const std::vector<std::string_view> known = id_columns();
  std::vector<std::size_t> places;
  for (const std::string_view column : known) {
    if (platform != nullptr && column == platform->roster.people) continue;
    const auto found = std::find(header.begin(), header.end(), column);
    if (found == header.end()) continue;
    places.push_back(static_cast<std::size_t>(found - header.begin()));
    roster.columns_.push_back(lines[0].cells[places.back()]);
  }
  if (places.empty())
    throw course::ConfigError(
        fmt::format("{}:{}: no column says who a student is; 'student' was expected, or one of: {}", name,
                    lines[0].number, fmt::join(known, ", ")));
  const std::vector<std::size_t> names = name_columns(header, platform);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const Line &line = lines[i];
    if (is_about_something_else(line.cells[0])) continue;
    Row row{{}, line.number, ""};
    for (const std::size_t column : names)
      if (column < line.cells.size() && !line.cells[column].empty())
        row.name += (row.name.empty() ? "" : " ") + line.cells[column];
    for (const std::size_t place : places)
      row.ids.push_back(place < line.cells.size() ? line.cells[place] : "");
    // A platform's row about how grades are posted has nobody in it.
    if (std::all_of(row.ids.begin(), row.ids.end(), [](const std::string &id) { return id.empty(); })) {
      if (platform != nullptr && line.cells[0].empty()) continue;
      throw course::ConfigError(fmt::format("{}:{}: this row has no id in any of these columns: {}", name,
                                            line.number, fmt::join(roster.columns_, ", ")));
    }
    for (std::string &id : row.ids) {
      if (id.empty()) continue;
      std::set<std::string> spellings = {folded(id), folded(as_student(id))};
      if (const std::size_t before = length_before_id(id); before > 0) {
        id = trimmed(id.substr(before));
        spellings.insert(folded(id));
      }
      for (const std::string &spelling : spellings)
        if (auto &of = roster.by_id_[spelling]; of.empty() || of.back() != roster.rows_.size())
          of.push_back(roster.rows_.size());
    }
    roster.rows_.push_back(std::move(row));
  }
  if (roster.rows_.empty())
    throw course::ConfigError(fmt::format("{}:1: the roster has a header but no students", name));
  return roster;
}

void Roster::choose_key(const std::vector<std::string> &ids) {
  std::vector<std::size_t> hits(columns_.size());
  for (const std::string &id : ids)
    if (const auto rows = by_id_.find(folded(id)); rows != by_id_.end())
      for (const std::size_t row : rows->second)
        for (std::size_t c = 0; c < columns_.size(); ++c)
          if (folded(as_student(rows_[row].ids[c])) == folded(as_student(id))) ++hits[c];
  key_ = static_cast<std::size_t>(std::max_element(hits.begin(), hits.end()) - hits.begin());
  std::map<std::string, int> lines;
  for (const Row &row : rows_) {
    if (row.ids[key_].empty())
      throw course::ConfigError(
          fmt::format("{}:{}: this row has no id in the column '{}', which the submissions use", name_,
                      row.line, columns_[key_]));
    if (const auto [first, fresh] = lines.emplace(folded(student(row)), row.line); !fresh)
      throw course::ConfigError(fmt::format("{}:{}: {} is on the roster twice, first on line {}", name_,
                                            row.line, shown(row.ids[key_]), first->second));
  }
}

void Roster::fail_for_nobody(const std::vector<std::string> &ids, const std::string &layout) const {
  std::vector<std::string> own;
  for (const Row &row : rows_) own.push_back(row.ids[key_]);
  throw course::ConfigError(fmt::format(
      "{}:1: nobody on this roster handed in anything: its column '{}' has {}, and what was "
      "handed in is named {} "
      "(layout '{}'). Name the roster of this class, with the ids that its submissions have; "
      "columns for ids are "
      "called {}",
      name_, columns_[key_], examples(own), examples(ids), layout, fmt::join(id_columns(), ", ")));
}

std::string Roster::student(const Row &row) const {
  return as_student(row.ids[key_]);
}

const Roster::Row *Roster::find(std::string_view id) const {
  const auto rows = by_id_.find(folded(id));
  return rows == by_id_.end() || rows->second.size() != 1 ? nullptr : &rows_[rows->second[0]];
}

bool Roster::has_id(const Row &row, std::string_view id) const {
  return std::any_of(row.ids.begin(), row.ids.end(), [&](const std::string &known) {
    return !known.empty() && folded(as_student(known)) == folded(as_student(id));
  });
}

}  // namespace warpgrade::batch
