// ./simt prove: a kernel of a file, with its parameters named as in the source.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <map>
#include <regex>

#include "base/files.hpp"
#include "base/json_fields.hpp"
#include "base/process.hpp"
#include "base/scratch.hpp"
#include "base/source_text.hpp"
#include "base/usage.hpp"
#include "cases/cases.hpp"
#include "program/program.hpp"
#include "ptx/parameter_types.hpp"

namespace warpgrade::program {
namespace {

using prove::Argument;
using prove::Problem;
using prove::Property;

constexpr double compiler_seconds = 120;

std::string trimmed(const std::string &text) {
  const auto is_blank = [](unsigned char c) { return std::isspace(c) != 0; };
  const auto first = std::find_if_not(text.begin(), text.end(), is_blank);
  const auto last = std::find_if_not(text.rbegin(), text.rend(), is_blank).base();
  return first < last ? std::string(first, last) : "";
}

/// At commas that are in no brackets.
std::vector<std::string> split(const std::string &text) {
  std::vector<std::string> result{""};
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' || c == '<' || c == '[' ? 1 : c == ')' || c == '>' || c == ']' ? -1 : 0;
    if (c == ',' && depth == 0)
      result.emplace_back();
    else
      result.back() += c;
  }
  for (std::string &one : result) one = trimmed(one);
  return result;
}

std::array<prove::Expression, 3> extents(const std::string &text, const char *option) {
  std::array<prove::Expression, 3> result{"1", "1", "1"};
  const std::vector<std::string> parts = split(text);
  if (parts.size() > 3) throw UsageError(fmt::format("{} takes at most three expressions", option));
  for (std::size_t d = 0; d < parts.size(); ++d) result[d] = parts[d];
  return result;
}

ptx::Module module_of(const std::string &file) {
  if (!file.ends_with(".cu")) return read_module(file);
  const Scratch scratch;
  const std::string ptx = (scratch.path() / "kernel.ptx").string();
  const std::string there = "/usr/local/cuda/bin/nvcc";
  for (const std::string &nvcc : {std::string("nvcc"), there}) {
    const CommandOutcome outcome =
        run_command({nvcc, "-std=c++17", "-O3", "-lineinfo", "-arch=compute_80", "--ptx", file, "-o", ptx},
                    compiler_seconds);
    if (!outcome.started) continue;
    if (!outcome.ok()) throw UsageError(fmt::format("nvcc does not compile {}:\n{}", file, outcome.error));
    return ptx::parse(read_whole(ptx));
  }
  throw UsageError(
      "there is no nvcc on PATH; compile with 'nvcc -O3 -lineinfo -ptx', and give the .ptx file");
}

/// "the file has 'fill(float*)', 'sum(int*)'".
std::string names_of(const std::vector<ptx::KernelFacts> &kernels) {
  std::string result = kernels.empty() ? "the file has no kernels" : "the file has ";
  for (const ptx::KernelFacts &kernel : kernels)
    result += fmt::format("{}'{}'", &kernel == kernels.data() ? "" : ", ", ptx::demangle(kernel.name));
  return result;
}

/// The kernel of that name, also without its parameters; of all if there is one only.
const ptx::KernelFacts &kernel_of(const ptx::Module &module, const std::string &name) {
  std::vector<const ptx::KernelFacts *> found;
  for (const ptx::KernelFacts &kernel : module.kernels) {
    const std::string full = ptx::demangle(kernel.name), plain = full.substr(0, full.find_first_of("(<"));
    if (name.empty() || name == kernel.name || name == full || name == plain || plain.ends_with(" " + name) ||
        plain.ends_with("::" + name))
      found.push_back(&kernel);
  }
  if (found.empty())
    throw UsageError((name.empty() ? "" : fmt::format("there is no kernel '{}'; ", name)) +
                     names_of(module.kernels));
  if (found.size() > 1)
    throw UsageError("there are several kernels: choose one with --kernel; " + names_of(module.kernels));
  return *found.front();
}

struct Declared {
  std::string name, type;
};

/// Up to the bracket that closes one before `at`, which is moved behind it.
std::string inside_brackets(const std::string &text, std::size_t &at) {
  std::string inside;
  for (int depth = 1; at < text.size(); ++at) {
    depth += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
    if (depth == 0) break;
    inside += text[at];
  }
  ++at;
  return inside;
}

bool is_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// "const float (*a)[4]" as "a" and "const float (*)[4]"; no name if it is no pointer with brackets.
Declared pointer_in_brackets(const std::string &text) {
  const std::size_t open = text.find("(*");
  if (open == std::string::npos) return {};
  std::size_t end = text.find_first_of("[)", open);
  while (end != std::string::npos && end > open && !is_of_name(text[end - 1])) --end;
  if (end == std::string::npos || end == open) return {};
  std::size_t begin = end;
  while (is_of_name(text[begin - 1])) --begin;
  return {text.substr(begin, end - begin), text.substr(0, begin) + text.substr(end)};
}

/// "const float a[] = x" as its name and type.
Declared declaration_of(std::string text) {
  text = trimmed(text.substr(0, text.find('=')));
  if (const Declared pointer = pointer_in_brackets(text); !pointer.name.empty()) return pointer;
  const bool array = text.ends_with(']');
  if (array) text = trimmed(text.substr(0, text.find('[')));
  std::size_t end = text.size();
  while (end > 0 && is_of_name(text[end - 1])) --end;
  return {text.substr(end), trimmed(text.substr(0, end)) + (array ? "*" : "")};
}

/// The parameters as the source defines the kernel, or declares it where it is not defined; nothing if that is not found.
/// names_are_given  only the types are wanted: nothing if several kernels differ in them
std::vector<Declared> declared_in(const std::string &source, const std::string &kernel, std::size_t count,
                                  bool names_are_given) {
  const std::string text = without_comments(source);
  const std::regex head("__global__[^;{}]*?\\b" + kernel + "\\s*\\(");
  std::vector<Declared> found;
  bool defined = false;
  for (std::sregex_iterator match(text.begin(), text.end(), head), none; match != none; ++match) {
    std::size_t at = static_cast<std::size_t>(match->position() + match->length());
    std::vector<Declared> here;
    for (const std::string &one : split(inside_brackets(text, at)))
      if (!one.empty()) here.push_back(declaration_of(one));
    const std::size_t next = text.find_first_not_of(" \t\r\n", at);
    const bool defines = next != std::string::npos && text[next] == '{';
    if (here.size() != count || (defined && !defines)) continue;
    const bool same = std::equal(found.begin(), found.end(), here.begin(), here.end(),
                                 [&](const Declared &a, const Declared &b) {
                                   return names_are_given ? a.type == b.type : a.name == b.name;
                                 });
    if (defined && !same && names_are_given) return {};
    if (defined && !same)
      throw UsageError(fmt::format(
          "the file has several kernels '{}': give the names of its parameters with --parameters", kernel));
    found = std::move(here);
    defined = defines;
  }
  return found;
}

std::vector<Declared> parameters_of(const ProofRequest &request, const ptx::KernelFacts &kernel) {
  const std::string full = ptx::demangle(kernel.name), plain = full.substr(0, full.find_first_of("(<"));
  const std::size_t count = kernel.parameters.size();
  std::vector<Declared> result;
  if (request.file.ends_with(".cu"))
    result = declared_in(read_whole(request.file), plain.substr(plain.find_last_of(" :") + 1), count,
                         !request.parameters.empty());
  if (!request.parameters.empty()) {
    result.resize(request.parameters.size());
    for (std::size_t i = 0; i < result.size(); ++i) result[i].name = request.parameters[i];
  }
  if (result.empty())
    for (std::size_t i = 0; i < count; ++i) result.push_back({fmt::format("p{}", i), ""});
  if (result.size() != count)
    throw UsageError(fmt::format("the kernel has {} parameters, and {} have names", count, result.size()));
  // Of a template or an alias, only the compiled name says what it is.
  const auto types = ptx::parameter_types(full);
  for (std::size_t i = 0; types && types->size() == count && i < count; ++i) result[i].type = (*types)[i];
  return result;
}

/// "A[M][K]", "A[M][K]:8" with the bytes of an element.
prove::Buffer buffer_of(const std::string &text) {
  static const std::regex form(R"(\s*(\w+)\s*((?:\[[^\[\]]+\]\s*)+)(?::\s*(\d+))?\s*)");
  static const std::regex extent(R"(\[([^\[\]]+)\])");
  std::smatch match;
  if (!std::regex_match(text, match, form))
    throw UsageError(fmt::format("--buffer takes 'NAME[ROWS][COLUMNS]', not '{}'", text));
  prove::Buffer buffer{
      match[1], {}, match[3].matched ? static_cast<std::uint32_t>(std::stoul(match[3])) : 0, false};
  const std::string all = match[2];
  for (std::sregex_iterator i(all.begin(), all.end(), extent), end; i != end; ++i)
    buffer.shape.push_back((*i)[1]);
  return buffer;
}

/// An integer is a size, a pointer is a buffer of its own, everything else is data.
void add_argument(Problem &problem, const ProofRequest &request, const Declared &declared,
                  const ptx::Parameter &parameter) {
  const auto given = request.values.find(declared.name);
  const auto buffer = std::find_if(problem.buffers.begin(), problem.buffers.end(),
                                   [&](const auto &one) { return one.name == declared.name; });
  const bool known = !declared.type.empty();
  const bool pointer =
      buffer != problem.buffers.end() || (known ? ptx::is_pointer_type(declared.type) : parameter.size == 8);
  Argument argument;
  if (pointer) {
    argument.kind = Argument::Kind::pointer;
    argument.buffer = declared.name;
    const std::uint32_t bytes =
        ptx::is_pointer_type(declared.type) ? ptx::bytes_of_type(ptx::pointed_to(declared.type)) : 0;
    if (buffer == problem.buffers.end())
      problem.buffers.push_back({declared.name, {}, std::max(bytes, 1u), false});
    else if (buffer->element_bytes == 0 && bytes == 0)
      throw UsageError(fmt::format(
          "--buffer: it is not known how many bytes an element of '{0}' has{1}; say so, as in '{0}[n]:4'",
          declared.name, known ? fmt::format(", a '{}'", declared.type) : ""));
    else if (buffer->element_bytes == 0)
      buffer->element_bytes = bytes;
  } else if (given != request.values.end()) {
    argument.kind = Argument::Kind::integer;
    argument.value = given->second;
  } else if (known ? ptx::is_integer_type(declared.type) && (parameter.size == 4 || parameter.size == 8)
                   : parameter.size == 4) {
    argument.kind = Argument::Kind::integer;
    argument.value = declared.name;
    problem.sizes.push_back(declared.name);
  }
  problem.arguments.push_back(argument);
}

Problem problem_of(const ProofRequest &request, const ptx::Module &module) {
  const ptx::KernelFacts &kernel = kernel_of(module, request.kernel);
  Problem problem;
  problem.module = &module;
  problem.kernel = kernel.name;
  problem.grid = extents(request.grid, "--grid");
  problem.block = extents(request.block, "--block");
  problem.dynamic_shared_bytes = request.dynamic_shared_bytes;
  problem.assumptions = request.assumptions;
  for (const std::string &text : request.buffers) problem.buffers.push_back(buffer_of(text));
  const std::vector<Declared> parameters = parameters_of(request, kernel);
  for (std::size_t i = 0; i < parameters.size(); ++i)
    add_argument(problem, request, parameters[i], kernel.parameters[i]);
  for (const std::string &name : request.outputs)
    if (std::none_of(problem.buffers.begin(), problem.buffers.end(),
                     [&](const auto &one) { return one.name == name; }))
      throw UsageError(fmt::format("--output: the kernel has no buffer '{}'", name));
  for (prove::Buffer &buffer : problem.buffers) {
    if (std::none_of(problem.arguments.begin(), problem.arguments.end(),
                     [&](const auto &one) { return one.buffer == buffer.name; }))
      throw UsageError(fmt::format("--buffer: the kernel has no parameter '{}'", buffer.name));
    buffer.output =
        std::find(request.outputs.begin(), request.outputs.end(), buffer.name) != request.outputs.end();
  }
  return problem;
}

std::string case_text(const prove::Sizes &sizes) {
  std::string result;
  for (const auto &[name, value] : sizes)
    result += fmt::format("{}{} = {}", result.empty() ? "" : ", ", name, value);
  return result;
}

void print(const std::vector<Property> &properties) {
  for (const Property &one : properties) {
    const std::string where =
        one.where.line > 0 ? fmt::format("{}:{}: ", one.where.file, one.where.line) : "";
    std::string text = prove::name_of(one.result);
    if (one.result == prove::Result::proved)
      text += one.condition.empty() ? " for all sizes" : " for all sizes at which " + one.condition;
    if (one.failing) text += " at " + case_text(*one.failing);
    fmt::print("{:<9} {}{}\n", one.name, text, one.why.empty() ? "" : ": " + where + one.why);
  }
}

json::Json to_json(const Problem &problem, const std::vector<Property> &properties) {
  json::Json result{{"schema", "warpgrade.proof/1"},
                    {"kernel", ptx::demangle(problem.kernel)},
                    {"properties", json::Json::array()}};
  for (const Property &one : properties) {
    json::Json row{{"property", one.name}, {"result", prove::name_of(one.result)}};
    if (!one.where.file.empty()) row["file"] = one.where.file;
    if (one.where.line > 0) row["line"] = one.where.line;
    if (!one.why.empty()) row["why"] = one.why;
    if (!one.condition.empty()) row["condition"] = one.condition;
    if (one.failing) row["case"] = *one.failing;
    if (!one.thread.empty()) row["thread"] = one.thread;
    result["properties"].push_back(row);
  }
  return result;
}

}  // namespace

int prove_kernel(const ProofRequest &request) {
  const ptx::Module module = module_of(request.file);
  const Problem problem = problem_of(request, module);
  std::vector<Property> properties;
  try {
    if (const std::string why = prove::why_no_launch(problem); !why.empty())
      throw UsageError(fmt::format("no launch is possible: {}", why));
    properties = prove::decide(problem, cases::on_simulator(problem), {.seconds = request.seconds});
  } catch (const std::invalid_argument &e) {
    throw UsageError(e.what());
  }
  if (std::none_of(problem.buffers.begin(), problem.buffers.end(),
                   [](const auto &one) { return one.output; }))
    std::erase_if(properties, [](const Property &one) { return one.name == "written"; });
  print(properties);
  if (!request.json.empty()) write_whole(request.json, to_json(problem, properties).dump(2) + "\n");
  const bool fails = std::any_of(properties.begin(), properties.end(),
                                 [](const Property &one) { return one.result == prove::Result::fails; });
  return fails ? below : full_score;
}

}  // namespace warpgrade::program
