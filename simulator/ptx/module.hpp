// A PTX module as plain data: the content of the text, without judging whether it can be executed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace warpgrade::ptx {

/// "PTX line 12: ..."
class ParseError : public std::runtime_error {
 public:
  ParseError(int line, const std::string &what)
      : std::runtime_error("PTX line " + std::to_string(line) + ": " + what), line_(line) {}
  int line() const { return line_; }

 private:
  int line_;
};

enum class Space : std::uint8_t { generic, global, constant, shared, local, param };

/// Value types of PTX; the size in bytes is size_of().
enum class Type : std::uint8_t {
  none,
  pred,
  b8,
  u8,
  s8,
  b16,
  u16,
  s16,
  f16,
  bf16,
  f16x2,
  bf16x2,
  b32,
  u32,
  s32,
  f32,
  b64,
  u64,
  s64,
  f64,
  b128
};
std::uint32_t size_of(Type);

/// One parameter of a kernel or function.
struct Parameter {
  std::uint32_t size = 0, align = 0;  ///< bytes
  std::uint32_t offset = 0;           ///< in the packed argument block (CUDA ABI), bytes
  std::string name;
};

/// A memory object: module scope, or inside a function (shared, local, param).
struct Variable {
  std::string name;
  Space space = Space::global;
  std::uint64_t bytes = 0;
  std::uint32_t align = 1;
  bool initialised = false;  ///< has initial values; global and const variables without them start as zeros
  bool writable = true;      ///< false for const
  bool dynamic = false;      ///< .extern .shared without a size
  bool external = false;     ///< declared here, defined elsewhere
  bool internal = false;     ///< not visible to other modules: no .visible, .weak, .common or .extern
  std::vector<std::byte> initial;  ///< empty, or as many bytes as the initialiser has
  struct Relocation {
    std::uint64_t offset;
    std::string symbol;
    std::int64_t addend;
    bool generic;
  };
  std::vector<Relocation> relocations;  ///< 8-byte addresses of other variables inside `initial`
};

/// One operand of an instruction.
struct Operand {
  enum class Kind : std::uint8_t {
    none,       ///< "_"
    reg,        ///< reg
    immediate,  ///< value: the bits of an integer, or of a float of `type`
    symbol,     ///< name, value: its offset (address of a variable, parameter, function, label)
    special,    ///< name: "%tid.x"
    memory,     ///< [reg + value] or [name + value] or [value]
    vector,     ///< {elements}
    list,       ///< (elements), of a call
  };
  Kind kind = Kind::none;
  bool negated = false;      ///< "!%p1"
  Type type = Type::none;    ///< of a float immediate: f32 or f64
  std::int32_t reg = -1;     ///< index in Function::registers; base register of a memory operand
  std::int32_t second = -1;  ///< "%r1|%p1": index of the second destination
  std::int64_t value = 0;
  std::string name;
  std::vector<Operand> elements;
};

struct Instruction {
  std::string opcode;       ///< as written: "ld.global.nc.v4.f32"
  std::int32_t guard = -1;  ///< index in Function::registers of a predicate, -1 without a guard
  bool guard_negated = false;
  std::vector<Operand> operands;
  std::int32_t location = -1;  ///< index in Module::locations
  std::int32_t text_line = 0;  ///< line of the PTX text
};

struct Register {
  std::string name;
  Type type = Type::b32;
};

struct Label {
  std::string name;
  std::uint32_t instruction = 0;  ///< index in Function::instructions of the next one
};

/// A .entry (kernel) or .func.
struct Function {
  std::string name;
  bool entry = false;
  bool defined = false;   ///< false for a prototype such as vprintf's
  bool internal = false;  ///< not visible to other modules: no .visible, .weak or .extern
  std::vector<Parameter> parameters;
  std::vector<Parameter> results;
  std::vector<Register> registers;
  std::vector<Variable>
      variables;  ///< .shared, .local and .param declared in the body; names are made unique
  std::vector<Instruction> instructions;
  std::vector<Label> labels;
  std::vector<std::vector<std::string>>
      branch_targets;  ///< of .branchtargets; `name` of a brx operand indexes by label
  std::vector<std::string> branch_target_names;
  std::uint32_t max_threads = 0;           ///< product of .maxntid, 0 if not given
  std::array<std::uint32_t, 3> cluster{};  ///< .reqnctapercluster, zeros if not given
  std::int32_t text_line = 0;
};

/// The facts that a driver would know about a kernel.
struct KernelFacts {
  std::string name;  ///< mangled
  std::vector<Parameter> parameters;
  std::uint32_t argument_bytes = 0;
  std::uint32_t static_shared_bytes = 0;   ///< of the variables that the kernel and its callees name
  std::uint32_t local_bytes = 0;           ///< per thread: arrays with a dynamic index
  std::uint32_t max_threads = 0;           ///< .maxntid, 0 if not given
  std::array<std::uint32_t, 3> cluster{};  ///< blocks of a cluster: .reqnctapercluster, zeros if not given
  bool uses_dynamic_shared = false;
  std::int32_t text_line = 0;  ///< line of the PTX text
  std::string file;            ///< of the first instruction that has a location, else empty
  std::int32_t line = 0;
};

/// A .loc directive.
struct Location {
  std::int32_t file = 0, line = 0, column = 0;
  std::int32_t inlined_at = -1;  ///< index in Module::locations of the call that was inlined
};

struct Module {
  int sm = 0;  ///< .target
  int version_major = 0, version_minor = 0;
  std::vector<KernelFacts> kernels;
  std::vector<Function> functions;  ///< kernels and device functions, in text order
  std::vector<Variable> variables;  ///< module scope: global, const and shared
  std::vector<std::string> files;   ///< indexed by Location::file; entries may be empty
  std::vector<Location> locations;
};

/// Parses a whole module. Unknown opcodes are kept; they matter only if they are executed.
/// throws ParseError, also for a module beyond the limits: 64 MiB of text, 4 million instructions
Module parse(std::string_view text);

/// Links modules that were compiled separately (nvcc -rdc=true) as the device linker does: declarations are
/// resolved, the first of several weak definitions is kept, and internal names that occur in several modules
/// get a suffix. A name that no module defines stays a declaration. `parts` must not be empty.
Module link(std::vector<Module> parts);

/// Renames kernels, variables and functions, wherever they occur: `names` maps old to new.
void rename(Module &, const std::map<std::string, std::string> &names);

const KernelFacts *find_kernel(const Module &, std::string_view name);
const Function *find_function(const Module &, std::string_view name);

/// The student's line of an instruction: the innermost inlined frame that is not in a toolkit or system
/// header.
struct SourceLine {
  std::string file;  ///< base name; empty if unknown
  int line = 0;      ///< 0 if unknown
  bool operator==(const SourceLine &) const = default;
  auto operator<=>(const SourceLine &) const = default;
};
SourceLine source_line(const Module &, std::int32_t location);
/// The location itself, or the one outside of headers of the CUDA Toolkit that it is inlined into; -1 without lines.
std::int32_t user_location(const Module &, std::int32_t location);
/// Whether a location, and all that it is inlined into, is in headers of the CUDA Toolkit. False without
/// lines.
bool is_toolkit_code(const Module &, std::int32_t location);
/// Whether a location, or one that it is inlined into, is in a file whose path has this part. False without lines.
bool is_inlined_from(const Module &, std::int32_t location, std::string_view part_of_path);

/// The demangled name of a kernel, "tile(float*, int)". The name itself if it is not mangled, or too long or
/// complex to demangle quickly. Cut after 512 characters.
std::string demangle(const std::string &mangled);

/// Facts for grading rules, read from the instructions: each kind of use once, at its first occurrence.
struct Use {
  std::string what;  ///< "wmma.mma", "cvt.rn.tf32.f32", "fma.rn.f16x2"
  std::string file;
  int line = 0;
};
std::vector<Use> tensor_core_uses(const Module &);
std::vector<Use> low_precision_uses(const Module &);  ///< arithmetic and conversions below fp32
std::vector<Use> atomic_uses(const Module &);         ///< in any memory, bulk reductions included
std::vector<Use> device_launch_or_malloc_uses(const Module &);
std::vector<Use> cache_hint_uses(const Module &);  ///< createpolicy, evict_last, prefetch, ...

}  // namespace warpgrade::ptx
