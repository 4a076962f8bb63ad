#include "batch/store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <system_error>
#include <tuple>

#include "base/json_fields.hpp"
#include "batch/content.hpp"
#include "grading/record_fields.hpp"
#include "grading/record_json.hpp"

namespace warpgrade::batch {

namespace {

namespace fs = std::filesystem;

constexpr const char *store_name = "gradebook.db";
constexpr int handins_a_transaction = 64;

std::unique_ptr<Database> open(const fs::path &folder, Store::Access access) {
  const fs::path file = folder / store_name;
  if (access != Store::Access::create && !fs::exists(file))
    throw StoreError(StoreError::Kind::unusable,
                     fmt::format("{} contains no class: there is no {}; 'gradebook run' makes one",
                                 folder.string(), store_name));
  auto database = std::make_unique<Database>(file, access == Store::Access::create   ? Database::Mode::create
                                                   : access == Store::Access::change ? Database::Mode::write
                                                                                     : Database::Mode::read);
  if (access == Store::Access::read) {
    check_version(*database);
    return database;
  }
  {
    Statement check = database->prepare("PRAGMA quick_check(1)");
    if (check.step() && check.text_at(0) != "ok")
      throw StoreError(
          StoreError::Kind::failed,
          fmt::format("{}: the file is damaged ({}). It was left as it is. Put a copy from a backup in "
                      "its place, or move it away and grade the class again",
                      file.string(), check.text_at(0)));
  }
  // Every commit reaches the disk before it returns: a power cut costs what was under way, nothing else.
  database->execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON");
  migrate(*database);
  return database;
}

std::string list_of(const Store::StepFiles &steps) {
  json::Json list = json::Json::array();
  for (const auto &[id, name] : steps) list.push_back({id, name});
  return list.dump();
}

/// Files that count as a step: step, file, first student, place of the step, variant, and under what name their
/// conditions are kept.
constexpr const char *files_that_count = R"sql(
  WITH steps AS (SELECT key AS place, json_extract(value, '$[0]') AS step, json_extract(value, '$[1]') AS name
                 FROM json_each(?)),
       counting AS (SELECT s.step AS step, f.file AS file, min(h.student) AS student, min(s.place) AS place,
                           coalesce(max(v.variant), '') AS variant, s.step || coalesce(' ' || max(v.variant), '') AS key
                    FROM handin_now h JOIN handin_file f ON f.handin = h.id JOIN steps s ON s.name = f.name
                    LEFT JOIN file_variant v ON v.file = f.file
                    GROUP BY s.step, f.file) )sql";
/// The result that counts, of a step and a file: a number of the table, or nothing.
std::string result_of(std::string_view step, std::string_view file) {
  return fmt::format(R"sql(
  (SELECT r.id FROM grading_now n JOIN grading now ON now.id = n.grading JOIN grading g ON g.step = n.step
   JOIN result r ON r.grading = g.id
   WHERE n.step = {} AND r.file = {} AND r.counts = 1 AND
         (g.id = now.id OR json_extract(g.device, '$.name') IS json_extract(now.device, '$.name'))
   ORDER BY g.id = now.id DESC, r.id DESC LIMIT 1) )sql",
                     step, file);
}

/// The same student by student: student, step, place, file, variant and key.
constexpr const char *files_of_students = R"sql(
  WITH steps AS (SELECT key AS place, json_extract(value, '$[0]') AS step, json_extract(value, '$[1]') AS name
                 FROM json_each(?)),
       own AS (SELECT h.student AS student, s.step AS step, s.place AS place, f.file AS file,
                      coalesce(v.variant, '') AS variant, s.step || coalesce(' ' || v.variant, '') AS key
               FROM handin_now h JOIN handin_file f ON f.handin = h.id JOIN steps s ON s.name = f.name
               LEFT JOIN file_variant v ON v.file = f.file) )sql";

/// For `files_of_students`: the result that counts for the student.
std::string their_results() {
  return "LEFT JOIN choice k ON k.student = o.student AND k.step = o.step AND k.file = o.file JOIN result r "
         "ON "
         "r.id = coalesce(k.result, " +
         result_of("o.key", "o.file") + ")";
}

/// For `files_that_count`: the present grading and the result that counts.
std::string its_result() {
  return "LEFT JOIN grading_now g ON g.step = c.key LEFT JOIN result r ON r.id = " +
         result_of("c.key", "c.file");
}

std::vector<Task> tasks_of(Statement &statement) {
  std::vector<Task> tasks;
  while (statement.step()) tasks.push_back({statement.text_at(0), statement.text_at(1)});
  return tasks;
}

/// Remarks change no points, so damaged ones are not worth more than a remark.
std::vector<std::string> notes_of(const std::string &text) {
  try {
    return json::read<std::vector<std::string>>(json::Json::parse(text));
  } catch (const std::exception &) {
    return {"The remarks about this submission are damaged in the store."};
  }
}

/// None: no row, or damaged bytes, which place_of_result() names.
std::optional<grading::StepRecord> record_of(Statement &statement) {
  if (!statement.step()) return std::nullopt;
  try {
    return grading::step_record_of(expanded(statement.text_at(0)));
  } catch (const std::runtime_error &) {
    return std::nullopt;
  }
}

std::vector<std::string> texts_of(Statement statement) {
  std::vector<std::string> texts;
  while (statement.step()) texts.push_back(statement.text_at(0));
  return texts;
}

}  // namespace

const std::string *Student::hash_of(std::string_view wanted) const {
  for (const auto &[file, hash] : files)
    if (file == wanted) return &hash;
  return nullptr;
}

Store::Store(const fs::path &folder, Access access) : folder_(folder) {
  std::error_code error;
  if (access == Access::create) fs::create_directories(folder, error);
  if (error)
    throw StoreError(StoreError::Kind::unusable,
                     fmt::format("the folder {} cannot be created: {}", folder.string(), error.message()));
  if (access != Access::read && fs::is_directory(folder)) lock_ = std::make_unique<ClassLock>(folder);
  database_ = open(folder, access);
}

Store::~Store() = default;
Store::Store(Store &&) noexcept = default;

std::optional<ClassInfo> Store::info() const {
  Statement statement = database_->prepare("SELECT assignment, seed, without_gpu FROM class");
  if (!statement.step()) return std::nullopt;
  return ClassInfo{statement.text_at(0), std::stoull(statement.text_at(1)),
                   course::without_gpu_of(statement.text_at(2)).value_or(course::WithoutGpu::leave)};
}

void Store::begin(const ClassInfo &info) {
  database_
      ->prepare(
          "INSERT INTO class (id, assignment, seed, without_gpu) VALUES (1, ?, ?, ?) ON CONFLICT DO UPDATE "
          "SET assignment = excluded.assignment, seed = excluded.seed, without_gpu = excluded.without_gpu")
      .text(info.assignment)
      .text(std::to_string(info.seed))
      .text(std::string(course::name_of(info.without_gpu)))
      .run();
}

std::int64_t Store::remember(const Grading &g) {
  const std::string key = g.variant.empty() ? g.step : g.step + " " + g.variant;
  database_
      ->prepare(
          "INSERT INTO grading (step, fingerprint, conditions, provenance, device) VALUES (?, ?, ?, ?, ?) "
          "ON CONFLICT DO NOTHING")
      .text(key)
      .text(g.fingerprint)
      .text(g.conditions)
      .text(g.provenance)
      .text(json::write(g.device).dump())
      .run();
  Statement number = database_->prepare("SELECT id FROM grading WHERE step = ? AND fingerprint = ?");
  number.text(key).text(g.fingerprint).step();
  return number.integer_at(0);
}

void Store::grade_with(const Grading &g) {
  Transaction transaction(*database_);
  database_
      ->prepare(
          "INSERT INTO grading_now (step, grading) SELECT step, id FROM grading WHERE id = ? "
          "ON CONFLICT DO UPDATE SET grading = excluded.grading")
      .integer(remember(g))
      .run();
  transaction.commit();
}

std::optional<Grading> Store::grading_of(const std::string &step, const std::string &variant) const {
  Statement statement = database_->prepare(
      "SELECT fingerprint, conditions, provenance, device FROM grading JOIN grading_now n ON n.grading = "
      "grading.id "
      "WHERE n.step = ?");
  const std::string key = variant.empty() ? step : step + " " + variant;
  if (!statement.text(key).step()) return std::nullopt;
  return Grading{step,
                 statement.text_at(0),
                 statement.text_at(1),
                 statement.text_at(2),
                 json::read<grading::DeviceRecord>(json::Json::parse(statement.text_at(3))),
                 variant};
}

std::vector<std::string> Store::variants() const {
  return texts_of(database_->prepare("SELECT DISTINCT variant FROM file_variant ORDER BY variant"));
}

std::string Store::variant_of(const std::string &file) const {
  Statement statement = database_->prepare("SELECT variant FROM file_variant WHERE file = ?");
  return statement.text(file).step() ? statement.text_at(0) : "";
}

std::string Store::key_of(const Task &task) const {
  const std::string variant = variant_of(task.file);
  return variant.empty() ? task.step : task.step + " " + variant;
}

void Store::take_in_student(const std::string &id, const std::string &name) {
  database_
      ->prepare(
          "INSERT INTO student (id, name) VALUES (?, ?) "
          "ON CONFLICT DO UPDATE SET name = excluded.name WHERE excluded.name NOT IN ('', name)")
      .text(id)
      .text(name)
      .run();
}

namespace {

void keep_variant(Database &database, const std::string &hash, const std::string &variant) {
  if (variant.empty()) return;
  database.prepare("INSERT INTO file_variant (file, variant) VALUES (?, ?) ON CONFLICT DO NOTHING")
      .text(hash)
      .text(variant)
      .run();
}

}  // namespace

void Store::take_in(const Handin &handin) {
  if (handin.source.empty()) return take_in_student(handin.student, handin.name);  // a row of the roster
  json::Json all = {json::write(handin.notes), json::write(handin.refused), json::write(handin.id_mismatch)};
  std::vector<std::string> hashes;
  for (const HandedFile &file : handin.files) {
    hashes.push_back(hash_of(file.content));
    all.push_back({json::write(file.name), hashes.back()});
  }
  const std::string hash = hash_of(all.dump());
  const std::int64_t superseded = handin.superseded_by.empty() ? 0 : 1;
  if (!taking_in_) taking_in_ = std::make_unique<Transaction>(*database_);
  take_in_student(handin.student, handin.name);
  const std::int64_t late = handin.late ? 1 : 0, time_known = handin.time_known ? 1 : 0;
  {
    Statement newest = database_->prepare(
        "SELECT handed_in, hash, superseded, late, time_known FROM handin WHERE student = ? AND source = ? "
        "ORDER BY seen DESC "
        "LIMIT 1");
    const bool known = newest.text(handin.student).text(handin.source).step();
    if (known && newest.integer_at(0) == handin.handed_in && newest.text_at(1) == hash &&
        newest.integer_at(2) == superseded && newest.integer_at(3) == late &&
        newest.integer_at(4) == time_known) {
      for (std::size_t i = 0; i < handin.files.size(); ++i)
        if (!file(hashes[i]))
          keep_file(hashes[i], handin.files[i]);
        else  // an older gradebook that took it in did not keep it
          keep_variant(*database_, hashes[i], handin.files[i].variant);
      return;
    }
  }
  database_
      ->prepare(
          "INSERT INTO handin (student, source, handed_in, hash, notes, refused, id_mismatch, superseded, "
          "late, time_known, seen) "
          "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, (SELECT ifnull(max(seen), 0) + 1 FROM handin)) "
          "ON CONFLICT DO UPDATE SET seen = excluded.seen, superseded = excluded.superseded, "
          "late = excluded.late, time_known = excluded.time_known")
      .text(handin.student)
      .text(handin.source)
      .integer(handin.handed_in)
      .text(hash)
      .text(json::write(handin.notes).dump())
      .text(handin.refused)
      .text(handin.id_mismatch)
      .integer(superseded)
      .integer(late)
      .integer(time_known)
      .run();
  Statement find = database_->prepare(
      "SELECT id FROM handin WHERE student = ? AND source = ? AND handed_in = ? AND hash = ?");
  find.text(handin.student).text(handin.source).integer(handin.handed_in).text(hash).step();
  const std::int64_t id = find.integer_at(0);
  for (std::size_t i = 0; i < handin.files.size(); ++i) {
    keep_file(hashes[i], handin.files[i]);
    database_->prepare("INSERT INTO handin_file (handin, name, file) VALUES (?, ?, ?) ON CONFLICT DO NOTHING")
        .integer(id)
        .text(handin.files[i].name)
        .text(hashes[i])
        .run();
  }
  if (++taken_in_ % handins_a_transaction == 0) finish_taking_in();
}

void Store::keep_file(const std::string &hash, const HandedFile &handed) {
  database_
      ->prepare(
          "INSERT INTO file (hash, content) VALUES (?, ?) ON CONFLICT DO UPDATE SET content = "
          "excluded.content "
          "WHERE excluded.content <> content")
      .text(hash)
      .blob(compressed(handed.content))
      .run();
  keep_variant(*database_, hash, handed.variant);
}

void Store::finish_taking_in() {
  if (taking_in_) taking_in_->commit();
  taking_in_.reset();
}

std::vector<std::string> Store::students() const {
  return texts_of(database_->prepare("SELECT id FROM student ORDER BY id"));
}

bool Store::knows(const std::string &student, const std::string &source) const {
  Statement statement = database_->prepare("SELECT 1 FROM handin WHERE student = ? AND source = ? LIMIT 1");
  return statement.text(student).text(source).step();
}

bool Store::has_twin(const std::string &id) const {
  Statement statement = database_->prepare("SELECT count(*) FROM student WHERE id = ? COLLATE NOCASE");
  return statement.text(id).step() && statement.integer_at(0) > 1;
}

Student Store::student(const std::string &id) const {
  Student student;
  student.id = id;
  if (Statement person = database_->prepare("SELECT name FROM student WHERE id = ?"); person.text(id).step())
    student.name = person.text_at(0);
  Statement handin = database_->prepare(
      "SELECT h.id, source, handed_in, refused, notes, id_mismatch, late, time_known FROM handin h JOIN "
      "handin_now n ON n.id = "
      "h.id "
      "WHERE n.student = ?");  // of n, so that SQLite looks at the hand-ins of one student alone
  if (!handin.text(id).step()) return student;
  student.source = handin.text_at(1);
  student.handed_in = handin.integer_at(2);
  student.refused = handin.text_at(3);
  student.late = handin.integer_at(6) != 0;
  student.time_known = handin.integer_at(7) != 0;
  student.notes = notes_of(handin.text_at(4));
  student.id_mismatch = handin.text_at(5);
  Statement files = database_->prepare("SELECT name, file FROM handin_file WHERE handin = ? ORDER BY name");
  files.integer(handin.integer_at(0));
  while (files.step()) student.files.emplace_back(files.text_at(0), files.text_at(1));
  return student;
}

std::size_t Store::superseded() const {
  Statement statement =
      database_->prepare("SELECT count(*) FROM handin WHERE id NOT IN (SELECT id FROM handin_now)");
  statement.step();
  return static_cast<std::size_t>(statement.integer_at(0));
}

std::optional<std::string> Store::file(const std::string &hash) const {
  Statement statement = database_->prepare("SELECT content FROM file WHERE hash = ?");
  if (!statement.text(hash).step())
    throw StoreError(StoreError::Kind::failed,
                     fmt::format("{}: the file {} is missing", database_->file().string(), hash));
  try {
    std::string content = expanded(statement.text_at(0));
    if (hash_of(content) == hash) return content;
  } catch (const std::runtime_error &) {  // said by place_of_file()
  }
  return std::nullopt;
}

std::optional<grading::StepRecord> Store::result(const Task &task) const {
  Statement statement = database_->prepare(
      "SELECT record FROM result r JOIN grading_now g ON g.grading = r.grading "
      "WHERE g.step = ? AND r.file = ? AND r.counts = 1");
  const std::string key = key_of(task);
  return record_of(statement.text(key).text(task.file));
}

std::optional<grading::StepRecord> Store::result_that_counts(const Task &task) const {
  Statement statement = database_->prepare("SELECT record FROM result WHERE id = " + result_of("?", "?"));
  const std::string key = key_of(task);
  return record_of(statement.text(key).text(task.file));
}

std::optional<grading::StepRecord> Store::result_that_counts(const std::string &student,
                                                             const Task &task) const {
  return record(number_of_result(student, task));
}

std::vector<Store::GradedUnder> Store::conditions_that_count(const StepFiles &steps) const {
  Statement statement = database_->prepare(fmt::format(
      "{} SELECT o.step, o.file, g.conditions, o.variant, o.student FROM own o {} JOIN grading g ON g.id = "
      "r.grading ORDER BY o.place, o.student",
      files_of_students, their_results()));
  statement.text(list_of(steps));
  std::vector<GradedUnder> all;
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> places;
  while (statement.step()) {
    const auto [place, fresh] =
        places.try_emplace({statement.text_at(0), statement.text_at(1), statement.text_at(2)}, all.size());
    if (fresh)
      all.push_back(
          {{statement.text_at(0), statement.text_at(1)}, statement.text_at(2), statement.text_at(3), {}});
    all[place->second].students.push_back(statement.text_at(4));
  }
  return all;
}

std::string Store::place_of_file(const std::string &hash) const {
  Statement statement = database_->prepare("SELECT 1 FROM file WHERE hash = ?");
  if (!statement.text(hash).step()) return "";
  return fmt::format("{}, table file, row {}", store_name, hash);
}

std::string Store::place_of_result(const std::string &student, const Task &task) const {
  const std::int64_t number = number_of_result(student, task);
  return number == 0 ? "" : fmt::format("{}, table result, row {}", store_name, number);
}

std::vector<Standing> Store::standings(const StepFiles &steps) const {
  Statement statement = database_->prepare(
      fmt::format("{} SELECT o.student, o.step, o.file, r.id FROM own o {} ORDER BY o.student, o.place",
                  files_of_students, their_results()));
  statement.text(list_of(steps));
  std::vector<Standing> all;
  while (statement.step())
    all.push_back(
        {statement.text_at(0), statement.text_at(1), statement.text_at(2), statement.integer_at(3)});
  return all;
}

std::int64_t Store::number_of_result(const std::string &student, const Task &task) const {
  Statement statement = database_->prepare(
      "SELECT coalesce((SELECT result FROM choice WHERE student = ? AND step = ? AND file = ?), " +
      result_of("?", "?") + ", 0)");
  const std::string key = key_of(task);
  statement.text(student).text(task.step).text(task.file).text(key).text(task.file).step();
  return statement.integer_at(0);
}

std::optional<grading::StepRecord> Store::record(std::int64_t result) const {
  Statement statement = database_->prepare("SELECT record FROM result WHERE id = ?");
  return record_of(statement.integer(result));
}

std::string Store::place_of_result(const Task &task) const {
  Statement statement = database_->prepare("SELECT id FROM result WHERE id = " + result_of("?", "?"));
  const std::string key = key_of(task);
  if (!statement.text(key).text(task.file).step()) return "";
  return fmt::format("{}, table result, row {}", store_name, statement.integer_at(0));
}

std::vector<Task> Store::pending(const StepFiles &steps) const {
  Statement statement = database_->prepare(fmt::format(
      "{} SELECT c.step, c.file FROM counting c {} LEFT JOIN wanted_again w ON w.step = c.step AND w.file = "
      "c.file WHERE r.id IS NULL OR r.grading <> g.grading OR w.step IS NOT NULL ORDER BY c.student, c.place",
      files_that_count, its_result()));
  return tasks_of(statement.text(list_of(steps)));
}

std::size_t Store::tasks(const StepFiles &steps) const {
  Statement statement = database_->prepare(fmt::format("{} SELECT count(*) FROM counting", files_that_count));
  statement.text(list_of(steps)).step();
  return static_cast<std::size_t>(statement.integer_at(0));
}

std::vector<Task> Store::without_result(const StepFiles &steps) const {
  Statement statement = database_->prepare(fmt::format(
      "{} SELECT c.step, c.file FROM counting c {} LEFT JOIN wanted_again w ON w.step = c.step AND w.file = "
      "c.file WHERE r.id IS NULL OR w.step IS NOT NULL ORDER BY c.student, c.place",
      files_that_count, its_result()));
  return tasks_of(statement.text(list_of(steps)));
}

std::vector<Task> Store::with_verdict(const StepFiles &steps, judge::Verdict verdict) const {
  Statement statement = database_->prepare(fmt::format(
      "{} SELECT o.step, o.file FROM own o {} WHERE r.verdict = ? GROUP BY o.step, o.file ORDER BY "
      "min(o.student), min(o.place)",
      files_of_students, their_results()));
  return tasks_of(statement.text(list_of(steps)).text(judge::name_of(verdict)));
}

std::vector<std::string> Store::students_with(const std::string &name, const std::string &hash) const {
  std::vector<std::string> students = owners(hash);
  std::erase_if(students, [&](const std::string &id) {
    const Student of = student(id);
    const std::string *counts = of.hash_of(name);
    return counts == nullptr || *counts != hash;
  });
  return students;
}

std::vector<std::string> Store::owners(const std::string &file) const {
  Statement statement = database_->prepare(
      "SELECT DISTINCT h.student FROM handin_file f JOIN handin h ON h.id = f.handin WHERE f.file = ? ORDER "
      "BY "
      "h.student");
  statement.text(file);
  std::vector<std::string> students = texts_of(std::move(statement));
  // The hand-in that counts is looked up student by student: for all of a class it takes long.
  std::erase_if(students, [&](const std::string &id) {
    const Student of = student(id);
    return std::none_of(of.files.begin(), of.files.end(), [&](const auto &f) { return f.second == file; });
  });
  return students;
}

void Store::keep(const Task &task, const grading::StepRecord &record, double seconds,
                 const std::function<void()> &also, const std::vector<std::string> &whom) {
  Transaction transaction(*database_);
  const std::string key = key_of(task);
  std::vector<std::string> theirs = wanted_for(task);
  const bool by_everybody = theirs.empty() && is_wanted_again(task);
  theirs.insert(theirs.end(), whom.begin(), whom.end());
  const bool of_everybody = by_everybody || theirs.empty();
  for (const std::string &student : owners(task.file))
    if (of_everybody || std::find(theirs.begin(), theirs.end(), student) != theirs.end())
      follow(student, task);
    else if (const std::int64_t before = number_of_result(student, task); before != 0)
      keep_result(student, task, before);
  database_
      ->prepare(
          "UPDATE result SET counts = 0 WHERE counts = 1 AND file = ? AND "
          "grading = (SELECT grading FROM grading_now WHERE step = ?)")
      .text(task.file)
      .text(key)
      .run();
  database_
      ->prepare(
          "INSERT INTO result (grading, file, verdict, record, seconds) "
          "VALUES ((SELECT grading FROM grading_now WHERE step = ?), ?, ?, ?, ?)")
      .text(key)
      .text(task.file)
      .text(judge::name_of(record.verdict))
      .blob(compressed(grading::to_json(record)))
      .real(seconds)
      .run();
  for (const char *table : {"wanted_again", "wanted_for"})
    database_->prepare(fmt::format("DELETE FROM {} WHERE step = ? AND file = ?", table))
        .text(task.step)
        .text(task.file)
        .run();
  if (also) also();
  transaction.commit();
}

}  // namespace warpgrade::batch
