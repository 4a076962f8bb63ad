// The tables of gradebook.db, and how older files become as the present ones.
#include <fmt/format.h>

#include "batch/store.hpp"

namespace warpgrade::batch {

namespace {

constexpr std::int64_t our_mark = 0x57677264;  // "Wgrd": PRAGMA application_id

/// Each brings a file one version on; what was released is never edited.
constexpr const char *migrations[] = {
    // 1
    R"sql(
CREATE TABLE class (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  assignment TEXT NOT NULL,
  seed TEXT NOT NULL,               -- unsigned, 64 bits
  begun TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE TABLE grading (              -- what graded: one row for each step and set of conditions
  id INTEGER PRIMARY KEY,
  step TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  conditions TEXT NOT NULL,         -- JSON
  provenance TEXT NOT NULL,         -- JSON
  device TEXT NOT NULL,             -- JSON
  first_used TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
  UNIQUE (step, fingerprint)
);
CREATE TABLE grading_now (
  step TEXT PRIMARY KEY,
  grading INTEGER NOT NULL REFERENCES grading(id)
) WITHOUT ROWID;
CREATE TABLE student (
  id TEXT PRIMARY KEY
) WITHOUT ROWID;
CREATE TABLE handin (
  id INTEGER PRIMARY KEY,
  student TEXT NOT NULL REFERENCES student(id),
  source TEXT NOT NULL,
  handed_in INTEGER NOT NULL,       -- seconds since 1970
  hash TEXT NOT NULL,               -- of everything in it
  notes TEXT NOT NULL,              -- JSON
  refused TEXT NOT NULL,
  id_mismatch TEXT NOT NULL,        -- why it may be another student's
  superseded INTEGER NOT NULL,      -- 1: its names say that a later one counts
  seen INTEGER NOT NULL,            -- the order in which handins were last read
  UNIQUE (student, source, handed_in, hash)
);
CREATE INDEX handin_seen ON handin(seen);
CREATE TABLE file (
  hash TEXT PRIMARY KEY,            -- SHA-256
  content BLOB NOT NULL             -- zstd
) WITHOUT ROWID;
CREATE TABLE handin_file (
  handin INTEGER NOT NULL REFERENCES handin(id),
  name TEXT NOT NULL,
  file TEXT NOT NULL REFERENCES file(hash),
  PRIMARY KEY (handin, name)
) WITHOUT ROWID;
CREATE INDEX handin_file_file ON handin_file(file);
-- The handin that counts: the last one read under each name; of those not superseded, the one handed in last.
CREATE VIEW handin_now AS
  SELECT id, student FROM (
    SELECT h.id, h.student, row_number() OVER (PARTITION BY h.student ORDER BY h.superseded, h.handed_in DESC, h.seen DESC) AS place
    FROM handin h
    WHERE NOT EXISTS (SELECT 1 FROM handin l WHERE l.student = h.student AND l.source = h.source AND l.seen > h.seen))
  WHERE place = 1;
CREATE TABLE result (
  id INTEGER PRIMARY KEY,
  grading INTEGER NOT NULL REFERENCES grading(id),
  file TEXT NOT NULL REFERENCES file(hash),
  verdict TEXT NOT NULL,
  record BLOB NOT NULL,             -- JSON of a grading::StepRecord, zstd
  seconds REAL NOT NULL,
  counts INTEGER NOT NULL DEFAULT 1,   -- 0: graded again since
  graded TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE UNIQUE INDEX one_result ON result(grading, file) WHERE counts = 1;
CREATE TABLE wanted_again (
  step TEXT NOT NULL,
  file TEXT NOT NULL REFERENCES file(hash),
  PRIMARY KEY (step, file)
) WITHOUT ROWID;
CREATE TABLE score (
  student TEXT PRIMARY KEY REFERENCES student(id),
  status TEXT NOT NULL,
  points REAL NOT NULL,
  max_points REAL NOT NULL,
  ungraded_points REAL NOT NULL,
  extra_credit REAL NOT NULL,
  reported INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE TABLE step_score (
  student TEXT NOT NULL REFERENCES score(student) ON DELETE CASCADE,
  place INTEGER NOT NULL,
  step TEXT NOT NULL,
  verdict TEXT NOT NULL,
  points REAL,
  max_points REAL NOT NULL,
  ungraded_points REAL NOT NULL,
  PRIMARY KEY (student, place)
) WITHOUT ROWID;
CREATE TABLE override (             -- points given by hand; withdrawn ones stay as history
  id INTEGER PRIMARY KEY,
  student TEXT NOT NULL REFERENCES student(id),
  step TEXT NOT NULL,
  points REAL NOT NULL,
  reason TEXT NOT NULL,
  given TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
  withdrawn TEXT
);
CREATE UNIQUE INDEX one_override ON override(student, step) WHERE withdrawn IS NULL;
)sql",
    // 2: what was "refused" is "archive_refused"; "missing" was said of those who handed in nothing
    R"sql(
UPDATE score SET status = 'archive_refused', reported = 0 WHERE status = 'refused';
UPDATE score SET status = 'not_submitted', reported = 0 WHERE status = 'missing';
UPDATE score SET status = 'missing', reported = 0
  WHERE status = 'graded' AND student IN (SELECT h.student FROM handin_now h WHERE NOT EXISTS (SELECT 1 FROM handin_file f WHERE f.handin = h.id));
)sql",
    // 3: names of people, what is late, and ids that a file system may take for one
    R"sql(
ALTER TABLE student ADD COLUMN name TEXT NOT NULL DEFAULT '';
CREATE INDEX student_in_any_case ON student(id COLLATE NOCASE);
ALTER TABLE handin ADD COLUMN late INTEGER NOT NULL DEFAULT 0;          -- 1: the platform says so
ALTER TABLE handin ADD COLUMN time_known INTEGER NOT NULL DEFAULT 0;    -- 1: handed_in is the platform's
ALTER TABLE score ADD COLUMN late_days INTEGER NOT NULL DEFAULT 0;
)sql",
    // 4: what stands in for speed where no GPU measures it
    R"sql(
ALTER TABLE class ADD COLUMN without_gpu TEXT NOT NULL DEFAULT 'leave';   -- as assignment.yaml writes it
)sql",
    // 5: exams, of which nothing is handed in
    R"sql(
CREATE TABLE exam (                 -- answers to questions about a student's own kernels; replaced ones stay
  id INTEGER PRIMARY KEY,
  student TEXT NOT NULL REFERENCES student(id),
  step TEXT NOT NULL,
  record TEXT NOT NULL,             -- JSON of the step's record
  questions TEXT NOT NULL,          -- JSON: the questions, what is right, and what was chosen
  given TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
  replaced TEXT
);
CREATE UNIQUE INDEX one_exam ON exam(student, step) WHERE replaced IS NULL;
)sql",
    // 6: files of variants, each with conditions of its own: grading.step and grading_now.step are "STEP VARIANT" then
    R"sql(
CREATE TABLE file_variant (
  file TEXT PRIMARY KEY REFERENCES file(hash),
  variant TEXT NOT NULL
) WITHOUT ROWID;
)sql",
    // 7: a result that counts for one student alone; what grading again would change; what it changed
    R"sql(
CREATE TABLE choice (               -- students who keep a result when others with the same file get another
  student TEXT NOT NULL REFERENCES student(id),
  step TEXT NOT NULL,
  file TEXT NOT NULL REFERENCES file(hash),
  result INTEGER NOT NULL REFERENCES result(id),
  PRIMARY KEY (student, step, file)
) WITHOUT ROWID;
CREATE TABLE wanted_for (           -- for whom a file is wanted again; no row: for everybody who handed it in
  step TEXT NOT NULL,
  file TEXT NOT NULL REFERENCES file(hash),
  student TEXT NOT NULL REFERENCES student(id),
  PRIMARY KEY (step, file, student)
) WITHOUT ROWID;
CREATE TABLE preview (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  actor TEXT NOT NULL,
  course TEXT NOT NULL,             -- hash of the course's files as they were
  without_gpu TEXT NOT NULL,
  version TEXT NOT NULL,            -- of the grader
  begun TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE TABLE preview_file (         -- what was handed in when the preview began
  student TEXT NOT NULL REFERENCES student(id),
  step TEXT NOT NULL,
  file TEXT NOT NULL REFERENCES file(hash),
  grading INTEGER NOT NULL REFERENCES grading(id),
  again INTEGER NOT NULL,           -- 1: run it, whatever result there is
  PRIMARY KEY (student, step, file)
) WITHOUT ROWID;
CREATE TABLE preview_result (       -- counts for nobody until it is applied
  grading INTEGER NOT NULL REFERENCES grading(id),
  file TEXT NOT NULL REFERENCES file(hash),
  verdict TEXT NOT NULL,
  record BLOB NOT NULL,             -- as in result
  seconds REAL NOT NULL,
  PRIMARY KEY (grading, file)
) WITHOUT ROWID;
CREATE TABLE regrading (            -- what changed the results that count of some students, so that it can be undone
  id INTEGER PRIMARY KEY,
  actor TEXT NOT NULL,
  detail TEXT NOT NULL,             -- for people
  without_gpu TEXT,                 -- of the class, before; null: unchanged
  at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
  undone TEXT
);
CREATE TABLE regrading_result (
  regrading INTEGER NOT NULL REFERENCES regrading(id),
  student TEXT NOT NULL REFERENCES student(id),
  step TEXT NOT NULL,
  file TEXT NOT NULL REFERENCES file(hash),
  before INTEGER NOT NULL REFERENCES result(id),
  after INTEGER NOT NULL REFERENCES result(id),
  PRIMARY KEY (regrading, student, step, file)
) WITHOUT ROWID;
CREATE TABLE regrading_conditions ( -- of grading_now
  regrading INTEGER NOT NULL REFERENCES regrading(id),
  step TEXT NOT NULL,
  before INTEGER NOT NULL REFERENCES grading(id),
  after INTEGER NOT NULL REFERENCES grading(id),
  PRIMARY KEY (regrading, step)
) WITHOUT ROWID;
CREATE TABLE regrading_score (      -- of each of these students, before
  regrading INTEGER NOT NULL REFERENCES regrading(id),
  student TEXT NOT NULL REFERENCES student(id),
  score TEXT NOT NULL,              -- JSON
  report BLOB NOT NULL,             -- zstd
  rest TEXT NOT NULL,               -- JSON: what else the points followed from
  PRIMARY KEY (regrading, student)
) WITHOUT ROWID;
)sql",
    // 8: orders of a service, so that none is carried out twice; result.counts may be -1: undone, counts for nobody new
    R"sql(
ALTER TABLE regrading ADD COLUMN by_order TEXT NOT NULL DEFAULT '';     -- that applied it; empty: a command
ALTER TABLE regrading ADD COLUMN undone_by TEXT NOT NULL DEFAULT '';    -- the order that undid it
)sql",
};
constexpr std::int64_t present_version = std::size(migrations);

std::int64_t pragma(Database &database, const char *name) {
  Statement statement = database.prepare(fmt::format("PRAGMA {}", name));
  return statement.step() ? statement.integer_at(0) : 0;
}

/// The version of the file; refuses what is not ours or not yet known.
std::int64_t version_of(Database &database) {
  const std::int64_t version = pragma(database, "user_version"), mark = pragma(database, "application_id");
  const bool empty = version == 0 && mark == 0 && pragma(database, "schema_version") == 0;
  if (!empty && mark != our_mark)
    throw StoreError(StoreError::Kind::unusable,
                     fmt::format("{} is a database of another program", database.file().string()));
  if (version > present_version)
    throw StoreError(
        StoreError::Kind::unusable,
        fmt::format("{} was written by a newer gradebook (version {} of the file, this one knows {}): use "
                    "that one; nothing was changed",
                    database.file().string(), version, present_version));
  return version;
}

}  // namespace

void migrate(Database &database) {
  for (std::int64_t version = version_of(database); version < present_version; ++version) {
    Transaction transaction(database);
    database.execute(migrations[version]);
    database.execute(
        fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", our_mark, version + 1));
    transaction.commit();
  }
}

void check_version(Database &database) {
  const std::int64_t version = version_of(database);
  if (version == present_version) return;
  throw StoreError(
      StoreError::Kind::unusable,
      fmt::format("{} {}", database.file().string(),
                  version == 0 ? "contains no class yet"
                               : "is of an older version; any command that writes brings it up to date"));
}

}  // namespace warpgrade::batch
