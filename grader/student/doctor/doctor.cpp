#include "doctor/doctor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "base/text.hpp"
#include "doctor/machine_facts.hpp"
#include "report/text.hpp"
#include "setup/selection.hpp"

namespace warpgrade::doctor {

namespace {

void print(const Finding &f) {
  const char *mark = f.level == Finding::Level::good ? "ok" : f.level == Finding::Level::note ? "-" : "--";
  constexpr std::size_t width = 64;
  bool first = true;
  for (const std::string &line : report::wrap(for_terminal(f.details), width)) {
    std::cout << fmt::format("  {:<3} {:<9} {}\n", first ? mark : "", first ? f.what : "", line);
    first = false;
  }
  for (const std::string &todo : f.todo) {  // a command is not broken, so that it can be pasted
    const bool command = todo.starts_with("sudo ") || todo.starts_with("printf ");
    std::cout << "                > ";
    bool begun = false;
    for (const std::string &line :
         command ? std::vector{todo} : report::wrap(for_terminal(todo), width - 2)) {
      std::cout << (begun ? "                  " : "") << line << '\n';
      begun = true;
    }
  }
}

}  // namespace

int examine() {
  const std::vector<Finding> findings = diagnose(look_around());
  for (const Finding &f : findings) print(f);
  const auto wrong = std::count_if(findings.begin(), findings.end(),
                                   [](const Finding &f) { return f.level == Finding::Level::wrong; });
  const auto notes = std::count_if(findings.begin(), findings.end(),
                                   [](const Finding &f) { return f.level == Finding::Level::note; });
  if (wrong > 0)
    std::cout << fmt::format("\nNothing can be graded here until the items marked -- are fixed: {}\n", wrong);
  else
    std::cout << (notes > 0 ? "\nReady to grade; items marked - could be better.\n" : "\nReady to grade.\n");
  return wrong == 0 ? full_score : below;
}

}  // namespace warpgrade::doctor
