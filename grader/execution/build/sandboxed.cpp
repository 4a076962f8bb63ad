#include "build/sandboxed.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <mutex>
#include <span>
#include <string_view>
#include <thread>

#include "base/did_you_mean.hpp"
#include "base/files.hpp"
#include "base/packages.hpp"
#include "base/wire.hpp"
#include "build/answers.hpp"
#include "build/files.hpp"
#include "build/log.hpp"
#include "build/recipe.hpp"
#include "build/source_text.hpp"
#include "build/symbols.hpp"
#include "plan/signature.hpp"

namespace warpgrade::build {
namespace fs = std::filesystem;
namespace {

using sandbox::Outcome;

constexpr std::uint64_t our_files = std::uint64_t{256} << 20;  // no limit, but no accident either
constexpr auto before_another_try = std::chrono::milliseconds(500);

constexpr const char *tools[] = {"/bin/sh",     "/usr/bin/make",    "/usr/bin/g++",
                                 "/usr/bin/ld", "/usr/bin/objcopy", "/usr/bin/nm"};

Build failed(Reason reason, std::string message) {
  Build build;
  build.reason = reason;
  build.message = std::move(message);
  return build;
}

}  // namespace

/// Everything that goes into a build.
struct SandboxedFrontEnd::Inputs {
  std::vector<std::pair<std::string, std::vector<std::byte>>> files;  // the starter's
  std::optional<std::vector<std::byte>> source;
};

std::string text_of(const std::optional<std::vector<std::byte>> &bytes) {
  return bytes ? std::string(reinterpret_cast<const char *>(bytes->data()), bytes->size()) : std::string();
}

std::optional<fs::path> find_on_path(const std::string &path, const std::vector<std::string> &names) {
  for (const std::string &name : names)
    for (std::size_t from = 0; from <= path.size();) {
      const std::size_t end = std::min(path.find(':', from), path.size());
      const fs::path candidate = fs::path(path.substr(from, end - from)) / name;
      std::error_code ignored;
      if (end > from && fs::is_regular_file(candidate, ignored) && fs::file_size(candidate, ignored) > 0 &&
          ::access(candidate.c_str(), X_OK) == 0)
        return candidate;
      from = end + 1;
    }
  return std::nullopt;
}

SandboxedFrontEnd::SandboxedFrontEnd(const sandbox::Sandbox &sandbox, const fs::path &worker_library,
                                     const Limits &limits, std::optional<fs::path> cache)
    : sandbox_(sandbox), worker_library_(worker_library), limits_(limits), folder_(std::move(cache)) {
  if (folder_) cache_.emplace(*folder_);
  auto library = read_regular(fs::canonical(worker_library_), our_files);
  if (!library) throw std::runtime_error("cannot read " + worker_library_.string());
  worker_bytes_ = std::move(*library);
  for (const char *tool : tools) {
    if (!fs::exists(tool))
      throw std::runtime_error(fmt::format("{} is missing; `{}`", tool, install_command("build-essential")));
  }
}

namespace {

sandbox::Command command_in(const fs::path &work, const std::vector<std::string> &arguments,
                            const std::vector<std::string> &environment) {
  sandbox::Command command;
  command.arguments = arguments;
  command.environment = {"LC_ALL=C", "HOME=/nonexistent"};
  command.environment.insert(command.environment.end(), environment.begin(), environment.end());
  command.work = work;
  return command;
}

}  // namespace

std::string SandboxedFrontEnd::ask(const std::vector<std::string> &arguments, const fs::path &work,
                                   const std::vector<std::string> &environment) const {
  sandbox::Command command = command_in(work, arguments, environment);
  command.read_only = read_only();
  command.limits.memory_bytes = limits_.memory_bytes;
  const Outcome outcome = sandbox_.run(command);
  if (!outcome.ok())
    throw std::runtime_error(
        fmt::format("{} does not run in the sandbox: {}", fmt::join(arguments, " "), outcome.output));
  return outcome.output;
}

std::string SandboxedFrontEnd::words_of(const std::vector<std::string> &arguments,
                                        const fs::path &work) const {
  sandbox::Command command = command_in(work, arguments, {"PATH=/usr/bin:/bin"});
  command.limits.cpu_seconds = 3;
  command.limits.wall_seconds = 20;
  command.limits.memory_bytes = limits_.memory_bytes;
  const Outcome outcome = sandbox_.run(command);
  return outcome.end == Outcome::End::exited ? readable_log(outcome.output, work.string(), false) : "";
}

std::optional<std::string> SandboxedFrontEnd::run_tool(const std::vector<std::string> &arguments,
                                                       const fs::path &work,
                                                       const std::vector<std::string> &environment) const {
  sandbox::Command command = command_in(work, arguments, environment);
  command.read_only = read_only();
  command.limits.wall_seconds = limits_.wall_seconds;
  command.limits.cpu_seconds = static_cast<std::uint32_t>(limits_.wall_seconds) + 1;
  command.limits.memory_bytes = command.limits.total_memory_bytes = limits_.memory_bytes;
  command.limits.file_bytes = limits_.file_bytes;
  command.limits.processes = limits_.processes;
  command.limits.output_bytes = limits_.log_bytes;
  const Outcome outcome = sandbox_.run(command);
  return outcome.ok() ? std::optional(outcome.output) : std::nullopt;
}

std::string SandboxedFrontEnd::ask_once(const std::vector<std::string> &arguments,
                                        const fs::path &tool) const {
  std::array<std::byte, 4> first{};
  const Descriptor file(::open(tool.c_str(), O_RDONLY | O_CLOEXEC));
  const bool program =
      read_all(file.get(), first) && std::string_view(reinterpret_cast<char *>(first.data()), 4) ==
                                         "\x7f"
                                         "ELF";
  if (!cache_ || !program) return ask(arguments);
  Writer question;
  question.put_string("warpgrade question 2");
  for (const std::string &argument : arguments) question.put_string(argument);
  put_identity(question, tool);
  const std::vector<std::byte> key = question.bytes();
  if (const auto kept = cache_->find(key)) return kept->log;
  Build answer;  // of which the log is all there is
  answer.log = ask(arguments);
  cache_->keep(key, answer);
  return answer.log;
}

void SandboxedFrontEnd::identify(std::string name, const std::string &identity,
                                 const std::vector<fs::path> &compilers) {
  name_ = std::move(name);
  Writer to;
  to.put_string("warpgrade build 6");
  to.put_string(identity);
  to.put_string(recipe());
  to.put_string(link_script);
  to.put_string(prelink_script);
  for (const fs::path &tool : compilers) put_identity(to, tool);
  for (const char *tool : {"/usr/bin/g++", "/usr/bin/ld", "/usr/bin/ld.gold", "/usr/bin/objcopy"})
    put_identity(to, tool);
  to.put_bytes(worker_bytes_);
  identity_ = name_of(to.bytes());
  Writer linked;
  linked.put_string(prelink_script);
  for (const char *tool : {"/usr/bin/g++", "/usr/bin/ld", "/usr/bin/ld.gold"}) put_identity(linked, tool);
  linked.put_bytes(worker_bytes_);
  prelinked_name_ = "linked-" + name_of(linked.bytes());
}

std::string SandboxedFrontEnd::recipe() const {
  return "list_headers() {\n" + list_headers() + "\n}\ntry_first() {\n" + try_first() + "\n}\n" + make_first +
         after_make() + then_link;
}

bool SandboxedFrontEnd::makes_device_alone(const Request &request) const {
  return request.same_host && !device_alone().empty();
}

std::string SandboxedFrontEnd::recipe_of_device_alone() const {
  return "list_headers() {\n" + list_headers() + "\n}\ntry_first() {\n" + device_alone() + "\n}\n" +
         make_first;
}

SandboxedFrontEnd::Inputs SandboxedFrontEnd::read_inputs(const Request &request) const {
  Inputs inputs;
  for (const fs::path &name : support_files(request.starter)) {  // in order: the cache compares them so
    auto bytes = read_regular(fs::canonical(request.starter / name), our_files);
    if (bytes) inputs.files.emplace_back(name.string(), std::move(*bytes));
  }
  for (const auto &[name, path] : request.headers) {
    auto bytes = read_regular(path, limits_.source_bytes);
    if (!bytes) continue;
    const auto same = std::find_if(inputs.files.begin(), inputs.files.end(),
                                   [&, &name = name](const auto &file) { return file.first == name; });
    if (same != inputs.files.end())
      same->second = std::move(*bytes);
    else
      inputs.files.emplace_back(name, std::move(*bytes));
  }
  inputs.source = read_regular(request.source, limits_.source_bytes);
  return inputs;
}

// Everything that the result depends on.
std::vector<std::byte> SandboxedFrontEnd::cache_key(const Request &request, const Inputs &inputs,
                                                    const std::string &entry) const {
  Writer key;
  key.put_string(identity_);
  for (const std::string &text : {request.file, entry, request.arch, request.sass}) key.put_string(text);
  for (const std::uint64_t number :
       {limits_.memory_bytes, limits_.file_bytes, limits_.scratch_bytes, limits_.device_code_bytes,
        limits_.device_variable_bytes, limits_.log_bytes}) {
    key.put(number);
  }
  for (const auto &[name, bytes] : inputs.files) {
    key.put_string(name);
    key.put_bytes(bytes);
  }
  key.put_bytes(*inputs.source);
  return key.bytes();
}

// Why there is nothing to compile; nothing when there is.
std::optional<Build> SandboxedFrontEnd::refuse_inputs(const Request &request, const Inputs &inputs) const {
  const auto is_makefile = [](const auto &file) { return file.first == "Makefile"; };
  if (std::none_of(inputs.files.begin(), inputs.files.end(), is_makefile)) {
    return failed(Reason::our_failure, "the starter " + request.starter.string() + " has no Makefile");
  }
  if (std::string why = why_not(request); inputs.source && !why.empty())
    return failed(Reason::our_failure, std::move(why));
  if (inputs.source) return refuse_text(request, inputs);
  std::error_code none;
  const bool large = fs::is_regular_file(fs::symlink_status(request.source, none)) &&
                     fs::file_size(request.source, none) > limits_.source_bytes;
  const bool other = fs::exists(fs::symlink_status(request.source, none));
  if (!large && other)
    return failed(Reason::missing_file,
                  request.file + " is not a regular file that can be read (a link or a folder?)");
  if (!large) {
    const std::string meant = misnamed_file(request.source.parent_path(), request.source.filename().string());
    return failed(
        Reason::missing_file,
        request.file + " is missing" +
            (meant.empty() ? "" : fmt::format("; did you mean {0}? Rename it to {1}", meant, request.file)));
  }
  return failed(Reason::limit, fmt::format("{} is larger than {} bytes", request.file, limits_.source_bytes));
}

// What is certain before a compiler has spent half a minute on it.
std::optional<Build> SandboxedFrontEnd::refuse_text(const Request &request, const Inputs &inputs) const {
  const auto encoded = [](const std::string &file, const std::string &encoding) {
    return failed(
        Reason::compile_error,
        fmt::format("{0} is saved as {1}, and compilers read UTF-8: save it as UTF-8. In VS Code, "
                    "click '{1}' in the bar at the bottom, then 'Save with Encoding', 'UTF-8'; in a "
                    "shell: iconv -f {1} -t UTF-8 {0} > fixed && mv fixed {0}",
                    file, encoding));
  };
  if (const auto encoding = foreign_encoding(*inputs.source)) return encoded(request.file, *encoding);
  for (const auto &[name, bytes] : inputs.files)
    if (const auto encoding = request.headers.contains(name) ? foreign_encoding(bytes) : std::nullopt)
      return encoded(name, *encoding);
  const std::string source = text_of(inputs.source);
  if (has_no_code(source))
    return failed(Reason::missing_entry,
                  request.file + (source.find_first_not_of(" \t\r\n") == std::string::npos
                                      ? " is empty. Was it saved?"
                                      : " has nothing but comments. Is it the right file?"));
  if (const auto strange = strange_character(source))
    return failed(Reason::compile_error,
                  fmt::format("{} does not compile. Line {}, column {}: {}{}", request.file, strange->line,
                              strange->column, strange->name,
                              strange->instead.empty() ? ", which cannot be seen: delete it"
                                                       : fmt::format(": type {} instead", strange->instead)));
  for (const Include &include : includes_of(source))
    if (include.certain && include.angled && is_library_header(include.name))
      return refuse_header(request, include.name, include.line, "");
  return std::nullopt;
}

std::optional<fs::path> SandboxedFrontEnd::made_beforehand(
    const std::string &name, std::span<const char *const> files,
    const std::function<void(const fs::path &)> &make) const {
  if (!folder_) return std::nullopt;
  const fs::path folder = *folder_ / name;
  std::error_code none;
  const auto there = [&] {
    return std::all_of(files.begin(), files.end(), [&](const char *file) {
      return fs::exists(folder / fs::path(file).filename(), none);
    });
  };
  static std::mutex one_at_a_time;  // the steps of a course are built side by side
  const std::lock_guard lock(one_at_a_time);
  if (there()) {  // the cache makes room by age
    fs::last_write_time(folder, fs::file_time_type::clock::now(), none);
    return folder;
  }
  try {
    const Scratch work;
    make(work.path());
    const fs::path made = *folder_ / fmt::format("{}.{}", name, ::getpid());
    fs::create_directories(made);
    for (const char *file : files) fs::copy_file(work.path() / file, made / fs::path(file).filename());
    if (!there()) fs::remove_all(folder, none);  // damaged
    fs::rename(made, folder, none);              // another may have been faster
    fs::remove_all(made, none);
    return there() ? std::optional(folder) : std::nullopt;
  } catch (const std::exception &) {
    return std::nullopt;  // each build does it itself, then
  }
}

std::optional<fs::path> SandboxedFrontEnd::prelinked() const {
  return made_beforehand(prelinked_name_, prelinked_files, [&](const fs::path &work) {
    fs::create_directory(work / inside_tools);
    fs::copy_file(worker_library_, work / inside_tools / "libwarpgrade_worker.a");
    sandbox::Command command = command_in(work, {"/bin/sh", "-c", prelink_script}, {"PATH=/usr/bin:/bin"});
    command.limits.memory_bytes = limits_.memory_bytes;
    if (!sandbox_.run(command).ok()) throw std::runtime_error("the worker library cannot be linked");
  });
}

void SandboxedFrontEnd::put_prelinked(const fs::path &folder) const {
  constexpr auto read = fs::perms::owner_read | fs::perms::group_read | fs::perms::others_read;
  if (const auto made = prelinked())
    for (const char *name : prelinked_files) {
      fs::copy_file(*made / name, folder / name);
      fs::permissions(folder / name, read);
    }
}

// The linker needs them after the compiler, which takes longer than they do.
void SandboxedFrontEnd::begin_to_prelink(const fs::path &folder) const {
  if (folder_ && fs::exists(*folder_ / prelinked_name_ / prelinked_files[1])) return put_prelinked(folder);
  write_scratch(folder / prelinking, std::string_view());
  prelinking_.push_back(std::async(std::launch::async, [this, folder] {
    try {
      put_prelinked(folder);
    } catch (const std::exception &) {  // each build links all of it, then
    }
    std::error_code gone;
    fs::remove(folder / prelinking, gone);
  }));
}

void SandboxedFrontEnd::lay_out_tools(const Request &request, const fs::path &folder) const {
  fs::copy_file(worker_library_, folder / "libwarpgrade_worker.a");
  write_scratch(folder / "link.sh", std::string_view(link_script));
  equip(request, folder);
}

// To make forty files for every build and to remove them would take a file system longer than the linker
// takes.
std::optional<fs::path> SandboxedFrontEnd::shared_tools(const Request &request) const {
  const std::lock_guard lock(tools_lock_);
  std::unique_ptr<Scratch> &tools = tools_[target(request)];
  if (!tools) {
    auto fresh = std::make_unique<Scratch>();
    constexpr auto read = fs::perms::group_read | fs::perms::others_read;
    constexpr auto enter = fs::perms::group_exec | fs::perms::others_exec;
    fs::permissions(fresh->path(), read | enter, fs::perm_options::add);
    if (!sandbox_.can_show(fresh->path())) return std::nullopt;
    lay_out_tools(request, fresh->path());
    for (const fs::directory_entry &entry : fs::recursive_directory_iterator(fresh->path()))
      fs::permissions(entry.path(), entry.is_directory() ? read | enter : read, fs::perm_options::add);
    begin_to_prelink(fresh->path());
    tools = std::move(fresh);
  }
  return tools->path();
}

Build SandboxedFrontEnd::build_anew(const Request &request, const Inputs &inputs,
                                    const std::string &entry) const {
  const auto scratch = std::make_shared<Scratch>();
  for (const auto &[name, bytes] : inputs.files) write_scratch(scratch->path() / name, bytes);
  write_scratch(scratch->path() / request.file, *inputs.source);
  const fs::path made = scratch->path() / results;
  fs::create_directory(made);
  const fs::path own = scratch->path() / inside_tools;
  const std::optional<fs::path> shared = shared_tools(request);
  if (!shared) {
    fs::create_directory(own);
    lay_out_tools(request, own);
    put_prelinked(own);
  }
  Build build;
  if (refuse_full_disk(request, scratch->path(), build)) return build;
  judge(request, compile(request, scratch->path(), shared.value_or(own), entry), scratch->path(), build);
  if (build.ok && makes_device_alone(request)) {
    build.worker = request.same_host->worker;
    build.keeps_worker = request.same_host->keeps_worker;
  } else if (build.ok) {
    build.worker = made / "worker";
    build.keeps_worker = scratch;
  }
  return build;
}

Build SandboxedFrontEnd::build(const Request &request) const try {
  const auto start = std::chrono::steady_clock::now();
  const Inputs inputs = read_inputs(request);
  const auto finish = [&](Build build) {
    build.file = request.file;
    build.source = text_of(inputs.source);
    build.front_end = name_;
    build.why_no_registers = why_no_registers();
    build.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    build.charged_seconds = std::min(build.charged_seconds, build.seconds);
    return build;
  };
  if (std::optional<Build> refused = refuse_inputs(request, inputs)) return finish(std::move(*refused));
  const std::string entry = plan::mangled_entry(plan::Signature(request.parameters), request.entry);
  const bool cacheable = cache_ && !request.same_host;
  const std::vector<std::byte> key = cache_key(request, inputs, entry);
  if (std::optional<Build> cached = cacheable ? cache_->find(key) : std::nullopt) {
    if (cached->ok) read_device_code(*cached, request.file, request.arch, limits_);
    return finish(std::move(*cached));
  }
  Build build = build_anew(request, inputs, entry);
  const std::chrono::duration<double> first = std::chrono::steady_clock::now() - start;
  if (build.try_again && first.count() < limits_.wall_seconds) {
    std::this_thread::sleep_for(before_another_try);
    build = build_anew(request, inputs, entry);
  }
  build.try_again = build.reason == Reason::our_failure && build.try_again;
  const bool lasting =
      build.ok || build.reason == Reason::compile_error || build.reason == Reason::missing_entry;
  if (cacheable && lasting) cache_->keep(key, build);
  return finish(std::move(build));
} catch (const std::exception &e) {
  Build build = failed(Reason::our_failure, std::string("the build could not be run: ") + e.what());
  build.front_end = name_;
  build.try_again = true;
  return build;
}

Outcome SandboxedFrontEnd::compile(const Request &request, const fs::path &work, const fs::path &tools,
                                   const std::string &entry) const {
  sandbox::Command command;
  command.arguments = {"/bin/sh",
                       "-c",
                       makes_device_alone(request) ? recipe_of_device_alone() : recipe(),
                       "sh",
                       fs::path(request.file).stem().string(),
                       entry,
                       std::to_string(most_headers + 1)};
  command.environment = environment(request, tools);
  command.environment.insert(command.environment.end(),
                             {"LC_ALL=C", "HOME=/nonexistent", "ARCH=" + request.arch});
  command.work = work;
  command.read_only = read_only();
  if (tools.parent_path() != work) command.shown.push_back({tools, inside_tools});
  command.limits.wall_seconds = limits_.wall_seconds;
  command.limits.stretch = stretch;
  command.limits.cpu_seconds = static_cast<std::uint32_t>(limits_.wall_seconds) + 1;
  command.limits.memory_bytes = command.limits.total_memory_bytes = limits_.memory_bytes;
  command.limits.file_bytes = limits_.file_bytes;
  command.limits.bounded_bytes = command.limits.temporary_bytes = limits_.scratch_bytes;
  command.bounded = "build";
  command.limits.processes = limits_.processes;
  command.limits.output_bytes = limits_.log_bytes;
  return sandbox_.run(command);
}

}  // namespace warpgrade::build
