// What the staff said about disputes, for exports of a class: the same sentences as in reports (disputes/reported.cpp).
#pragma once

#include <filesystem>

#include "gradebook/gradebook.hpp"

namespace warpgrade::service {

/// What a service knows of the students of a class that it grades, from the store beside the class; nothing for another class.
/// Throws batch::StoreError.
gradebook::FromService from_service(const std::filesystem::path &class_folder);

}  // namespace warpgrade::service
