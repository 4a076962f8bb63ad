// gradebook-http: the network side of `gradebook serve`. Reads requests, has Api answer them, sends what it
// says. It starts no process, and student code never comes near it. Every connection carries one request, so
// that nothing of one request can be taken for the next; none lives longer than its time, however slowly its
// bytes come.
#include <fmt/format.h>
#include <httplib.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <ctime>
#include <filesystem>
#include <map>
#include <thread>

#include "base/files.hpp"
#include "service/api.hpp"
#include "service/pages.hpp"
#include "service/serve.hpp"
#include "setup/guarded.hpp"
#include "setup/selection.hpp"

namespace warpgrade::service {
namespace {

constexpr int threads = 128, backlog_descriptors = 4096;
constexpr auto longest_connection = std::chrono::seconds(20);

/// Ends connections that take longer than their time. The library gives each read some seconds, so a client
/// that sends a byte now and then would keep a thread for hours.
void watch_connections() {
  std::map<std::pair<int, ino_t>, std::chrono::steady_clock::time_point> since;
  for (;;) {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    std::map<std::pair<int, ino_t>, std::chrono::steady_clock::time_point> seen;
    const auto now = std::chrono::steady_clock::now();
    for (int descriptor = 3; descriptor < backlog_descriptors; ++descriptor) {
      struct stat facts {};
      if (::fstat(descriptor, &facts) != 0 || !S_ISSOCK(facts.st_mode)) continue;
      sockaddr_storage peer{};
      socklen_t size = sizeof peer;
      if (::getpeername(descriptor, reinterpret_cast<sockaddr *>(&peer), &size) != 0) continue;  // it listens
      const std::pair key{descriptor, facts.st_ino};
      const auto known = since.find(key);
      seen[key] = known == since.end() ? now : known->second;
      if (now - seen[key] > longest_connection) ::shutdown(descriptor, SHUT_RDWR);
    }
    since = std::move(seen);
  }
}

bool from_this_machine(const std::string &address) {
  return address == "127.0.0.1" || address == "::1" || address == "::ffff:127.0.0.1";
}

/// The client's address; a proxy on this machine says whom it speaks for, and its own word is the last one.
std::string peer_of(const httplib::Request &request) {
  const std::string forwarded = request.get_header_value("X-Forwarded-For");
  if (!from_this_machine(request.remote_addr) || forwarded.empty()) return request.remote_addr;
  const std::size_t comma = forwarded.rfind(',');
  std::string last = forwarded.substr(comma == std::string::npos ? 0 : comma + 1);
  last.erase(0, last.find_first_not_of(' '));
  return last.substr(0, 64);
}

void fill(httplib::Response &to, const ApiResponse &from) {
  to.status = from.status;
  for (const auto &[name, value] : from.headers) to.set_header(name.c_str(), value);
  to.set_content(from.body, from.type.c_str());
}

void refuse(httplib::Response &response, int status, const std::string &code, const std::string &message) {
  response.status = status;
  response.set_content(fmt::format("{{\"error\":{{\"code\":\"{}\",\"message\":\"{}\"}}}}\n", code, message),
                       "application/json");
}

/// Refuses, before its body is read, what an honest client never sends.
bool refused(const httplib::Request &request, httplib::Response &response) {
  if (request.target.size() > 4 * most_path_bytes) {
    refuse(response, 414, "path_too_long", "The path is too long.");
  } else if (request.has_header("Transfer-Encoding") ||
             request.get_header_value_count("Content-Length") > 1 ||
             request.get_header_value_count("Host") > 1) {
    // Two readings of where a request ends are how one is smuggled past a proxy.
    refuse(response, 400, "ambiguous_length", "Send a body with one Content-Length, and not in chunks.");
  } else if (request.has_header("Content-Encoding") &&
             request.get_header_value("Content-Encoding") != "identity") {
    refuse(response, 415, "compressed", "Send the body as it is, not compressed.");
  } else if (request.has_header("Content-Type") &&
             request.get_header_value("Content-Type").starts_with("multipart/") &&
             request.path != "/upload") {
    refuse(response, 415, "multipart", "Send JSON; /openapi.json describes it.");
  } else {
    return false;
  }
  return true;
}

ApiRequest request_of(const httplib::Request &request) {
  ApiRequest r;
  r.method = request.method == "HEAD" ? "GET" : request.method;
  r.path = request.path;
  for (const auto &[name, value] : request.params)
    (r.method == "POST" ? r.form : r.query).emplace(name, value);
  for (const auto &[name, part] : request.files)
    if (name == "files")
      r.files.emplace_back(part.filename, part.content);
    else
      r.form.emplace(name, part.content);
  r.session = session_in(request.get_header_value("Cookie"));
  r.secure =
      from_this_machine(request.remote_addr) && request.get_header_value("X-Forwarded-Proto") == "https";
  const std::string authorization = request.get_header_value("Authorization");
  if (authorization.starts_with("Bearer ")) r.token = authorization.substr(7);
  r.client_api = request.get_header_value("Warpgrade-Api");
  r.body = request.body;
  r.peer = peer_of(request);
  return r;
}

httplib::Server *running = nullptr;

int listen(const std::filesystem::path &folder, const std::string &address, int port,
           const std::vector<std::string> &names) {
  Shared shared;
  shared.folder = folder;
  shared.now = [] { return static_cast<std::int64_t>(std::time(nullptr)); };
  const std::filesystem::path root = find_root();
  const auto policies = read_policies(folder / policy_file_name, assignment_names(root));
  for (const std::string &name : names) {
    ServedCourse course{root, root / "assignments" / name, {}, policies.at(name)};
    course.assignment = course::read_assignment(course.folder);
    shared.courses.emplace(name, std::move(course));
  }
  const auto api = [&shared]() -> Api & {
    thread_local std::unique_ptr<Api> mine;  // each thread has a connection to the store of its own
    if (!mine) mine = std::make_unique<Api>(shared);
    return *mine;
  };

  httplib::Server server;
  server.new_task_queue = [] { return new httplib::ThreadPool(threads); };
  server.set_keep_alive_max_count(1);
  server.set_read_timeout(5);
  server.set_write_timeout(5);
  server.set_payload_max_length(most_body_bytes);
  server.set_tcp_nodelay(true);
  server.set_socket_options([](socket_t socket) {
    const int yes = 1;  // without SO_REUSEPORT, with which another process could share the port
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  const auto answer = [&](const httplib::Request &request, httplib::Response &response) {
    try {
      fill(response, api().answer(request_of(request)));
    } catch (const std::exception &e) {
      complain(fmt::format("{}: {}", http_program, e.what()));
      refuse(response, 503, "store", "The service cannot reach its store just now. Try again.");
    }
  };
  // Everything but bodies is answered here: the library's own routes match with regular expressions, which go
  // as deep as a path is long.
  server.set_pre_routing_handler([&](const httplib::Request &request, httplib::Response &response) {
    if (refused(request, response)) return httplib::Server::HandlerResponse::Handled;
    if (request.method == "POST") return httplib::Server::HandlerResponse::Unhandled;
    answer(request, response);
    return httplib::Server::HandlerResponse::Handled;
  });
  server.Post("/[a-z0-9/]*", answer);
  server.set_error_handler([](const httplib::Request &, httplib::Response &response) {
    if (!response.body.empty()) return;
    if (response.status == 413)
      refuse(response, 413, "too_large", fmt::format("A request may have {} MiB.", most_body_bytes >> 20));
    else
      refuse(response, response.status, "bad_request", "This request cannot be read.");
  });
  running = &server;
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) ::signal(signal, [](int) { ::_exit(0); });
  int bound = port;
  if (port == 0)
    bound = server.bind_to_any_port(address);
  else if (!server.bind_to_port(address, port))
    bound = -1;
  if (bound <= 0)
    throw UsageError(
        fmt::format("{} port {} cannot be listened on: is another service running, or is the address not "
                    "this machine's?",
                    address, port));
  std::thread(watch_connections).detach();
  const bool six = address.find(':') != std::string::npos;
  write_whole(folder / url_file_name,
              fmt::format("http://{}{}{}:{}\n", six ? "[" : "", address, six ? "]" : "", bound));
  return server.listen_after_bind() ? 0 : grader_failed;
}

}  // namespace
}  // namespace warpgrade::service

int main(int argc, char **argv) {
  using namespace warpgrade;
  ::signal(SIGPIPE, SIG_IGN);
  return guarded(service::http_program, [&]() -> int {
    const std::vector<std::string> words(argv + 1, argv + argc);
    if (words.size() < 4) throw UsageError("'gradebook serve' starts this program");
    return service::listen(words[0], words[1], std::stoi(words[2]), {words.begin() + 3, words.end()});
  });
}
