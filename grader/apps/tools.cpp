#include "apps/tools.hpp"

#include <string>

#include "apps/files.hpp"

// Placed by embedded.S.
extern "C" const char warpgrade_worker_begin[], warpgrade_worker_end[], warpgrade_server_begin[],
    warpgrade_server_end[];

namespace warpgrade::apps {

Tools::Tools() {
  write_whole(worker_library(), std::string(warpgrade_worker_begin, warpgrade_worker_end));
  write_whole(record_server(), std::string(warpgrade_server_begin, warpgrade_server_end));
  namespace fs = std::filesystem;
  fs::permissions(worker_library(), fs::perms::owner_read | fs::perms::group_read | fs::perms::others_read);
  fs::permissions(record_server(), fs::perms::owner_read | fs::perms::owner_exec | fs::perms::group_read |
                                       fs::perms::group_exec | fs::perms::others_read |
                                       fs::perms::others_exec);
}

}  // namespace warpgrade::apps
