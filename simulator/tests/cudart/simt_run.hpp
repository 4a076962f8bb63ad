// Runs ./simt as a person would, and what that gives.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace warpgrade::tests {

struct Ran {
  int status = -1;
  std::string out, err;
};

inline std::string read_text(const std::filesystem::path &file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A folder that goes with the object.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "cudart-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
  }
  ~Folder() {
    std::error_code none;
    std::filesystem::remove_all(path_, none);
  }
  Folder(const Folder &) = delete;
  Folder &operator=(const Folder &) = delete;
  std::filesystem::path operator/(const std::string &name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

// Under sanitizers nvcc's programs, which know nothing of them, load a library that does: its run-time
// library has to be there before all others. What such a program leaks, or dies of, is its own affair.
#if defined(WARPGRADE_SANITIZER_RUNTIME)
inline constexpr const char *preload = "export LD_PRELOAD=" WARPGRADE_SANITIZER_RUNTIME
                                       " ASAN_OPTIONS=\"$ASAN_OPTIONS:detect_leaks=0:"
                                       "handle_segv=0:handle_sigbus=0:handle_abort=0\"; ";
#else
inline constexpr const char *preload = "";
#endif

inline Ran shell(const std::string &command) {
  const Folder folder;
  const int status = std::system((preload + command + " >" + (folder / "out").string() + " 2>" +
                                  (folder / "err").string() + " </dev/null")
                                     .c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_text(folder / "out"), read_text(folder / "err")};
}

/// words: options, then the program's name under programs/ and its arguments
inline Ran simt_run(const std::string &options, const std::string &program) {
  return shell(std::string(WARPGRADE_SIMT) + " run " + options + " " + WARPGRADE_PROGRAMS + "/" + program);
}

/// "mistakes.cu:12", the line of programs/<file> that is marked `HERE mark`.
inline std::string marked(const std::string &file, const std::string &mark) {
  std::ifstream in(std::filesystem::path(WARPGRADE_SOURCES) / file);
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    const std::string wanted = "HERE " + mark;
    if (line.size() >= wanted.size() && line.compare(line.size() - wanted.size(), wanted.size(), wanted) == 0)
      return file + ":" + std::to_string(number);
  }
  ADD_FAILURE() << "no line of " << file << " is marked HERE " << mark;
  return "?";
}

inline bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}
#define EXPECT_CONTAINS(text, part) \
  EXPECT_TRUE(contains(text, part)) << "no '" << (part) << "' in:\n" << (text)

}  // namespace warpgrade::tests
