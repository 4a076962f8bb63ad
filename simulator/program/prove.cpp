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
    throw UsageError(fmt::format("there is no kernel '{}'; 'simt list' shows those of a .ptx file", name));
  if (found.size() > 1) throw UsageError("there are several kernels: choose one with --kernel");
  return *found.front();
}

struct Declared {
  std::string name, type;
};

/// The parameters as the source declares them; nothing if that is not found.
std::vector<Declared> declared_in(const std::string &source, const std::string &kernel) {
  const std::string text = without_comments(source);
  const std::regex head("__global__[^;{}]*?\\b" + kernel + "\\s*\\(");
  std::smatch match;
  if (!std::regex_search(text, match, head)) return {};
  std::size_t at = static_cast<std::size_t>(match.position() + match.length());
  std::string inside;
  for (int depth = 1; at < text.size(); ++at) {
    depth += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
    if (depth == 0) break;
    inside += text[at];
  }
  std::vector<Declared> result;
  for (const std::string &one : split(inside)) {
    std::size_t end = one.size();
    while (end > 0 && (std::isalnum(static_cast<unsigned char>(one[end - 1])) != 0 || one[end - 1] == '_'))
      --end;
    result.push_back({one.substr(end), trimmed(one.substr(0, end))});
  }
  return result;
}

std::uint32_t bytes_of(const std::string &type) {
  for (const auto &[word, bytes] : {std::pair{"double", 8u},
                                    {"64", 8u},
                                    {"long", 8u},
                                    {"size_t", 8u},
                                    {"float4", 16u},
                                    {"int4", 16u},
                                    {"float2", 8u},
                                    {"half", 2u},
                                    {"short", 2u},
                                    {"16", 2u},
                                    {"char", 1u},
                                    {"int8", 1u},
                                    {"bool", 1u}})
    if (type.find(word) != std::string::npos) return bytes;
  return 4;
}

std::vector<Declared> parameters_of(const ProofRequest &request, const ptx::KernelFacts &kernel) {
  std::vector<Declared> result;
  if (request.file.ends_with(".cu")) {
    const std::string full = ptx::demangle(kernel.name), plain = full.substr(0, full.find_first_of("(<"));
    result = declared_in(read_whole(request.file), plain.substr(plain.find_last_of(" :") + 1));
  }
  if (!request.parameters.empty()) {
    result.resize(request.parameters.size());
    for (std::size_t i = 0; i < result.size(); ++i) result[i].name = request.parameters[i];
  }
  if (result.empty())
    for (std::size_t i = 0; i < kernel.parameters.size(); ++i) result.push_back({fmt::format("p{}", i), ""});
  if (result.size() != kernel.parameters.size())
    throw UsageError(fmt::format("the kernel has {} parameters, and {} have names", kernel.parameters.size(),
                                 result.size()));
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
  const bool pointer = buffer != problem.buffers.end() ||
                       (known ? declared.type.find('*') != std::string::npos : parameter.size == 8);
  Argument argument;
  if (pointer) {
    argument.kind = Argument::Kind::pointer;
    argument.buffer = declared.name;
    if (buffer == problem.buffers.end())
      problem.buffers.push_back({declared.name, {}, bytes_of(declared.type), false});
    else if (buffer->element_bytes == 0)
      buffer->element_bytes = bytes_of(declared.type);
  } else if (given != request.values.end()) {
    argument.kind = Argument::Kind::integer;
    argument.value = given->second;
  } else if ((known && declared.type.find("float") == std::string::npos &&
              declared.type.find("double") == std::string::npos &&
              (parameter.size == 4 || parameter.size == 8)) ||
             (!known && parameter.size == 4)) {
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
