// The worker: reads one request, calls the student's launcher as often as it says, writes the plan.
//
// The end mark is written by the last destructor of the program, so that exit handlers of the student have
// run by then. A process that ends in any other way (exit, _exit, a signal, an exception) leaves a plan
// without an end mark.
#include <cxxabi.h>
#include <malloc.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iterator>
#include <new>
#include <optional>
#include <span>
#include <typeinfo>

#include "plan/addresses.hpp"
#include "record/worker/operand.hpp"
#include "record/worker/worker.hpp"

namespace warpgrade::record {
namespace {

// Which device address did this fault want? 0: one of several. The kernel does not say it for addresses that
// are not canonical; the instruction does, while other registers may hold addresses of other buffers.
#if defined(__x86_64__)
std::optional<std::uint64_t> wanted_address(const siginfo_t &info, const void *context) {
  if (info.si_addr != nullptr) return std::nullopt;
  const auto &machine = static_cast<const ucontext_t *>(context)->uc_mcontext;
  Registers registers{};
  std::size_t next = 0;
  for (const int name : {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI, REG_R8,
                         REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15})
    registers[next++] = static_cast<std::uint64_t>(machine.gregs[name]);
  const auto instruction = static_cast<std::uint64_t>(machine.gregs[REG_RIP]);
  if (plan::is_device_address(instruction)) return instruction;  // it was called
  const Accessed wanted = accessed(reinterpret_cast<const std::uint8_t *>(instruction), registers);
  const std::span<const std::uint64_t> told(wanted.address.data(), static_cast<std::size_t>(wanted.count));
  std::optional<std::uint64_t> found;
  for (const std::uint64_t address : told.empty() ? std::span<const std::uint64_t>(registers) : told) {
    if (!plan::is_device_address(address)) continue;
    if (found && plan::slot_of(*found) != plan::slot_of(address)) return 0;
    found = address;
  }
  return found;
}
#else
std::optional<std::uint64_t> wanted_address(const siginfo_t &info, const void *) {
  const auto address = reinterpret_cast<std::uint64_t>(info.si_addr);
  return plan::is_device_address(address) ? std::optional(address) : std::nullopt;
}
#endif

/// A tag and its fields, and then who called what is being done.
template <std::size_t size>
void write_with_callers(const std::byte (&record)[size]) {
  write_all(plan_descriptor, record);  // before the stack is read, which may be damaged
  const Callers found = callers();
  std::byte places[2 + sizeof found.frames] = {static_cast<std::byte>(plan::Tag::called_from),
                                               static_cast<std::byte>(found.count)};
  const std::size_t bytes = found.count * sizeof found.frames[0];
  std::memcpy(places + 2, found.frames.data(), bytes);
  write_all(plan_descriptor, std::span(places, 2 + bytes));
}

void on_fault(int signal_number, siginfo_t *info, void *context) {
  const bool access = signal_number == SIGSEGV || signal_number == SIGBUS;
  // SI_KERNEL: a general protection fault. A page fault (a null pointer, an array overrun) is none of ours.
  const bool page_fault = info->si_code == SEGV_MAPERR || info->si_code == SEGV_ACCERR;
  const bool null = page_fault && info->si_addr == nullptr;
  ::signal(signal_number, SIG_DFL);  // and die of it on return, so that the server sees the signal
  if (const auto address = !access || null ? std::nullopt : wanted_address(*info, context)) {
    std::byte record[1 + sizeof *address] = {static_cast<std::byte>(plan::Tag::device_access)};
    std::memcpy(record + 1, &*address, sizeof *address);
    write_with_callers(record);
  } else if (info->si_code > 0 && (!access || page_fault)) {  // not sent by a process
    const auto place = reinterpret_cast<std::uint64_t>(info->si_addr);
    std::byte record[2 + sizeof place] = {static_cast<std::byte>(plan::Tag::fault),
                                          static_cast<std::byte>(signal_number)};
    std::memcpy(record + 2, &place, sizeof place);
    write_with_callers(record);
  }
}

void catch_faults() {
  static std::byte stack[1 << 14];
  stack_t alternative{};
  alternative.ss_sp = stack;
  alternative.ss_size = sizeof stack;
  ::sigaltstack(&alternative, nullptr);
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (const int signal_number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL})
    ::sigaction(signal_number, &action, nullptr);
}

// Two recordings of the same call must agree in every byte, and padding inside a struct argument is whatever
// lay on the stack before: what start-up (it differs: the kernel's random bytes) or a first call left there
// is overwritten here.
//   Whole pages are given back, and come back empty when they are touched: most were never used.
[[gnu::noinline]] void scrub_stack() {
  volatile std::uint64_t below[(1 << 18) / sizeof(std::uint64_t)];
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const std::uintptr_t first = (reinterpret_cast<std::uintptr_t>(below) + page - 1) / page * page,
                       end = reinterpret_cast<std::uintptr_t>(below + std::size(below)) / page * page;
  // The stack may not reach so far down yet: what there is of it is given back all the same.
  const bool given =
      ::madvise(reinterpret_cast<void *>(first), end - first, MADV_DONTNEED) == 0 || errno == ENOMEM;
  for (volatile std::uint64_t *word = given ? reinterpret_cast<std::uint64_t *>(end) : std::begin(below);
       word != std::end(below); ++word)
    *word = 0;
}

void call_launcher(Worker &state) {
  state.phase = Phase::inside;
  try {
    if (!call_entry(state.orders().request)) ::_exit(125);
  } catch (const std::exception &e) {
    state.thrown(e.what());
    ::_exit(124);
  } catch (...) {
    const std::type_info *type = abi::__cxa_current_exception_type();
    int status = 0;
    const char *name =
        type == nullptr ? nullptr : abi::__cxa_demangle(type->name(), nullptr, nullptr, &status);
    state.thrown(std::string("something of type ") + (name == nullptr ? "unknown" : name));
    ::_exit(124);
  }
  state.phase = Phase::after;
}

// Constructors of this priority run first and destructors last, behind whatever the student registered.
[[gnu::destructor(101)]] void write_end_mark() {
  Worker &state = worker();
  if (state.phase != Phase::after) return;  // exit() was called, by a constructor or by the launcher
  state.mark(plan::Tag::ended);
  state.flush();
}

}  // namespace
}  // namespace warpgrade::record

namespace warpgrade::record {
namespace {

/// For a launcher that takes all the memory there is: room for what the recorder needs after that. Not from malloc,
/// which writes to all that it gives (M_PERTURB): each recording would pay for 256 pages that it never uses.
void *kept_memory = MAP_FAILED;
constexpr std::size_t kept_bytes = std::size_t{1} << 20;

void keep_memory() {
  kept_memory = ::mmap(nullptr, kept_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  std::set_new_handler([] {
    if (kept_memory == MAP_FAILED) throw std::bad_alloc();
    ::munmap(kept_memory, kept_bytes);
    kept_memory = MAP_FAILED;
  });
}

}  // namespace
}  // namespace warpgrade::record

int main() {
  using namespace warpgrade;
  record::Worker &state = record::worker();
  std::setvbuf(stdout, nullptr, _IOLBF, 1 << 12);  // what was printed before a crash is shown
  ::mallopt(M_PERTURB, 0xff);  // and so that memory is zero whenever malloc() gives it out: see scrub_stack
  record::catch_faults();
#if defined(__x86_64__)
  constexpr std::uint64_t guard = 0x5741525047524144;  // a constant stack protector: see scrub_stack
  asm volatile("movq %0, %%fs:0x28" : : "r"(guard) : "memory");
#endif
  state.mark(plan::Tag::started);
  state.flush();
  record::keep_memory();
  for (std::uint32_t call = 0; call < state.orders().request.calls; ++call) {
    if (call > 0) state.call_again();
    record::scrub_stack();
    record::call_launcher(state);
  }
  std::exit(plan::returned_status);
}
