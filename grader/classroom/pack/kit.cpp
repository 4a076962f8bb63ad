#include "pack/kit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "batch/content.hpp"
#include "build/files.hpp"
#include "course/gpu.hpp"
#include "course/handout.hpp"
#include "course/read_questions.hpp"
#include "judge/answers.hpp"
#include "pack/notebook.hpp"
#include "pack/readme.hpp"
#include "predict/step.hpp"
#include "setup/course_root.hpp"
#include "setup/files.hpp"
#include "setup/tools.hpp"
#include "variants/variants.hpp"

namespace warpgrade::pack {

namespace fs = std::filesystem;

namespace {

/// All files below, without what `make` left there. Sorted.
std::vector<fs::path> files_below(const fs::path &folder) {
  std::vector<fs::path> files;
  for (auto at = fs::recursive_directory_iterator(folder); at != fs::recursive_directory_iterator(); ++at) {
    if (at->is_directory() && at->path().filename() == "build") at.disable_recursion_pending();
    if (at->is_regular_file() && !at->is_symlink()) files.push_back(at->path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

void refuse_solution(const fs::path &file, const std::string &text) {
  for (const char *mark : {"BEGIN SOLUTION", "END SOLUTION", "// STUB:", "BEGIN FIX", "END FIX", "// FAULT:"})
    if (text.find(mark) != std::string::npos)
      throw UsageError(fmt::format("{} has '{}' in it, so it is not a starter: 'make starter' rewrites it",
                                   fs::relative(file).string(), mark));
}

/// The same in every kit, so that the same files make the same archive.
std::string salt_of(const course::Assignment &a, const course::Question &q) {
  return batch::hash_of(a.name + "/" + q.id).substr(0, 32);
}

/// What a kit knows of the answers to an assignment's questions.
std::string sealed_yaml(const course::Assignment &a) {
  std::string hashes;
  for (const course::Step &s : a.steps)
    for (const course::Question &q : s.questions) {
      if (!q.checked_in_kit) continue;
      if (q.facts.size() != q.on.size())
        throw UsageError(
            fmt::format("facts.yaml does not say what the answer to '{}' is: 'gradebook facts {}' counts it",
                        q.id, a.name));
      hashes += fmt::format("  {}: {}\n", q.id, judge::sealed_fact(q, salt_of(a, q)));
    }
  return fmt::format(
      "# By these hashes ./grade tells which answers are right. Your course grades all the others.\n"
      "assignment: {}\n{}{}",
      a.name, hashes.empty() ? "" : "answers:\n", hashes);
}

/// Answers that a kit tells right from wrong, of which there are so few that trying them all finds the right
/// one.
std::vector<std::string> guessable(const course::Assignment &a) {
  std::vector<std::string> ids;
  for (const course::Step &s : a.steps)
    for (const course::Question &q : s.questions)
      if (q.checked_in_kit &&
          (q.count == course::Count::coalescing || q.count == course::Count::bank_conflicts))
        ids.push_back(q.id);
  return ids;
}

/// A file that a step of the course consists of.
bool is_of_student(const course::Assignment &a, const std::string &file) {
  return std::any_of(a.steps.begin(), a.steps.end(), [&](const course::Step &step) {
    const std::vector<std::string> files = step.files();
    return std::find(files.begin(), files.end(), file) != files.end();
  });
}

/// The files of steps that `support_files` leaves out, as students get them.
std::set<std::string> handed_out(const course::Assignment &a, const fs::path &starter) {
  const std::vector<fs::path> others = build::support_files(starter);
  std::set<std::string> files;
  for (const course::Step &step : a.steps)
    if (!step.beyond && std::find(others.begin(), others.end(), step.file) == others.end())
      files.insert(step.file);
  return files;
}

/// The handout and its translations, as far as they were written. Gives their names.
std::vector<std::string> add_handouts(Kit &kit, const std::string &name, const fs::path &text,
                                      const fs::path &written) {
  std::vector<std::string> names;
  const auto add = [&](const fs::path &file) {
    if (!fs::is_regular_file(file)) return false;
    kit.files.push_back({(fs::path(name) / file.filename()).generic_string(), read_whole(file), false});
    names.push_back(file.filename().string());
    return true;
  };
  for (const char *ending : {".html", ".pdf"})
    if (!add(written / (name + ending)))
      kit.missing.push_back(fmt::format("no handout {}{} ('make handouts' writes it)", name, ending));
  for (const fs::path &translation : course::translations_of(text))
    for (const char *ending : {".html", ".pdf"}) add(written / (translation.stem().string() + ending));
  return names;
}

}  // namespace

std::map<fs::path, std::string> library_files(const fs::path &root, const course::Assignment &a) {
  std::map<fs::path, std::string> files;
  for (const course::Gpu &gpu : course::read_gpus(root / "assignments"))
    if (const fs::path measured = root / "handouts/measured" / (a.name + "-" + gpu.id + ".json");
        fs::is_regular_file(measured))
      if (std::string rates = predict::library_rates(read_whole(measured), a); !rates.empty())
        files[fs::path(predict::library_folder) / (gpu.id + ".json")] = std::move(rates);
  return files;
}

Kit make_kit(const fs::path &root, const std::string &name, const std::vector<Program> &programs,
             const fs::path &handouts) {
  const fs::path folder = root / "assignments" / name, starter = root / "starter" / name;
  const course::Assignment a = course::read_assignment(fs::relative(folder));
  course::read_all_thresholds(fs::relative(folder), a);
  for (const course::Step &s : a.steps)
    if (!s.beyond && !fs::is_regular_file(starter / s.path()))
      throw UsageError(fmt::format("{}: step '{}' of {} needs this file in the starter",
                                   fs::relative(starter / s.path()).string(), s.id, name));

  Kit kit;
  const auto add = [&](const fs::path &path, std::string content, bool runs = false) {
    kit.files.push_back({(fs::path(name) / path).generic_string(), std::move(content), runs});
  };
  for (const fs::path &file : files_below(starter)) {
    std::string text = read_whole(file);
    refuse_solution(file, text);
    add(file.lexically_relative(starter), std::move(text));
  }
  add(name + ".ipynb", make_notebook(a, [&](const std::string &file) { return read_whole(starter / file); }));
  for (const fs::path &file :
       build::support_files(starter))  // what the grader compiles with, whatever becomes of theirs
    add(fs::path("starter") / name / file, read_whole(starter / file));
  for (const std::string &file : handed_out(a, starter))  // to begin again, and to see what was changed
    add(fs::path("starter") / name / file, read_whole(starter / file));
  for (const char *file : {".clangd", ".vscode/launch.json", ".vscode/tasks.json",
                           ".devcontainer/devcontainer.json"})  // for editors, one for all assignments
    if (const fs::path editors = root / "starter" / file; fs::is_regular_file(editors))
      add(file, read_whole(editors));
  const Tools tools;  // what clang compiles with, where a student has no CUDA Toolkit
  for (const fs::path &file : files_below(tools.cuda_headers()))
    add("cuda" / file.lexically_relative(tools.cuda_headers()), read_whole(file));
  const fs::path public_folder = fs::path("assignments") / name;
  add(public_folder / "assignment.yaml", variants::without_key(read_whole(folder / "assignment.yaml")));
  for (const fs::path &file : files_below(folder / "thresholds"))
    if (file.extension() == ".yaml") add(public_folder / "thresholds" / file.filename(), read_whole(file));
  if (std::any_of(a.steps.begin(), a.steps.end(), [](const auto &s) { return !s.has_kernel(); }))
    add(public_folder / course::sealed_file, sealed_yaml(a));
  if (const std::vector<std::string> ids = guessable(a); !ids.empty())
    kit.remarks.push_back(
        fmt::format("students can find the answer to {} of the questions by trying, since it is one of a few "
                    "and 'in_kit: "
                    "check' tells when it is right: {}",
                    ids.size(), fmt::join(ids, ", ")));
  for (auto &[place, rates] : library_files(root, a)) add(public_folder / place, std::move(rates));
  for (const fs::path &file : course::own_gpu_files(root / "assignments"))
    add(fs::path("assignments/gpus") / file.filename(), read_whole(file));
  add("grade", start_script(programs), true);
  for (const Program &p : programs) add(fs::path("bin") / p.machine / "grade", p.bytes, true);
  const auto any_step = [&](const auto &does) {
    return std::any_of(a.steps.begin(), a.steps.end(),
                       [&](const auto &s) { return s.has_kernel() && does(*s.problem); });
  };
  const auto add_library = [&](const char *file) {
    for (const Program &p : programs)
      for (const char *below : {"", "build/grader/bin"})  // as the program itself looks for it
        if (const fs::path library = p.file.parent_path() / below / file; fs::is_regular_file(library)) {
          std::string bytes = read_whole(library);
          if (machine_of(bytes) != p.machine) continue;
          add(fs::path("bin") / p.machine / file, std::move(bytes));
          break;
        }
  };
  if (any_step([](const problem::Problem &p) { return p.library() == problem::Library::cub; }))
    add_library("libwarpgrade_cub.so");
  if (fs::is_regular_file(root / "assignments" / name / "problem.cu"))
    add_library("libwarpgrade_problems.so");
  KitContents contents;
  for (const fs::path &file : build::support_files(starter))
    if (!is_of_student(a, file.string())) contents.support.push_back(file.string());
  contents.handouts = add_handouts(kit, name, root / "handouts" / (name + ".md"), handouts);
  contents.report = fs::is_regular_file(starter / "report.md");
  if (!fs::is_regular_file(starter / "README.md")) add("README.md", make_readme(a, contents));
  return kit;
}

}  // namespace warpgrade::pack
