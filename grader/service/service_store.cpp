#include "service/service_store.hpp"

#include <fmt/format.h>

#include <ctime>

namespace warpgrade::service {

namespace fs = std::filesystem;

namespace {

constexpr int cache_kib = 256;
constexpr std::int64_t service_mark = 0x57677376;  // "Wgsv": PRAGMA application_id

/// Each brings a file one version on; what was released is never edited.
constexpr const char *service_migrations[] = {
    R"sql(
CREATE TABLE person (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  role TEXT NOT NULL                -- student, ta, instructor
) WITHOUT ROWID;
CREATE TABLE token (
  public TEXT PRIMARY KEY,          -- the part that names it
  person TEXT NOT NULL REFERENCES person(id),
  hash TEXT NOT NULL,               -- SHA-256 of the secret part, which is 256 random bits
  made INTEGER NOT NULL,            -- seconds since 1970, as all times here
  revoked INTEGER
) WITHOUT ROWID;
CREATE INDEX token_of ON token(person);
CREATE TABLE audit (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  what TEXT NOT NULL,
  subject TEXT NOT NULL,
  detail TEXT NOT NULL
);
CREATE TABLE grader (               -- what the process that grades an assignment says about itself
  assignment TEXT PRIMARY KEY,
  ready INTEGER NOT NULL,
  detail TEXT NOT NULL,             -- why not, for people
  device TEXT NOT NULL,             -- JSON
  fingerprint TEXT NOT NULL,        -- of the conditions of grading
  slots INTEGER NOT NULL,           -- how many files it grades at a time
  seen INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE content (
  hash TEXT PRIMARY KEY,            -- SHA-256
  bytes BLOB NOT NULL               -- zstd
) WITHOUT ROWID;
CREATE TABLE submission (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  student TEXT NOT NULL REFERENCES person(id),
  assignment TEXT NOT NULL,
  received INTEGER NOT NULL,
  hash TEXT NOT NULL,               -- of the assignment, the steps and their files
  taken INTEGER NOT NULL DEFAULT 0  -- 1: the store of the class knows it
);
CREATE INDEX submission_of ON submission(student, assignment, id);
CREATE INDEX submission_untaken ON submission(assignment) WHERE taken = 0;
CREATE TABLE part (                 -- one step of a submission: what is queued and graded
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  submission INTEGER NOT NULL REFERENCES submission(id),
  step TEXT NOT NULL,
  file TEXT NOT NULL REFERENCES content(hash),
  state INTEGER NOT NULL,           -- 0 queued, 1 running, 2 done
  phase TEXT NOT NULL DEFAULT '',   -- what the process that grades it does just now, for people; while it is queued: why it is held
  costs INTEGER NOT NULL,           -- 1: it had to be run, and counts for the quota
  record BLOB,                      -- JSON of a grading::StepRecord, zstd
  points REAL,
  seconds REAL,
  fingerprint TEXT NOT NULL DEFAULT ''
);
CREATE INDEX part_of ON part(submission);
CREATE INDEX part_unfinished ON part(state) WHERE state < 2;
CREATE INDEX part_file ON part(file, step);
CREATE TABLE served (               -- whose turn it was last, for a queue that is fair by student
  student TEXT PRIMARY KEY,
  turn INTEGER NOT NULL
) WITHOUT ROWID;
)sql",
    R"sql(
CREATE TABLE announcement (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  text TEXT NOT NULL,
  ended INTEGER                     -- when it was taken back
);
CREATE TABLE staff_order (          -- for the process that grades the assignment
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL,               -- points, withdraw, regrade, recount, rescore
  assignment TEXT NOT NULL,
  student TEXT NOT NULL REFERENCES person(id),
  step TEXT NOT NULL,               -- empty: all steps
  points REAL NOT NULL,
  reason TEXT NOT NULL,
  done INTEGER NOT NULL DEFAULT 0   -- 1: carried out
);
CREATE INDEX staff_order_open ON staff_order(assignment) WHERE done = 0;
)sql",
    R"sql(
CREATE INDEX part_failed ON part(id) WHERE state = 2 AND fingerprint = '';
CREATE TABLE consent (              -- who agreed to be named on leaderboards
  person TEXT PRIMARY KEY REFERENCES person(id),
  at INTEGER NOT NULL
) WITHOUT ROWID;
)sql",
    R"sql(
CREATE TABLE thresholds_change (    -- whole texts, so that a change can be undone
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL REFERENCES person(id),
  assignment TEXT NOT NULL,
  file TEXT NOT NULL,               -- its name in the assignment's folder thresholds/
  before TEXT NOT NULL,
  after TEXT NOT NULL
);
)sql",
    R"sql(
CREATE TABLE class_seed (           -- of the inputs: a class that is made anew has the same, so results still count
  assignment TEXT PRIMARY KEY,
  seed TEXT NOT NULL                -- unsigned, 64 bits
) WITHOUT ROWID;
)sql",
    R"sql(
CREATE TABLE sitting (              -- exams on a page: when they began, and what was chosen
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  student TEXT NOT NULL REFERENCES person(id),
  assignment TEXT NOT NULL,
  step TEXT NOT NULL,
  questions TEXT NOT NULL,          -- JSON as in viva.json, of this student
  started INTEGER NOT NULL,
  ends INTEGER NOT NULL,            -- later answers are refused
  ended INTEGER,                    -- by the student, before that
  chosen TEXT NOT NULL,             -- JSON: for each question a place in its choices, or null
  counted INTEGER NOT NULL DEFAULT 0, -- 1: the store of the class has the answers
  reopened INTEGER                  -- when the staff let the student begin again
);
CREATE UNIQUE INDEX one_sitting ON sitting(student, assignment, step) WHERE reopened IS NULL;
)sql",
    R"sql(
CREATE TABLE draft (                -- versions of files in the workspace
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  person TEXT NOT NULL REFERENCES person(id),
  assignment TEXT NOT NULL,
  file TEXT NOT NULL,               -- as the assignment names it
  tab TEXT NOT NULL,                -- of the browser that saved it; empty: without a script
  began INTEGER NOT NULL,           -- versions of one minute are merged
  saved INTEGER NOT NULL,
  aside INTEGER NOT NULL,           -- 1: another tab had saved a newer one
  kept INTEGER NOT NULL,            -- 1: it was run or handed in
  lines INTEGER NOT NULL,
  text BLOB NOT NULL                -- zstd
);
CREATE INDEX draft_of ON draft(person, assignment, file, id);
CREATE TABLE trial (                -- runs of drafts on the simulator, which earn no points
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  person TEXT NOT NULL REFERENCES person(id),
  assignment TEXT NOT NULL,
  step TEXT NOT NULL,
  kind INTEGER NOT NULL,            -- 0 grade, 1 debug
  draft INTEGER NOT NULL,
  file TEXT NOT NULL,               -- hash of the bytes
  bytes BLOB NOT NULL,              -- zstd; empty once it is done
  asked INTEGER NOT NULL,
  state INTEGER NOT NULL,           -- 0 queued, 1 running, 2 done
  phase TEXT NOT NULL DEFAULT '',
  record BLOB NOT NULL DEFAULT '',  -- JSON of a grading::StepRecord, zstd
  page BLOB NOT NULL DEFAULT '',    -- HTML, zstd; of the latest trial of a step
  why TEXT NOT NULL DEFAULT '',
  seconds REAL NOT NULL DEFAULT 0,  -- 0: known from before
  fingerprint TEXT                  -- of the conditions of grading
);
CREATE INDEX trial_of ON trial(person, asked);
CREATE INDEX trial_of_step ON trial(person, assignment, step, kind);
CREATE INDEX trial_unfinished ON trial(assignment, id) WHERE state = 0;
CREATE INDEX trial_running ON trial(person) WHERE state = 1;
CREATE INDEX trial_of_draft ON trial(draft);
CREATE INDEX trial_of_file ON trial(file);
CREATE TABLE trial_runner (         -- what the process that runs trials says about itself
  assignment TEXT PRIMARY KEY,
  ready INTEGER NOT NULL,
  detail TEXT NOT NULL,
  device TEXT NOT NULL,             -- JSON
  fingerprint TEXT NOT NULL,
  seen INTEGER NOT NULL
) WITHOUT ROWID;
)sql",
    R"sql(
CREATE TABLE dispute (              -- what a student says against a report, with what it said then
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  student TEXT NOT NULL REFERENCES person(id),
  assignment TEXT NOT NULL,
  submission INTEGER NOT NULL REFERENCES submission(id),
  step TEXT NOT NULL,
  rule TEXT NOT NULL,               -- the code of a finding, or a verdict; empty: a line, or the whole step
  cause TEXT NOT NULL,              -- of a finding: without numbers and names
  said TEXT NOT NULL,               -- of a finding: its sentence
  file TEXT NOT NULL,
  line INTEGER NOT NULL,            -- 0: no line
  quoted TEXT NOT NULL,             -- the text of the line
  seen_in TEXT NOT NULL,            -- the case that shows it, for the staff; empty: none
  again TEXT NOT NULL,              -- the command that repeats it, for the staff
  open INTEGER NOT NULL DEFAULT 1,
  our_fault INTEGER NOT NULL DEFAULT 0, -- 1: the grader was wrong
  points_given INTEGER NOT NULL DEFAULT 0,
  opened INTEGER NOT NULL,
  changed INTEGER NOT NULL,
  seen INTEGER NOT NULL DEFAULT 0   -- the last message that the student has read
);
CREATE INDEX dispute_of ON dispute(student, assignment);
CREATE INDEX dispute_in ON dispute(submission);
CREATE INDEX dispute_open ON dispute(id) WHERE open = 1;
CREATE INDEX dispute_about ON dispute(assignment, step);
CREATE TABLE dispute_message (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  dispute INTEGER NOT NULL REFERENCES dispute(id),
  at INTEGER NOT NULL,
  author TEXT NOT NULL REFERENCES person(id),
  kind INTEGER NOT NULL,            -- 0 comment of the student; 1 answer, 2 points, 3 fault of the grader, 4 open again
  text TEXT NOT NULL
);
CREATE INDEX dispute_message_of ON dispute_message(dispute);
CREATE TABLE finding_note (         -- a sentence for everybody who has a finding
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  assignment TEXT NOT NULL,
  step TEXT NOT NULL,               -- empty: all steps
  rule TEXT NOT NULL,
  cause TEXT NOT NULL,
  example TEXT NOT NULL,            -- the finding in words
  text TEXT NOT NULL,
  at INTEGER NOT NULL,
  author TEXT NOT NULL REFERENCES person(id),
  ended INTEGER                     -- when it was taken back
);
CREATE INDEX finding_note_of ON finding_note(assignment) WHERE ended IS NULL;
)sql",
    R"sql(
CREATE TABLE outcome (              -- what came of each run in the workspace and of each graded step, also when those are gone
  kind INTEGER NOT NULL,            -- 0 run, 1 step of a submission
  id INTEGER NOT NULL,              -- of the trial or the part
  mark TEXT NOT NULL,               -- changes when a part is graded or scored again
  source INTEGER NOT NULL,          -- the trial, or the submission
  student TEXT NOT NULL,
  assignment TEXT NOT NULL,
  step TEXT NOT NULL,
  file TEXT NOT NULL,               -- hash of the bytes
  at INTEGER NOT NULL,
  verdict TEXT NOT NULL,
  accepted INTEGER NOT NULL,
  rule TEXT NOT NULL,               -- of the first thing that is wrong
  gist TEXT NOT NULL,
  said TEXT NOT NULL,
  points REAL NOT NULL,
  PRIMARY KEY (kind, id)
) WITHOUT ROWID;
CREATE INDEX outcome_in ON outcome(assignment, at);
CREATE INDEX outcome_of ON outcome(student, at);
-- What is not noted yet is found without reading records.
CREATE INDEX trial_done ON trial(id) WHERE state = 2 AND kind = 0;
CREATE INDEX part_done ON part(id, fingerprint, seconds, points) WHERE state = 2;
)sql",
};
constexpr std::int64_t service_version = std::size(service_migrations);

std::int64_t service_pragma(batch::Database &database, const char *name) {
  batch::Statement statement = database.prepare(fmt::format("PRAGMA {}", name));
  return statement.step() ? statement.integer_at(0) : 0;
}

fs::path made(const fs::path &folder, ServiceStore::Access access) {
  std::error_code error;
  if (access == ServiceStore::Access::create) fs::create_directories(folder, error);
  if (error)
    throw batch::StoreError(
        batch::StoreError::Kind::unusable,
        fmt::format("the folder {} cannot be created: {}", folder.string(), error.message()));
  const fs::path file = folder / service_store_name;
  if (access != ServiceStore::Access::create && !fs::exists(file))
    throw batch::StoreError(
        batch::StoreError::Kind::unusable,
        fmt::format("{} is not the folder of a service: there is no {}. 'gradebook tokens' and "
                    "'gradebook serve' make one",
                    folder.string(), service_store_name));
  return file;
}

}  // namespace

ServiceStore::ServiceStore(const fs::path &folder, Access access)
    : database_(made(folder, access), access == Access::create ? batch::Database::Mode::create
                                      : access == Access::open ? batch::Database::Mode::write
                                                               : batch::Database::Mode::read) {
  if (access == Access::create) {
    const std::int64_t mark = service_pragma(database_, "application_id");
    if (mark != service_mark && service_pragma(database_, "schema_version") != 0)
      throw batch::StoreError(batch::StoreError::Kind::unusable,
                              fmt::format("{} is a database of another program", database_.file().string()));
    database_.execute("PRAGMA journal_mode = WAL");
    // Its owner alone may read who has which token and what was submitted.
    fs::permissions(database_.file(), fs::perms::owner_read | fs::perms::owner_write);
  }
  // The network side has a connection for each of its threads, and SQLite would give each 2 MiB for pages.
  database_.execute(
      fmt::format("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA cache_size = -{}", cache_kib));
  if (access == Access::create)
    change([&] {
      const std::int64_t version = service_pragma(database_, "user_version");
      for (std::int64_t v = version; v < service_version; ++v) database_.execute(service_migrations[v]);
      if (version < service_version)
        database_.execute(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", service_mark,
                                      service_version));
    });
  if (const std::int64_t version = service_pragma(database_, "user_version"); version != service_version)
    throw batch::StoreError(
        batch::StoreError::Kind::unusable,
        fmt::format(
            "{} has version {}, but this gradebook needs version {}: use {}; nothing was changed",
            database_.file().string(), version, service_version,
            version > service_version ? "the newer one that wrote it" : "'gradebook serve' to update it"));
}

void ServiceStore::change(const std::function<void()> &work) {
  database_.execute("BEGIN IMMEDIATE");
  try {
    work();
    database_.execute("COMMIT");
  } catch (...) {
    try {
      database_.execute("ROLLBACK");
    } catch (const batch::StoreError &) {  // SQLite has done so by itself, as it does on a full disk
    }
    throw;
  }
}

std::optional<std::uint64_t> ServiceStore::class_seed(const std::string &assignment) {
  batch::Statement found = database_.prepare("SELECT seed FROM class_seed WHERE assignment = ?");
  if (!found.text(assignment).step()) return std::nullopt;
  return std::stoull(found.text_at(0));
}

void ServiceStore::keep_class_seed(const std::string &assignment, std::uint64_t seed) {
  database_
      .prepare(
          "INSERT INTO class_seed (assignment, seed) VALUES (?, ?) "
          "ON CONFLICT DO UPDATE SET seed = excluded.seed")
      .text(assignment)
      .text(std::to_string(seed))
      .run();
}

void note_in_audit(batch::Database &database, std::int64_t at, std::string_view actor, std::string_view what,
                   std::string_view subject, std::string_view detail) {
  database.prepare("INSERT INTO audit (at, actor, what, subject, detail) VALUES (?, ?, ?, ?, ?)")
      .integer(at)
      .text(actor)
      .text(what)
      .text(subject)
      .text(detail)
      .run();
}

void note_command_in_audit(const fs::path &class_folder, std::string_view what, std::string_view subject,
                           std::string_view detail) {
  const fs::path of_class = fs::weakly_canonical(class_folder), service = of_class.parent_path();
  if (!fs::exists(service / service_store_name)) return;
  ServiceStore store(service, ServiceStore::Access::open);
  store.change([&] {
    note_in_audit(store.database(), std::time(nullptr), "the administrator", what, subject,
                  fmt::format("{}{}{}", of_class.filename().string(), detail.empty() ? "" : " ", detail));
  });
}

}  // namespace warpgrade::service
