#include "sandbox/sandbox.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <new>
#include <utility>

#include "base/descriptor.hpp"
#include "base/packages.hpp"
#include "sandbox/guard.hpp"

namespace warpgrade::sandbox {
namespace fs = std::filesystem;
namespace {

constexpr const char *inside_work = inside_directory, *inside_program = "/program";

[[noreturn]] void fail(const std::string &what) {
  throw SandboxError(what + ": " + std::strerror(errno));
}

// What execve wants; valid as long as the strings are.
std::vector<char *> pointers(std::vector<std::string> &strings) {
  std::vector<char *> all;
  for (std::string &s : strings) all.push_back(s.data());
  all.push_back(nullptr);
  return all;
}

// Users for one sandbox each: outside what systems hand out (Debian: up to 59999; nobody is 65534).
constexpr unsigned first_user = 60000, users = 5000;

uid_t next_user() {
  static std::atomic<unsigned> counter{0};
  return first_user + (static_cast<unsigned>(::getpid()) * 31 + counter++) % users;
}

// Whether a map of ids in this user namespace has all of them.
bool has_the_users(const char *map) {
  std::ifstream file(map);
  for (std::uint64_t first = 0, outside = 0, count = 0; file >> first >> outside >> count;)
    if (first <= first_user && first + count >= first_user + users) return true;
  return false;
}

// Root of a namespace with few ids (`unshare -r`, fakeroot, some rootless containers) can be nobody else.
bool can_become_others() {
  return ::geteuid() == 0 && has_the_users("/proc/self/uid_map") && has_the_users("/proc/self/gid_map");
}

// The scratch directory and what the caller laid into it become the sandbox user's. Symbolic links are not
// followed.
void give_to(uid_t user, const fs::path &directory) {
  const auto give = [&](const fs::path &p) {
    if (::lchown(p.c_str(), user, user) != 0) fail("cannot give " + p.string() + " to the sandbox's user");
  };
  give(directory);
  for (const fs::directory_entry &entry : fs::recursive_directory_iterator(directory)) give(entry.path());
}

void bind_system(std::vector<std::string> &to) {
  const auto add = [&](std::initializer_list<std::string> more) { to.insert(to.end(), more); };
  for (const char *directory :
       {"/usr/bin", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libexec", "/usr/include"}) {
    if (fs::is_directory(directory)) add({"--ro-bind", directory, directory});
  }
  for (const char *directory : {"/bin", "/sbin", "/lib", "/lib32", "/lib64"}) {
    if (fs::is_symlink(directory)) {
      add({"--symlink", fs::read_symlink(directory).string(), directory});
    } else if (fs::is_directory(directory)) {
      add({"--ro-bind", directory, directory});
    }
  }
  for (const char *file : {"/etc/ld.so.cache", "/etc/alternatives"}) {
    if (fs::exists(file)) add({"--ro-bind", file, file});
  }
}

std::string first_line(const std::string &text) {
  return text.substr(0, text.find('\n'));
}

}  // namespace

struct Process::State {
  pid_t guard = -1;
  Descriptor life;
  void *memory = nullptr;
  std::size_t memory_bytes = 0;

  Report &report() const { return *static_cast<Report *>(memory); }
  const char *output() const { return static_cast<const char *>(memory) + sizeof(Report); }
  bool wait_for_guard() {
    if (guard < 0) return true;
    int status = 0;
    while (::waitpid(guard, &status, 0) < 0) {
      if (errno != EINTR) break;
    }
    guard = -1;
    return report().complete;
  }
  ~State() {
    life.close();
    if (memory == nullptr) return;
    wait_for_guard();
    ::munmap(memory, memory_bytes);
  }
};

Process::Process(std::unique_ptr<State> state) : state_(std::move(state)) {}
Process::Process(Process &&) noexcept = default;
Process &Process::operator=(Process &&) noexcept = default;
Process::~Process() = default;

void Process::kill() {
  state_->life.close();
}

Outcome Process::wait() {
  Outcome outcome;
  const bool complete = state_->wait_for_guard();
  const Report &report = state_->report();
  if (!complete) {  // the guard itself did not live: nothing was run, or someone killed it
    outcome.code = report.start_error != 0 ? report.start_error : ECHILD;
    return outcome;
  }
  outcome.end = static_cast<Outcome::End>(report.end);
  outcome.code = report.code;
  outcome.output.assign(state_->output(), report.output_bytes);
  outcome.truncated = report.truncated;
  outcome.seconds = report.seconds;
  outcome.cpu_seconds = report.cpu_seconds;
  outcome.starved = report.starved;
  if (report.least_memory > 0)
    outcome.machine = {report.least_memory, report.least_space, report.killed_for_memory};
  return outcome;
}

std::vector<std::string> Sandbox::wrapped(const Command &command, int program_descriptor) const {
  std::vector<std::string> all = {bubblewrap_,     "--unshare-all", "--die-with-parent",
                                  "--new-session", "--cap-drop",    "ALL",
                                  "--hostname",    "sandbox"};  // its own environment is empty
  const auto add = [&](std::initializer_list<std::string> more) { all.insert(all.end(), more); };
  for (const std::string &entry : command.environment) {
    const std::size_t equals = entry.find('=');
    add({"--setenv", entry.substr(0, equals), entry.substr(equals + 1)});
  }
  if (command.view == View::nothing) {
    add({"--as-pid-1"});
    if (bounds_space_)
      add({"--perms", "0555", "--ro-bind-data", std::to_string(program_descriptor), inside_program});
    else  // a release that may be older than --perms
      add({"--ro-bind", command.program.string(), inside_program});
    add({"--remount-ro", "/", "--", inside_program});
    all.insert(all.end(), command.arguments.begin() + 1, command.arguments.end());
    return all;
  }
  bind_system(all);
  for (const fs::path &directory : command.read_only)
    add({"--ro-bind", directory.string(), directory.string()});
  add({"--dev-bind", "/dev/null", "/dev/null"});
  const auto memory_at = [&](const std::string &place, std::uint64_t bytes) {
    if (bounds_space_) add({"--size", std::to_string(bytes)});
    add({"--tmpfs", place});
  };
  if (bounds_space_ || command.work.empty())
    memory_at("/tmp", command.limits.temporary_bytes);
  else
    add({"--bind", (command.work / "tmp").string(), "/tmp"});
  add({"--setenv", "TMPDIR", "/tmp"});
  if (!command.work.empty()) add({"--bind", command.work.string(), inside_work, "--chdir", inside_work});
  if (bounds_space_ && !command.bounded.empty())
    memory_at((fs::path(inside_work) / command.bounded).string(), command.limits.bounded_bytes);
  for (const Command::Shown &shown : command.shown)
    add({"--ro-bind", shown.outside.string(), (fs::path(inside_work) / shown.inside).string()});
  add({"--remount-ro", "/", "--"});
  all.insert(all.end(), command.arguments.begin(), command.arguments.end());
  return all;
}

bool Sandbox::can_show(const fs::path &folder) const {
  if (mode_ == Mode::none) return false;
  if (mode_ == Mode::bubblewrap) return true;
  std::error_code error;
  for (fs::path at = fs::canonical(folder, error); !error; at = at.parent_path()) {
    if ((fs::status(at, error).permissions() & fs::perms::others_exec) == fs::perms::none) return false;
    if (at == at.parent_path()) return true;
  }
  return false;
}

Process Sandbox::start(const Command &command) const {
  constexpr int program_descriptor = 9;  // of bubblewrap, which copies the program from it
  if (command.arguments.empty()) throw SandboxError("a sandbox needs a program");
  const bool wrap = mode_ != Mode::none;
  const uid_t user = mode_ != Mode::bubblewrap && can_become_others() ? next_user() : 0;
  Descriptor program;
  if (!command.program.empty()) {
    program = Descriptor(::open(command.program.c_str(), O_RDONLY | O_CLOEXEC));
    if (program.get() < 0) fail("cannot open " + command.program.string());
  }
  std::vector<std::string> arguments = wrap ? wrapped(command, program_descriptor) : command.arguments;
  std::vector<std::string> environment = wrap ? std::vector<std::string>{} : command.environment;
  if (!bounds_space_ && !command.work.empty()) fs::create_directories(command.work / "tmp");
  if (!wrap && !command.work.empty()) environment.push_back("TMPDIR=" + (command.work / "tmp").string());
  if (!command.bounded.empty()) fs::create_directories(command.work / command.bounded);
  if (user != 0 && !command.work.empty()) give_to(user, command.work);

  int life[2];
  if (::pipe2(life, O_CLOEXEC) != 0) fail("cannot open a pipe");
  const Descriptor life_read(life[0]);
  auto state = std::make_unique<Process::State>();
  state->life = Descriptor(life[1]);
  const std::size_t bytes = sizeof(Report) + command.limits.output_bytes;
  void *memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) fail("cannot get memory to share with a sandbox");
  state->memory = memory;
  state->memory_bytes = bytes;
  new (memory) Report;

  std::vector<Orders::Move> moves;
  for (const Command::Descriptor &d : command.descriptors) moves.push_back({d.ours, d.theirs});
  if (wrap && program.get() >= 0) moves.push_back({program.get(), program_descriptor});
  const std::vector<char *> argv = pointers(arguments), envp = pointers(environment);
  const std::string directory = wrap ? "" : command.work.string();
  const Descriptor space(command.limits.total_memory_bytes > 0 && !command.work.empty()
                             ? ::open(command.work.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
                             : -1);
  Orders orders;
  orders.arguments = argv.data();
  orders.environment = envp.data();
  orders.executable = wrap ? -1 : program.get();
  orders.directory = directory.empty() ? nullptr : directory.c_str();
  orders.life = life_read.get();
  orders.moves = moves.data();
  orders.move_count = moves.size();
  orders.wall_seconds = command.limits.wall_seconds;
  orders.cpu_seconds = command.limits.cpu_seconds;
  orders.processes = command.limits.processes;
  orders.memory_bytes = command.limits.memory_bytes;
  orders.file_bytes = command.limits.file_bytes;
  orders.total_memory_bytes = command.limits.total_memory_bytes;
  orders.stretch = command.limits.stretch;
  orders.space = space.get();
  orders.user = user;
  orders.report = &state->report();
  orders.output = static_cast<char *>(memory) + sizeof(Report);
  orders.output_room = command.limits.output_bytes;

  state->guard = ::fork();
  if (state->guard < 0) fail("cannot start a process");
  if (state->guard == 0) guard(orders);
  return Process(std::move(state));
}

Outcome Sandbox::run(const Command &command) const {
  return start(command).wait();
}

Sandbox Sandbox::none(const std::string &reason) {
  return Sandbox(Mode::none, "", false,
                 "no sandbox (" + reason + "): limits and a system call filter restrict student code, " +
                     "but compilers see the files and the network of this account");
}

Sandbox Sandbox::detect(const std::string &bubblewrap) {
  std::string found = bubblewrap;
  for (const char *path : {"/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap"}) {
    if (found.empty() && ::access(path, X_OK) == 0) found = path;
  }
  if (found.empty())
    return none(fmt::format("bubblewrap is not installed; `{}`", install_command("bubblewrap")));
  std::string complaint;
  const auto works = [&](const Sandbox &sandbox) {
    const Scratch scratch;
    Command command;
    command.arguments = {"/bin/sh", "-c", "[ ! -e /etc/passwd ] && [ ! -e /proc/self ] && echo contained"};
    command.work = scratch.path();
    const Outcome outcome = sandbox.run(command);
    const bool contained = outcome.ok() && outcome.output == "contained\n";
    if (!contained) complaint = outcome.output.empty() ? "it runs nothing" : first_line(outcome.output);
    return contained;
  };
  for (const bool bounds_space : {true, false}) {
    const std::string left =
        bounds_space ? "" : " (a release before 0.7.0, which cannot limit the space of a build)";
    if (can_become_others()) {
      Sandbox own_user(Mode::bubblewrap_own_user, found, bounds_space,
                       "bubblewrap, with a separate user for each sandbox" + left);
      if (works(own_user)) return own_user;
    }
    Sandbox plain(Mode::bubblewrap, found, bounds_space, "bubblewrap" + left);
    if (works(plain)) return plain;
  }
  return none(
      "bubblewrap is installed but does not work here: " + complaint +
      (complaint.find("uid map") != std::string::npos || complaint.find("Permission") != std::string::npos
           ? "; this system restricts unprivileged user namespaces (on Ubuntu 24.04: an AppArmor profile for "
             "/usr/bin/bwrap allows them)"
           : ""));
}

}  // namespace warpgrade::sandbox
