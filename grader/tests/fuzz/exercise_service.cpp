#include "exercise_service.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/files.hpp"
#include "batch/content.hpp"
#include "service/http/http_server.hpp"
#include "service/pages.hpp"

namespace warpgrade::fuzz {
namespace {

namespace fs = std::filesystem;
constexpr std::int64_t noon = 1'800'000'000;
/// What no page has in markup of its own: inputs have it where text is expected.
constexpr std::string_view tag = "<zq";

void expect(bool holds, const char *what) {
  if (holds) return;
  std::fprintf(stderr, "the service breaks a promise: %s\n", what);
  std::abort();
}

/// A freshly started service, and copies of it.
class Template {
 public:
  Template() {
    std::error_code none;
    const fs::path base = fs::is_directory("/dev/shm", none) ? "/dev/shm" : fs::temp_directory_path();
    std::string name = (base / "fuzz-service-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    base_ = name;
    service::ServiceStore store(base_ / "begin", service::ServiceStore::Access::create);
    service::People people(store);
    const std::array roles = {service::Role::student, service::Role::ta, service::Role::instructor};
    for (std::size_t i = 0; i < roles.size(); ++i) {
      const std::string person = "person" + std::to_string(i + 1);
      people.add({person, "", roles[i]}, "the fuzzer", noon);
      tokens[i] = people.make_token(person, "the fuzzer", noon);
    }
    store.database().execute("PRAGMA wal_checkpoint(TRUNCATE)");
    begin_ = read_whole(base_ / "begin/service.db");
    const fs::path root = WARPGRADE_ROOT;
    course.root = root;
    course.folder = root / "assignments/hw6";
    course.assignment = course::read_assignment(course.folder);
  }
  ~Template() {
    std::error_code none;
    fs::remove_all(base_, none);
  }
  Template(const Template &) = delete;
  Template &operator=(const Template &) = delete;
  fs::path copy() const {
    const fs::path folder = base_ / "copy";
    fs::remove_all(folder);
    fs::create_directories(folder);
    write_scratch(folder / "service.db", begin_);  // libFuzzer's timer interrupts fs::copy_file
    return folder;
  }
  std::array<std::string, 3> tokens;
  service::ServedCourse course;

 private:
  fs::path base_;
  std::string begin_;  ///< the store's file
};

std::string replaced(std::string text, std::string_view what, const std::string &with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
    text.replace(at, what.size(), with);
  return text;
}

/// A connection whose other side has sent everything and reads nothing before the end.
class Memory : public httplib::Stream {
 public:
  explicit Memory(std::string_view received) : received_(received) {}
  // Nothing here says "override": see service/http/connection.hpp.
  bool is_readable() const { return !received_.empty(); }
  bool is_writable() const { return true; }
  bool wait_readable() const { return is_readable(); }
  bool wait_writable() const { return true; }
  time_t duration() const { return 0; }
  ssize_t read(char *to, std::size_t size) {
    const std::size_t n = received_.copy(to, size);
    received_.remove_prefix(n);
    return static_cast<ssize_t>(n);
  }
  ssize_t write(const char *from, std::size_t size) {
    sent.append(from, size);
    return static_cast<ssize_t>(size);
  }
  void get_remote_ip_and_port(std::string &ip, int &port) const {
    ip = "192.0.2.1";
    port = 1;
  }
  void get_local_ip_and_port(std::string &ip, int &port) const {
    ip = "127.0.0.1";
    port = 8420;
  }
  socket_t socket() const { return -1; }
  std::string sent;

 private:
  std::string_view received_;
};

void check_answer(const std::string &sent) {
  if (sent.empty()) return;  // not a request: the connection ends
  // A client that expects it is told to continue before its answer.
  std::string_view answer = sent;
  constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
  if (answer.starts_with(go_on)) answer.remove_prefix(go_on.size());
  expect(answer.starts_with("HTTP/1.1 ") && answer.size() > 12, "an answer begins with its status");
  const std::string status(answer.substr(9, 3));
  if (status == "500" || status == "503") std::fprintf(stderr, "%s\n", sent.c_str());
  expect(status != "500" && status != "503", "nothing that a client sends makes the service fail");
  expect(status >= "200" && status < "600", "a status is one of HTTP");
  const std::size_t end = answer.find("\r\n\r\n");
  expect(end != std::string_view::npos, "an answer has a whole head");
  constexpr std::array known = {"content-length",     "content-type",      "connection",
                                "location",           "set-cookie",        "retry-after",
                                "warpgrade-api",      "cache-control",     "x-content-type-options",
                                "referrer-policy",    "x-frame-options",   "content-security-policy",
                                "www-authenticate",   "refresh",           "x-accel-buffering",
                                "accept-ranges",      "keep-alive",        "content-range",
                                "content-encoding",   "transfer-encoding", "vary",
                                "content-disposition"};
  std::string_view head = answer.substr(0, end);
  while (head.find("\r\n") != std::string_view::npos) {
    head.remove_prefix(head.find("\r\n") + 2);
    std::string name(head.substr(0, std::min(head.find(':'), head.find("\r\n"))));
    std::transform(name.begin(), name.end(), name.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    if (std::find(known.begin(), known.end(), name) == known.end())
      std::fprintf(stderr, "%s\n", name.c_str());
    expect(std::find(known.begin(), known.end(), name) != known.end(), "headers are the service's own");
  }
  if (answer.substr(0, end).find("Content-Type: text/html") != std::string_view::npos)
    expect(answer.find(tag, end) == std::string_view::npos, "a page has no markup of a client");
}

}  // namespace

void exercise_service(std::span<const std::byte> bytes) {
  static const Template begin;
  std::string received(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  for (std::size_t i = 0; i < begin.tokens.size(); ++i) {
    received = replaced(received, "@T" + std::to_string(i + 1) + "@", begin.tokens[i]);
    received = replaced(received, "@C" + std::to_string(i + 1) + "@", service::csrf_of(begin.tokens[i]));
  }
  received = replaced(received, "@H@", batch::hash_of(""));
  if (const std::size_t end = received.find("\r\n\r\n"); end != std::string::npos)
    received = replaced(received, "@L@", std::to_string(received.size() - end - 4));
  service::Shared shared;
  shared.folder = begin.copy();
  shared.now = [] { return noon; };
  service::ServedCourse course = begin.course;
  service::Policy policy;
  policy.leaderboard = service::Board::names_by_consent;
  course.policy.set(policy);
  shared.courses.emplace("hw6", std::move(course));
  service::Api api(shared);
  service::EventStreams streams([](const std::string &) { return ""; }, {});
  service::HttpServer server([&]() -> service::Api & { return api; }, streams);
  Memory connection(received);
  server.converse(connection);
  check_answer(connection.sent);
}

}  // namespace warpgrade::fuzz
