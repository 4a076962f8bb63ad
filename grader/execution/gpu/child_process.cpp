#include "gpu/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <string_view>
#include <system_error>
#include <utility>

#include "gpu/messages.hpp"

namespace warpgrade::gpu {
namespace {

[[noreturn]] void throw_errno(const std::string &what) {
  throw std::system_error(errno, std::generic_category(), what);
}

/// The inherited environment, so that CUDA_VISIBLE_DEVICES and LD_LIBRARY_PATH still mean something, with
/// what must hold in a child of ours.
std::vector<std::string> child_environment(const ChildOptions &options, std::string_view argument) {
  std::vector<std::string> changes = {
      "CUDA_CACHE_DISABLE=1",  // nothing compiled for one student is kept for the next
      // A student kernel's first launch must not pay for loading it; cuBLAS has thousands of kernels, so one
      // at a time.
      argument == "--gpu-referee-child" ? "CUDA_MODULE_LOADING=LAZY" : "CUDA_MODULE_LOADING=EAGER",
      "CUDA_DEVICE_ORDER=PCI_BUS_ID",        // an index means the same GPU in every child
      "NVIDIA_TF32_OVERRIDE=0",              // cuBLAS: fp32 means fp32
      "CUBLAS_EMULATE_SINGLE_PRECISION=0"};  // nor an emulation of it
  changes.insert(changes.end(), options.environment.begin(), options.environment.end());
  return environment_with(changes);
}

}  // namespace

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

ChildProcess::ChildProcess(const ChildOptions &options, const char *argument) : options_(options) {
  std::array<int, 2> sockets{}, output{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) != 0) throw_errno("socketpair");
  socket_ = Descriptor(sockets[0]);
  const Descriptor theirs(sockets[1]);
  if (::pipe2(output.data(), O_CLOEXEC) != 0) throw_errno("pipe2");
  output_ = Descriptor(output[0]);
  const Descriptor printed(output[1]);
  ::fcntl(output_.get(), F_SETFL, O_NONBLOCK);
  memory_ = Descriptor(::memfd_create("warpgrade-gpu", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (memory_.get() < 0) throw_errno("memfd_create");
  // A child that shrank the memory could have us killed by SIGBUS.
  ::fcntl(memory_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_SEAL);
  const timeval patience{.tv_sec = 30, .tv_usec = 0};
  ::setsockopt(socket_.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  Start start{.program = options_.program, .arguments = {"warpgrade", argument, options_.driver_library}};
  start.environment = child_environment(options_, argument);
  start.descriptors = {
      {printed.get(), 1}, {printed.get(), 2}, {theirs.get(), child_socket}, {memory_.get(), child_memory}};
  child_ = Child(start);
}

ChildProcess::~ChildProcess() {
  kill();
  child_.forget();
  if (mapped_ != nullptr) ::munmap(mapped_, mapped_bytes_);
}

std::span<std::byte> ChildProcess::share(std::size_t bytes) {
  if (bytes > mapped_bytes_) {
    if (::ftruncate(memory_.get(), static_cast<off_t>(bytes)) != 0)
      throw_errno("memory shared with the GPU process");
    if (mapped_ != nullptr) ::munmap(mapped_, mapped_bytes_);
    mapped_ = nullptr;
    mapped_bytes_ = 0;
    void *address = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory_.get(), 0);
    if (address == MAP_FAILED) throw_errno("memory shared with the GPU process");
    mapped_ = static_cast<std::byte *>(address);
    mapped_bytes_ = bytes;
  }
  return {mapped_, mapped_bytes_};
}

bool ChildProcess::send(Message type, const Writer &payload, std::span<const int> files) {
  return send_message(socket_.get(), type, payload, files);
}

void ChildProcess::drain_output() {
  std::array<char, 16384> piece;
  while (true) {
    const auto size = ::read(output_.get(), piece.data(), piece.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) {
      if (size == 0) output_.close();
      return;
    }
    const auto room = options_.output_bytes - std::min(options_.output_bytes, printed_.size());
    const auto kept = std::min(room, static_cast<std::size_t>(size));
    printed_.append(piece.data(), kept);
    dropped_ += static_cast<std::size_t>(size) - kept;
  }
}

std::string ChildProcess::take_output() {
  if (output_.get() >= 0) drain_output();
  auto text = std::exchange(printed_, {});
  if (dropped_ > 0) text += "\n[" + std::to_string(dropped_) + " more bytes were printed and dropped]\n";
  dropped_ = 0;
  return text;
}

void ChildProcess::read_socket() {
  std::array<std::byte, 16384> piece;
  const auto size = accepts_files_ ? receive_with_files(socket_.get(), piece, MSG_DONTWAIT, files_)
                                   : ::recv(socket_.get(), piece.data(), piece.size(), MSG_DONTWAIT);
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
      if (output_.get() >= 0) drain_output();
      return answer;
    }
    if (hung_up_) return died();
    const double left = deadline - now();
    if (left <= 0) return {.kind = Answer::Kind::deadline, .type = {}, .payload = {}, .how = {}, .files = {}};
    std::array<pollfd, 2> files{
        {{socket_.get(), POLLIN, 0}, {output_.get(), POLLIN, 0}}};  // a negative descriptor is skipped
    ::poll(files.data(), files.size(), static_cast<int>(std::ceil(std::min(left, 1.0) * 1000)));
    if (files[1].revents != 0) drain_output();
    if (files[0].revents != 0) read_socket();
  }
}

Answer ChildProcess::died() {
  // A child that only closed its socket is no use either.
  if (!child_.ended(0.5)) kill();
  Answer answer;
  answer.how = child_.status() ? how_it_ended(*child_.status()) : "no exit status";
  auto words = take_output();
  if (words.size() > 400) words = "..." + words.substr(words.size() - 400);
  if (!words.empty()) answer.how += "; its last words: " + words;
  return answer;
}

bool ChildProcess::kill() {
  child_.kill();
  return child_.ended(options_.kill_seconds);
}

}  // namespace warpgrade::gpu
