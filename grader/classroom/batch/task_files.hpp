// The files through which a run and its tasks on other machines communicate, on a file system that both see.
// A file is complete or absent (written under another name, synchronised, renamed). It contains its kind, its
// protocol, its length and the hash of its content: a file that is truncated, of another protocol or with
// other bytes is refused, never partly used.
//
//     FOLDER/arrays/<id>/array.json         what each task grades, and how: enough to go on after a crash
//                       /work-<task>.json   the same for one task, with the files' bytes
//                       /job.sh             what runs on a node
//                       /job                the cluster's number for it, once it has one
//                       /result-<task>-<item>.json, refusal-<task>.json, log-<task>.txt    what tasks leave
//
// None of them contains a student's name.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "batch/store.hpp"
#include "score/step_record.hpp"

namespace warpgrade::batch {

inline constexpr int task_protocol = 2;

/// A file cannot be trusted; what() says why, as in "result-0-1.json: it is cut short".
class RefusedFile : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// How a class is graded, for a process on another machine.
struct TaskOrders {
  std::string version;  ///< of warpgrade
  std::string root, assignment;
  std::string device;  ///< "auto", "gpu" or "sim"
  std::string toolchain = "auto";
  std::uint64_t seed = 0;
  std::string fingerprint;  ///< of all conditions; a node that would grade differently refuses
  bool no_sandbox = false;
  int jobs = 0;  ///< files at a time in a task; 0: as many as it has cores
  bool operator==(const TaskOrders &) const = default;
};

struct TaskItem {
  std::string step;
  std::string file;  ///< its hash
  std::string
      text;      ///< what a worker is told besides the step: the file itself is at its end; not in array.json
  int lost = 0;  ///< how often a task that had it ended without its result
  bool operator==(const TaskItem &) const = default;
};

struct TaskWork {
  TaskOrders orders;
  std::vector<TaskItem> items;
  bool operator==(const TaskWork &) const = default;
};

struct ArrayWork {
  std::string id;
  TaskOrders orders;
  std::vector<std::vector<TaskItem>> tasks;
  bool operator==(const ArrayWork &) const = default;
};

struct TaskResult {
  std::string step, file, fingerprint;
  double seconds = 0;
  std::string node;
  bool answered = false;
  std::string text;  ///< the record; else how the process that graded it ended
  bool operator==(const TaskResult &) const = default;
};

/// A task that could not start.
struct TaskRefusal {
  std::string node, reason;
  bool operator==(const TaskRefusal &) const = default;
};

/// What a node offers.
struct NodeFacts {
  std::string node, version;
  std::string asked;  ///< the question: an answer to a different one is ignored
  grading::DeviceRecord device;
  std::string front_end, sandbox;
  std::string problem;  ///< why nothing can be graded there; empty: no reason
  bool operator==(const NodeFacts &) const = default;
};

/// Writes a file so that it is complete or absent, even on a network file system. Throws std::runtime_error
/// that names the file and the reason.
void write_atomically(const std::filesystem::path &file, std::string_view text);

/// A structure with its kind, its protocol, its length and its hash.
template <class T>
void write_task_file(const std::filesystem::path &file, const T &content);
/// Nothing if there is no such file. Throws RefusedFile.
template <class T>
std::optional<T> read_task_file(const std::filesystem::path &file);

/// Where the arrays are, of a run's folder.
std::filesystem::path arrays_folder(const std::filesystem::path &);
/// The contents of a folder, by name; nothing if it cannot be read.
std::vector<std::filesystem::path> entries_of(const std::filesystem::path &folder);

std::string result_name(std::size_t task, std::size_t item);
std::string work_name(std::size_t task);
std::string refusal_name(std::size_t task);
std::string log_name(std::size_t task);

/// The script for a node: `setup` unchanged, then the program with its arguments and, last, which task of the
/// array it is. Its output is in log-<task>.txt.
std::string job_script(const std::filesystem::path &folder, const std::filesystem::path &program,
                       const std::vector<std::string> &words, const std::vector<std::string> &setup);
/// Exit statuses of that script if it cannot start.
enum JobStatus : int { folder_not_there = 66, program_not_there = 67 };

}  // namespace warpgrade::batch
