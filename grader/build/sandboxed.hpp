// What the front ends share: a student's file over a pristine copy of the starter, compiled by the starter's
// own Makefile in a sandbox, linked with the worker library, kept in a cache. A front end says which compiler
// the Makefile is to use, what that may see, and where it leaves the device code.
#pragma once

#include <functional>
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
  /// throws  std::runtime_error: a tool or the worker library is not there
  SandboxedFrontEnd(const sandbox::Sandbox &, const std::filesystem::path &worker_library, const Limits &,
                    std::optional<std::filesystem::path> cache);

  /// Runs `arguments` in the sandbox, in `work` if that is not empty, and gives what it prints. throws
  /// std::runtime_error when it fails.
  std::string ask(const std::vector<std::string> &arguments, const std::filesystem::path &work = {},
                  const std::vector<std::string> &environment = {}) const;
  /// The same, kept in the cache for as long as `tool`, which answers, is the same file: compilers take their
  /// time to say who they are. A script, which may call another one tomorrow, is asked every time.
  std::string ask_once(const std::vector<std::string> &arguments, const std::filesystem::path &tool) const;
  /// What a compiler prints that may find mistakes: nothing when it takes more time than a second look is
  /// worth.
  std::string words_of(const std::vector<std::string> &arguments, const std::filesystem::path &work) const;
  /// The folder of that name in the cache, with `files`, which `make` leaves in the working folder that it is
  /// given; made once. Nothing without a cache, or when it cannot be made: then each build does the work
  /// itself.
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
  /// Folders of the machine that the compiler needs besides /usr.
  virtual std::vector<std::filesystem::path> read_only() const = 0;
  /// Puts into `folder`, which is the same for all requests with one answer of target(), what the Makefile
  /// needs besides the starter's files.
  virtual void equip(const Request &, const std::filesystem::path &) const {}
  virtual std::string target(const Request &) const { return ""; }
  /// Shell commands after `make`, in the sandbox; $1 is the stem of the file's name. They end with `exit 10`
  /// when the file is at fault.
  virtual std::string after_make() const { return ""; }
  /// A shell command that prints which headers the file includes, as it suits headers_in(); $1 is as above.
  virtual std::string list_headers() const = 0;
  /// The same headers as line markers of a preprocessor.
  virtual std::string headers_in(const std::string &list) const = 0;
  /// What another compiler says of a file that this one refused with these words; a line of the log, or
  /// empty.
  virtual std::string second_opinion(const Request &, const std::filesystem::path &,
                                     const std::string &) const {
    return "";
  }
  /// What people should read besides the compiler's words.
  virtual std::string with_hints(std::string log) const { return log; }
  /// Registers and spills, where the compiler told them.
  virtual void read_resources(const Request &, const std::string &, Build &) const {}
  /// Why there are none, when this compiler never tells them.
  virtual std::string why_no_registers() const { return ""; }
  /// Fills in Build::fatbin, or the reason why there is none. `made` is where the results are.
  virtual void take_device_code(const Request &, const std::filesystem::path &made, Build &) const = 0;

  const Limits &limits() const { return limits_; }
  /// The bytes of a file in `kept` that is the device code; sets the reason and gives nothing when there is
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
  /// A folder with what all builds for one target need; nothing where the sandbox cannot show it, and each
  /// build needs a folder of its own.
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
  /// The worker library and what it needs of the system's, linked as far as it goes without a student's
  /// object.
  std::optional<std::filesystem::path> prelinked() const;

  sandbox::Sandbox sandbox_;
  std::filesystem::path worker_library_;
  std::vector<std::byte> worker_bytes_;
  Limits limits_;
  std::optional<std::filesystem::path> folder_;  ///< of the cache
  std::optional<Cache> cache_;
  std::string name_, prelinked_name_;
  std::string identity_;  ///< of the tools, for the cache: another compiler is another build
  mutable std::mutex tools_lock_;
  mutable std::map<std::string, std::unique_ptr<sandbox::Scratch>> tools_;  ///< by target
};

/// The build of a file that includes a header of a library. line: of the file, where it does so itself, else
/// 0.
Build refuse_header(const Request &, const std::string &header, int line, const std::string &log);

/// Where tools lie, within the working folder.
inline constexpr const char *inside_tools = "cuda";

/// The whole text of a file as it was left by a compiler; empty when it is none.
std::string text_of(const std::optional<std::vector<std::byte>> &);

/// The program of one of these names in the folders of `path`, the value of PATH; the first name that is
/// found.
std::optional<std::filesystem::path> find_on_path(const std::string &path,
                                                  const std::vector<std::string> &names);

}  // namespace warpgrade::build
