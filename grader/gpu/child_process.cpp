#include "gpu/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "gpu/messages.hpp"

extern char *
    *environ;  // children inherit it, so that CUDA_VISIBLE_DEVICES and LD_LIBRARY_PATH still mean something

namespace warpgrade::gpu {
namespace {

[[noreturn]] void throw_errno(const std::string &what) {
  throw std::system_error(errno, std::generic_category(), what);
}

/// The inherited environment, then what must hold in a child of ours (later entries replace earlier ones).
std::vector<std::string> child_environment(const ChildOptions &options, std::string_view argument) {
  std::vector<std::string> result;
  const auto set = [&result](const std::string &entry) {
    const auto name = entry.substr(0, entry.find('=') + 1);
    std::erase_if(result, [&](const std::string &old) { return old.starts_with(name); });
    result.push_back(entry);
  };
  for (char **entry = environ; entry != nullptr && *entry != nullptr; ++entry) result.emplace_back(*entry);
  set("CUDA_CACHE_DISABLE=1");  // nothing compiled for one student is kept for the next
  // A student kernel's first launch must not pay for loading it; cuBLAS has thousands of kernels, so one at a
  // time.
  set(argument == "--gpu-referee-child" ? "CUDA_MODULE_LOADING=LAZY" : "CUDA_MODULE_LOADING=EAGER");
  set("CUDA_DEVICE_ORDER=PCI_BUS_ID");       // an index means the same GPU in every child
  set("NVIDIA_TF32_OVERRIDE=0");             // cuBLAS: fp32 means fp32
  set("CUBLAS_EMULATE_SINGLE_PRECISION=0");  // nor an emulation of it
  for (const auto &entry : options.environment) set(entry);
  return result;
}

void close_if_open(int &file) {
  if (file >= 0) ::close(file);
  file = -1;
}

/// The file actions of a spawn; 0 is empty, 1 and 2 are the capture, then our two descriptors and nothing
/// else.
class FileActions {
 public:
  FileActions(int output, int socket, int memory) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, output, 1);
    posix_spawn_file_actions_adddup2(&actions_, output, 2);
    posix_spawn_file_actions_adddup2(&actions_, socket, child_socket);
    posix_spawn_file_actions_adddup2(&actions_, memory, child_memory);
    posix_spawn_file_actions_addclosefrom_np(&actions_, child_memory + 1);
  }
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }
  FileActions(const FileActions &) = delete;
  FileActions &operator=(const FileActions &) = delete;
  const posix_spawn_file_actions_t *get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

/// A duplicate above the descriptors that a child's 0..4 overwrite.
int moved_up(int file) {
  const int moved = ::fcntl(file, F_DUPFD_CLOEXEC, 16);
  ::close(file);
  if (moved < 0) throw_errno("fcntl(F_DUPFD_CLOEXEC)");
  return moved;
}

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status)) {
    const int number = WTERMSIG(status);
    return "signal " + std::to_string(number) + " (" + ::strsignal(number) + ")";
  }
  return "exit status " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

ChildProcess::ChildProcess(const ChildOptions &options, const char *argument) : options_(options) {
  std::array<int, 2> sockets{}, output{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) != 0) throw_errno("socketpair");
  socket_ = moved_up(sockets[0]);
  int theirs = moved_up(sockets[1]);
  if (::pipe2(output.data(), O_CLOEXEC) != 0) throw_errno("pipe2");
  output_ = moved_up(output[0]);
  int printed = moved_up(output[1]);
  ::fcntl(output_, F_SETFL, O_NONBLOCK);
  const int memory = ::memfd_create("warpgrade-gpu", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (memory < 0) throw_errno("memfd_create");
  memory_ = moved_up(memory);
  // A child that shrank the memory could have us killed by SIGBUS.
  ::fcntl(memory_, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_SEAL);
  const timeval patience{.tv_sec = 30, .tv_usec = 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);

  auto environment = child_environment(options_, argument);
  std::vector<char *> envp;
  for (auto &entry : environment) envp.push_back(entry.data());
  envp.push_back(nullptr);
  std::string name = "warpgrade", flag = argument, driver = options_.driver_library;
  std::array<char *, 4> argv{name.data(), flag.data(), driver.data(), nullptr};

  const FileActions actions(printed, theirs, memory_);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);  // a Ctrl-C at the terminal is for the parent
  posix_spawnattr_setpgroup(&attributes, 0);
  const int error =
      ::posix_spawn(&pid_, options_.program.c_str(), actions.get(), &attributes, argv.data(), envp.data());
  posix_spawnattr_destroy(&attributes);
  close_if_open(theirs);
  close_if_open(printed);
  if (error != 0) {
    pid_ = -1;
    close_if_open(socket_);
    close_if_open(output_);
    close_if_open(memory_);
    throw std::system_error(error, std::generic_category(), "starting " + options_.program);
  }
}

ChildProcess::~ChildProcess() {
  kill();
  if (mapped_ != nullptr) ::munmap(mapped_, mapped_bytes_);
  close_if_open(socket_);
  close_if_open(output_);
  close_if_open(memory_);
}

std::span<std::byte> ChildProcess::share(std::size_t bytes) {
  if (bytes > mapped_bytes_) {
    if (::ftruncate(memory_, static_cast<off_t>(bytes)) != 0)
      throw_errno("memory shared with the GPU process");
    if (mapped_ != nullptr) ::munmap(mapped_, mapped_bytes_);
    mapped_ = nullptr;
    mapped_bytes_ = 0;
    void *address = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory_, 0);
    if (address == MAP_FAILED) throw_errno("memory shared with the GPU process");
    mapped_ = static_cast<std::byte *>(address);
    mapped_bytes_ = bytes;
  }
  return {mapped_, mapped_bytes_};
}

bool ChildProcess::send(Message type, const Writer &payload, std::span<const int> files) {
  return send_message(socket_, type, payload, files);
}

void ChildProcess::drain_output() {
  std::array<char, 16384> piece;
  while (true) {
    const auto size = ::read(output_, piece.data(), piece.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) {
      if (size == 0) close_if_open(output_);
      return;
    }
    const auto room = options_.output_bytes - std::min(options_.output_bytes, printed_.size());
    const auto kept = std::min(room, static_cast<std::size_t>(size));
    printed_.append(piece.data(), kept);
    dropped_ += static_cast<std::size_t>(size) - kept;
  }
}

std::string ChildProcess::take_output() {
  if (output_ >= 0) drain_output();
  auto text = std::exchange(printed_, {});
  if (dropped_ > 0) text += "\n[" + std::to_string(dropped_) + " more bytes were printed and dropped]\n";
  dropped_ = 0;
  return text;
}

void ChildProcess::read_socket() {
  std::array<std::byte, 16384> piece;
  const auto size = accepts_files_ ? receive_with_files(socket_, piece, MSG_DONTWAIT, files_)
                                   : ::recv(socket_, piece.data(), piece.size(), MSG_DONTWAIT);
  if (size > 0) received_.insert(received_.end(), piece.begin(), piece.begin() + size);
  if (size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR)) hung_up_ = true;
}

bool ChildProcess::take_message(Answer &answer) {
  Header header;
  if (received_.size() < sizeof header) return false;
  std::memcpy(&header, received_.data(), sizeof header);
  if (header.bytes > max_answer_bytes) {  // not what our code sends: it runs no more
    hung_up_ = true;
    received_.clear();
    return false;
  }
  if (received_.size() - sizeof header < header.bytes) return false;
  const auto first = received_.begin() + sizeof header;
  const auto last = first + static_cast<std::ptrdiff_t>(header.bytes);
  answer = {.kind = Answer::Kind::message,
            .type = Message{header.type},
            .payload = {first, last},
            .how = {},
            .files = std::exchange(files_, {})};
  received_.erase(received_.begin(), last);
  return true;
}

Answer ChildProcess::wait(double deadline) {
  Answer answer;
  while (true) {
    if (take_message(answer)) {
      if (output_ >= 0) drain_output();
      return answer;
    }
    if (hung_up_) return died();
    const double left = deadline - now();
    if (left <= 0) return {.kind = Answer::Kind::deadline, .type = {}, .payload = {}, .how = {}, .files = {}};
    std::array<pollfd, 2> files{
        {{socket_, POLLIN, 0}, {output_, POLLIN, 0}}};  // a negative descriptor is skipped
    ::poll(files.data(), files.size(), static_cast<int>(std::ceil(std::min(left, 1.0) * 1000)));
    if (files[1].revents != 0) drain_output();
    if (files[0].revents != 0) read_socket();
  }
}

Answer ChildProcess::died() {
  // A child that only closed its socket is no use either.
  if (!reap(0.5)) kill();
  Answer answer;
  answer.how = status_ ? how_it_ended(*status_) : "no exit status";
  auto words = take_output();
  if (words.size() > 400) words = "..." + words.substr(words.size() - 400);
  if (!words.empty()) answer.how += "; its last words: " + words;
  return answer;
}

bool ChildProcess::reap(double seconds) {
  const double deadline = now() + seconds;
  while (pid_ > 0) {
    int status = 0;
    const auto got = ::waitpid(pid_, &status, WNOHANG);
    if (got == pid_ || (got < 0 && errno != EINTR)) {
      if (got == pid_) status_ = status;
      pid_ = -1;
      break;
    }
    if (now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

bool ChildProcess::kill() {
  if (pid_ > 0) ::kill(pid_, SIGKILL);
  return reap(options_.kill_seconds);
}

}  // namespace warpgrade::gpu
