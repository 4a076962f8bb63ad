#include "setup/guarded.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "base/files.hpp"
#include "base/text.hpp"
#include "setup/course_root.hpp"

namespace warpgrade {

void complain(std::string_view text) {
  std::fputs((for_terminal(text, true) + "\n").c_str(), stderr);
}

int guarded(const std::string &program, const std::function<int()> &work, const std::string &ours) {
  try {
    return work();
  } catch (const course::ConfigError &e) {
    complain(e.what());
    return usage;
  } catch (const ReadError &e) {  // of a file that was named, or that the course should have
    complain(fmt::format("{}: {}", program, e.what()));
    return usage;
  } catch (const UsageError &e) {
    complain(fmt::format("{}: {}", program, e.what()));
    return usage;
  } catch (const std::exception &e) {
    complain(fmt::format("{}: {}{}", program, ours, e.what()));
    return grader_failed;
  }
}

}  // namespace warpgrade
