// The simulator's process: confines itself before it reads a byte, then serves requests. See
// simulate/simulator.hpp.
#include <malloc.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <new>

#include "base/descriptor.hpp"
#include "ptx/fatbin.hpp"
#include "sandbox/confine.hpp"
#include "sandbox/sanitized.hpp"
#include "simulate/simulator_protocol.hpp"

namespace warpgrade::run {
namespace {

// If the grader has no more requests, or has ended, this process ends.
void read_or_end(std::span<std::byte> to) {
  if (!read_all(simulator_socket, to)) ::_exit(0);
}
void write_or_end(std::span<const std::byte> bytes) {
  if (!write_all(simulator_socket, bytes)) ::_exit(0);
}

std::vector<std::byte> receive() {
  std::uint64_t length = 0;
  read_or_end(std::as_writable_bytes(std::span(&length, 1)));
  std::vector<std::byte> frame(length);
  read_or_end(frame);
  return frame;
}

void send(const std::vector<std::byte> &frame) {
  const std::uint64_t length = frame.size();
  write_or_end(std::as_bytes(std::span(&length, 1)));
  write_or_end(frame);
}

std::shared_ptr<const simt::DeviceCode> read_code(const std::vector<std::byte> &fatbin) {
  for (const ptx::Image &image : ptx::read_fatbin(fatbin)) {
    if (image.kind != ptx::Image::Kind::ptx) continue;
    const std::string_view text(reinterpret_cast<const char *>(image.bytes.data()), image.bytes.size());
    return std::make_shared<const simt::DeviceCode>(ptx::parse(text));
  }
  throw ptx::FormatError("no PTX");
}

std::shared_ptr<const simt::DeviceCode> changed(const simt::DeviceCode &code, const CodeChanges &changes) {
  ptx::Module module = ptx::without_accesses(code.module(), changes.left_out);
  if (changes.disturb_shared_loads) module = ptx::with_disturbed_shared_loads(module);
  return std::make_shared<const simt::DeviceCode>(std::move(module));
}

[[noreturn]] void serve() {
  const std::shared_ptr<const simt::DeviceCode> original = read_code(receive());
  std::shared_ptr<const simt::DeviceCode> code = original;
  CodeChanges made;
  for (;;) {
    const SimulatorRequest request = decode_simulator_request(receive());
    if (request.changes != made) {
      made = request.changes;
      code = made == CodeChanges{} ? original : changed(*original, made);
    }
    const std::vector<Run> runs = simulate_in_turn(request.plan, code, request.inputs, request.options);
    send(encode(runs, request.inputs, request.options));
  }
}

void confine() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::signal(SIGPIPE, SIG_IGN);
  for (const int none : {RLIMIT_CORE, RLIMIT_FSIZE, RLIMIT_MSGQUEUE, RLIMIT_MEMLOCK}) {
    const struct rlimit zero = {0, 0};
    ::setrlimit(static_cast<__rlimit_resource_t>(none), &zero);
  }
  sandbox::close_all_but(simulator_socket);
  if (!sandbox::only_compute(sandbox::Threads::some)) ::_exit(simulator_without_filter);
}

}  // namespace
}  // namespace warpgrade::run

int main() {
  using namespace warpgrade::run;
  std::set_new_handler([] { ::_exit(simulator_out_of_memory); });
  // What one run frees serves the next: fetched anew, each page costs a fault.
  ::mallopt(M_MMAP_THRESHOLD, 32 << 20);
  ::mallopt(M_TRIM_THRESHOLD, 64 << 20);
  confine();
  try {
    serve();
  } catch (const std::bad_alloc &) {
    ::_exit(simulator_out_of_memory);
  } catch (const std::exception &) {
    ::_exit(simulator_failed);
  }
}
