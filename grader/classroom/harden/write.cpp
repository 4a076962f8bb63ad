#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "harden/harden.hpp"
#include "mutants/mutants.hpp"

namespace warpgrade::harden {

namespace fs = std::filesystem;

void write_mutants(const course::Assignment &a, const std::vector<const course::Step *> &steps,
                   const fs::path &solutions, const fs::path &folder) {
  nlohmann::ordered_json list = {{"schema", "warpgrade.mutants/1"},
                                 {"assignment", a.name},
                                 {"mutants", nlohmann::ordered_json::array()}};
  for (const course::Step *step : steps) {
    const fs::path source = step->source_in(solutions);
    int number = 0;
    for (const mutants::Mutant &m : mutants::mutants_of(read_whole(source))) {
      const fs::path there = fs::path(step->id) / std::to_string(++number);
      const fs::path file = folder / there / step->path();
      fs::create_directories(file.parent_path());
      write_whole(file, m.text);
      for (const std::string &header : step->headers)
        if (fs::exists(source.parent_path() / header))
          fs::copy_file(source.parent_path() / header, file.parent_path() / header,
                        fs::copy_options::overwrite_existing);
      list["mutants"].push_back({{"step", step->id},
                                 {"folder", there.string()},
                                 {"kind", std::string(m.kind)},
                                 {"line", m.line},
                                 {"from", m.from},
                                 {"to", m.to}});
    }
  }
  write_whole(folder / "mutants.json",
              list.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

}  // namespace warpgrade::harden
