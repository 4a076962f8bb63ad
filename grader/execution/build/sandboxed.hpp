// The common part of the front ends: a student's file over a pristine copy of the starter, compiled by the
// starter's own Makefile in a sandbox, linked with the worker library, kept in a cache. A front end defines
// which compiler the Makefile uses, what that compiler may see, and where it leaves the device code.
#pragma once

#include <functional>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <span>

#include "build/build.hpp"
#include "build/cache.hpp"

namespace warpgrade::build {

class SandboxedFrontEnd : public FrontEnd {
 public:
  Build build(const Request &) const override;
  std::string name() const override { return name_; }

 protected:
  /// throws  std::runtime_error: a tool or the worker library is missing
  SandboxedFrontEnd(const sandbox::Sandbox &, const std::filesystem::path &worker_library, const Limits &,
                    std::optional<std::filesystem::path> cache);

  /// Runs `arguments` in the sandbox, in `work` if that is not empty, and returns the output.
  /// throws std::runtime_error if it fails.
  std::string ask(const std::vector<std::string> &arguments, const std::filesystem::path &work = {},
                  const std::vector<std::string> &environment = {}) const;
  /// The same, cached as long as `tool`, which answers, is the same file: compilers are slow to report their
  /// version. A script, which may call another compiler tomorrow, is asked every time.
  std::string ask_once(const std::vector<std::string> &arguments, const std::filesystem::path &tool) const;
  /// The output of a compiler that may find mistakes: nothing if it takes longer than a second opinion is
  /// worth.
  std::string words_of(const std::vector<std::string> &arguments, const std::filesystem::path &work) const;
  /// Runs a tool on what was made of a student's file, in `work`, with the limits of a build. Returns its
  /// output, or nothing if it fails.
  std::optional<std::string> run_tool(const std::vector<std::string> &arguments,
                                      const std::filesystem::path &work,
                                      const std::vector<std::string> &environment) const;
  /// The folder of that name in the cache, with `files`, which `make` leaves in the working folder that it
  /// gets; made once. Nothing without a cache, or if it cannot be made: then each build does the work itself.
  std::optional<std::filesystem::path> made_beforehand(
      const std::string &name, std::span<const char *const> files,
      const std::function<void(const std::filesystem::path &)> &make) const;
  /// name      of the compiler, with its version: "nvcc 13.0"
  /// identity  whatever else tells one compiler from another: its words about itself
  /// tools     files that are the compiler: another size or time is another compiler
  void identify(std::string name, const std::string &identity,
                const std::vector<std::filesystem::path> &tools);

  /// Variables of the Makefile, and what the compiler itself needs. `tools` is a folder that equip() has
  /// filled.
  virtual std::vector<std::string> environment(const Request &, const std::filesystem::path &tools) const = 0;
  /// Why this compiler cannot be asked for that, in a sentence; empty if it can.
  virtual std::string why_not(const Request &) const { return ""; }
  /// Folders of the machine that the compiler needs besides /usr.
  virtual std::vector<std::filesystem::path> read_only() const = 0;
  /// Puts into `folder`, which is shared by all requests with the same answer of target(), what the Makefile
  /// needs besides the starter's files.
  virtual void equip(const Request &, const std::filesystem::path &) const {}
  virtual std::string target(const Request &) const { return ""; }
  /// Shell commands of a faster way to the same object, in the sandbox; $1 is the stem of the file's name. They fail
  /// without a word if `make` has to compile the file, and end with `exit 10` if it would say the same.
  virtual std::string try_first() const { return "return 1"; }
  /// Shell commands that make the device code alone, as try_first() makes an object; empty if this compiler cannot.
  virtual std::string device_alone() const { return ""; }
  /// Shell commands after `make`, in the sandbox; $1 is the stem of the file's name. They end with `exit 10`
  /// if the file is at fault.
  virtual std::string after_make() const { return ""; }
  /// A shell command that lists the headers that the file includes, in the form that headers_in() expects; $1
  /// is as above.
  virtual std::string list_headers() const = 0;
  /// The same headers as line markers of a preprocessor.
  virtual std::string headers_in(const std::string &list) const = 0;
  /// What another compiler says about a file that this one rejected with this output; a line of the log, or
  /// empty.
  virtual std::string second_opinion(const Request &, const std::filesystem::path &,
                                     const std::string &) const {
    return "";
  }
  /// Text for people in addition to the compiler's output.
  virtual std::string with_hints(std::string log) const { return log; }
  /// Registers and spills, if the compiler reported them.
  virtual void read_resources(const Request &, const std::string &, Build &) const {}
  /// Why there are none, if this compiler never reports them.
  virtual std::string why_no_registers() const { return ""; }
  /// Fills in Build::fatbin, or the reason why there is none. `made` is where the results are.
  virtual void take_device_code(const Request &, const std::filesystem::path &made, Build &) const = 0;

  const Limits &limits() const { return limits_; }
  /// The bytes of the file in `kept` that is the device code; sets the reason and returns nothing if there is
  /// none.
  std::optional<std::vector<std::byte>> device_code(const Request &, const std::filesystem::path &,
                                                    Build &) const;

 private:
  struct Inputs;
  Inputs read_inputs(const Request &) const;
  std::optional<Build> refuse_inputs(const Request &, const Inputs &) const;
  std::optional<Build> refuse_text(const Request &, const Inputs &) const;
  std::vector<std::byte> cache_key(const Request &, const Inputs &, const std::string &entry) const;
  Build build_anew(const Request &, const Inputs &, const std::string &entry) const;
  void lay_out_tools(const Request &, const std::filesystem::path &folder) const;
  /// A folder with everything that all builds for one target need; nothing if the sandbox cannot show it and
  /// each build needs a folder of its own.
  std::optional<std::filesystem::path> shared_tools(const Request &) const;
  /// tools  a folder outside of `work` that is to be shown in it, or the one there
  sandbox::Outcome compile(const Request &, const std::filesystem::path &work,
                           const std::filesystem::path &tools, const std::string &entry) const;
  void judge(const Request &, const sandbox::Outcome &, const std::filesystem::path &work, Build &) const;
  void judge_link(const Request &, const std::filesystem::path &made, Build &) const;
  bool judge_stop(const Request &, const sandbox::Outcome &, const std::filesystem::path &made,
                  Build &) const;
  bool refuse_full_disk(const Request &, const std::filesystem::path &scratch, Build &) const;
  bool refuse_headers(const Request &, const std::filesystem::path &made, Build &) const;
  std::string beyond(const std::string &limit, const Request &) const;
  std::string recipe() const;
  std::string recipe_of_device_alone() const;
  bool makes_device_alone(const Request &) const;
  /// The worker library and the parts of the system's libraries that it needs, linked as far as possible
  /// without a student's object.
  std::optional<std::filesystem::path> prelinked() const;
  void put_prelinked(const std::filesystem::path &folder) const;
  /// The same beside what follows; link.sh waits for it.
  void begin_to_prelink(const std::filesystem::path &folder) const;

  sandbox::Sandbox sandbox_;
  std::filesystem::path worker_library_;
  std::vector<std::byte> worker_bytes_;
  Limits limits_;
  std::optional<std::filesystem::path> folder_;  ///< of the cache
  std::optional<Cache> cache_;
  std::string name_, prelinked_name_;
  std::string identity_;  ///< of the tools, for the cache: another compiler is another build
  mutable std::mutex tools_lock_;
  mutable std::map<std::string, std::unique_ptr<Scratch>> tools_;  ///< by target
  mutable std::vector<std::future<void>> prelinking_;  ///< guarded by tools_lock_; ends before tools_
};

/// The build result of a file that includes a library header.
/// line: of the #include if it is in the file itself, else 0.
Build refuse_header(const Request &, const std::string &header, int line, const std::string &log);

/// Where tools are, relative to the working folder.
inline constexpr const char *inside_tools = "cuda";

/// The whole text of a file that a compiler left; empty if it is not text.
std::string text_of(const std::optional<std::vector<std::byte>> &);

/// The first of these names that is a program in the folders of `path`, the value of PATH.
std::optional<std::filesystem::path> find_on_path(const std::string &path,
                                                  const std::vector<std::string> &names);

}  // namespace warpgrade::build
