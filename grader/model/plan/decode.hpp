// From a worker's bytes to a launch plan. The bytes are hostile. For any input, the result is a plan in which
// every place names a buffer, every kernel exists and every limit is met, or an exception that says what is
// wrong.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "plan/plan.hpp"

namespace warpgrade::plan {

/// What is wrong with the plan, in words for a student.
class PlanError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A worker's whole stream: the operations, and everything else that the worker reported.
struct Trace {
  LaunchPlan plan;
  bool started = false;                      ///< main was reached: anything earlier was a constructor
  bool ended = false;                        ///< the launcher returned, and exit handlers ran
  std::optional<std::size_t> first_call;     ///< operations of the first call, if there was a second one
  std::optional<std::string> refused;        ///< the first call that a plan cannot contain, and the rule
  std::optional<std::string> thrown;         ///< what() of the exception that escaped
  std::optional<std::string> failed_launch;  ///< the runtime refused the plan's last launch for this reason
  bool device_access = false;                ///< host code dereferenced a device pointer
  std::string accessed;                      ///< the name of its buffer, where known

  struct Fault {
    std::uint8_t signal = 0;
    std::uint64_t address = 0;  ///< accessed, or that of the instruction
  };
  std::optional<Fault> fault;  ///< of the launcher's own code

  /// Addresses in the worker's program, innermost first. They are as hostile as the program.
  using Callers = std::vector<std::uint64_t>;
  Callers refused_at;                             ///< of the refused call, of the access or of the fault
  Callers failed_at;                              ///< of the first launch that the runtime refused
  std::map<std::uint32_t, Callers> allocated_at;  ///< of each allocation, by buffer
  std::map<std::size_t, Callers>
      launched_at;  ///< of launches, by operation, where the launcher is called twice; where there are several devices,
                    ///< of copies and fills too
};

/// throws PlanError: malformed bytes, a limit exceeded, an address outside all buffers, a copy past its
/// buffer, ...
Trace read_trace(std::span<const std::byte>, const CallRequest &, const Limits &);

/// The plan of a complete stream: throws PlanError if it was refused or has no end mark.
LaunchPlan decode(std::span<const std::byte>, const CallRequest &, const Limits &);

}  // namespace warpgrade::plan
