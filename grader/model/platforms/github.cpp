// GitHub Classroom, which was switched off. Its name still has an answer.
#include "platforms/platform.hpp"

namespace warpgrade::platforms {

const Platform github = {
    .name = "github",
    .title = "GitHub Classroom",
    .ended = "2026-08-28",
    .successor = "classroom50",
};

}  // namespace warpgrade::platforms
