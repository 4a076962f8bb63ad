// gradebook-http: the network side of `gradebook serve`. Reads requests, has Api answer them, sends what it
// says. It starts no process, and student code never comes near it. Every connection carries one request, so
// that nothing of one request can be taken for the next; none lives longer than its time, however slowly its
// bytes come. The library has a thread for each connection it answers. One that goes on as an event stream is
// taken away from it, and one thread has them all.
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <ctime>
#include <filesystem>
#include <thread>

#include "base/files.hpp"
#include "service/api.hpp"
#include "service/event_streams.hpp"
#include "service/http/http_server.hpp"
#include "service/serve.hpp"
#include "setup/guarded.hpp"
#include "setup/selection.hpp"

namespace warpgrade::service {
namespace {

constexpr int threads = 128, most_waiting = 512;
constexpr rlim_t most_descriptors = 8192;  // a stream has one, a thread has some for the store
constexpr auto patience_with_port = std::chrono::seconds(3);
constexpr auto turn_of_streams = std::chrono::seconds(1);

/// As many files and sockets as the system lets this process have; gives how many streams leave enough over.
std::size_t room_for_streams() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = std::min(limit.rlim_max, std::max(limit.rlim_cur, most_descriptors));
  ::setrlimit(RLIMIT_NOFILE, &limit);
  ::getrlimit(RLIMIT_NOFILE, &limit);
  const rlim_t others = 5 * threads;
  return limit.rlim_cur > others ? static_cast<std::size_t>(limit.rlim_cur - others) : 0;
}

int listen(const std::filesystem::path &folder, const std::string &address, int port,
           const std::vector<std::string> &names) {
  Shared shared;
  shared.folder = folder;
  shared.now = [] { return static_cast<std::int64_t>(std::time(nullptr)); };
  const std::filesystem::path root = find_root();
  const auto policies = read_policies(folder / policy_file_name, assignment_names(root));
  ServiceStore store(folder, ServiceStore::Access::open);
  for (const std::string &name : names) {
    ServedCourse course{root, root / "assignments" / name, {}, policies.at(name)};
    course.assignment = course::read_assignment(course.folder);
    course.variants = read_own_variants(store, root, name);
    if (course.variants && !course.variants->wrong().empty())
      fmt::print(stderr, "{}\nUntil then, students of {} neither see nor submit anything of it.\n",
                 course.variants->wrong(), name);
    shared.courses.emplace(name, std::move(course));
  }
  const auto api = [&shared]() -> Api & {
    thread_local std::unique_ptr<Api> mine;  // each thread has a connection to the store of its own
    if (!mine) mine = std::make_unique<Api>(shared);
    return *mine;
  };

  EventStreams::Limits limits;
  limits.all = std::min(limits.all, room_for_streams());
  EventStreams streams([&api](const std::string &topic) { return api().version_of(topic); }, limits);
  HttpServer server(api, streams);
  server.new_task_queue = [] { return new httplib::ThreadPool(threads); };
  server.set_tcp_nodelay(true);
  socket_t listening = -1;
  server.set_socket_options([&listening](socket_t socket) {
    listening = socket;
    const int yes = 1;  // without SO_REUSEPORT, with which another process could share the port
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) ::signal(signal, [](int) { ::_exit(0); });
  int bound = port;
  if (port == 0) {
    bound = server.bind_to_any_port(address);
  } else {  // a process before this one may only just be ending
    const auto until = std::chrono::steady_clock::now() + patience_with_port;
    while (!server.bind_to_port(address, port)) {
      bound = -1;
      if (std::chrono::steady_clock::now() > until) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      bound = port;
    }
  }
  if (bound <= 0)
    throw UsageError(
        fmt::format("{} port {} cannot be listened on: is another service running, or is the address not "
                    "this machine's?",
                    address, port));
  ::listen(listening, most_waiting);  // the library lets five connections wait, and a class clicks at once
  std::thread([&streams] {
    for (;;) {
      std::this_thread::sleep_for(turn_of_streams);
      streams.turn(EventStreams::Clock::now());
    }
  }).detach();
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
  ::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error to answer with, as a full disk is
  return guarded(service::http_program, [&]() -> int {
    const std::vector<std::string> words(argv + 1, argv + argc);
    if (words.size() < 4) throw UsageError("'gradebook serve' starts this program");
    return service::listen(words[0], words[1], std::stoi(words[2]), {words.begin() + 3, words.end()});
  });
}
