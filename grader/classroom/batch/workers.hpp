// Processes that answer requests, one at a time each: whatever a request does to its process costs at most
// one answer, never the run. Knows nothing about grading.
//
// A worker is a program of ours with a socket at descriptor 3 (WorkerChannel is its side). It sends `ready`
// once, then answers each request with any number of `phase` messages, each with how long the next message
// may take, and one `answer`. A worker that dies, or is silent for longer than announced, is replaced.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpgrade::batch {

struct WorkerOptions {
  std::string program = "/proc/self/exe";
  /// Arguments of each worker; as many workers as there are lists.
  std::vector<std::vector<std::string>> arguments;
  /// "NAME=value": for values that nobody else on the machine may read, as they could read arguments.
  std::vector<std::string> environment = {};
  double start_seconds = 120;          ///< until it is ready
  int answers = 100;                   ///< then it is replaced, so that nothing can pile up in one process
  std::function<void(pid_t)> started;  ///< called for every process
  /// next() is asked again after it had nothing, at least four times a second: then only `stop_descriptor`
  /// ends run(). For a queue that others fill.
  bool more_may_come = false;
  /// What a worker says that it does now, with the request's name. May be empty.
  std::function<void(const std::string &request, const std::string &words)> noted = {};
};

/// What became of a request.
struct Reply {
  bool answered = false;
  std::string text;     ///< the answer; else how the worker ended, with its last output
  double seconds = 0;   ///< seconds since the request
  std::string request;  ///< its name, as next() gave it
};

struct Request {
  std::string name;  ///< for the caller
  std::string text;
};

class Workers {
 public:
  explicit Workers(WorkerOptions);
  /// Kills all that are still running.
  ~Workers();
  Workers(const Workers &) = delete;
  Workers &operator=(const Workers &) = delete;

  /// Works until next() has no more requests and all are answered, or until `stop_descriptor` is readable
  /// (-1: none); then returns false, and work in progress is lost. A request whose worker died is tried once
  /// more, in a worker of its own. `take` is called in this thread, one reply at a time. Throws
  /// std::runtime_error if workers cannot be started or end before they are ready.
  bool run(const std::function<std::optional<Request>()> &next, const std::function<void(Reply)> &take,
           int stop_descriptor);

  /// Called at least once a second while run() works.
  std::function<void()> meanwhile;

 private:
  struct Worker;
  struct Job {
    Request request;
    bool again = false;  ///< its first worker died
  };
  using Take = std::function<void(Reply)>;
  void start(Worker &);
  void give_work(const std::function<std::optional<Request>()> &next);
  void send_job(Worker &);
  void read_from(Worker &, const Take &take);
  void understand(Worker &, char kind, std::string text, const Take &take);
  void look_after(Worker &, const Take &take);
  void lose(Worker &, const std::string &how, bool try_again, const Take &take);
  void retire(Worker &, double patience);
  bool working() const;

  WorkerOptions options_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<Job> again_;
  bool exhausted_ = false;
  int failed_starts_ = 0;  ///< in a row
};

/// A worker's side.
class WorkerChannel {
 public:
  WorkerChannel();
  void ready();
  /// None if there are no more.
  std::optional<std::string> receive();
  /// The next message may take this long.
  void phase(double seconds);
  /// What it does now, for people who wait: "building".
  void note(std::string_view words);
  void answer(const std::string &);

 private:
  void send(char kind, std::string_view);
  std::string received_;
};

}  // namespace warpgrade::batch
