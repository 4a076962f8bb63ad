// What the staff said about disputes, for whoever reads results elsewhere than on the pages: sentences for reports, and for
// exports of the class.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "gradebook/gradebook.hpp"
#include "service/disputes/disputes.hpp"

namespace warpgrade::service {

/// The decisions that hold, and that a dispute is open again: "Dispute 3 (step3, race in step3.cu:24), answer: See slide 12."
std::vector<std::string> said_of(const Dispute &, const std::vector<DisputeMessage> &);

/// What a service knows of the students of a class that it grades, from the store beside the class; nothing for another class.
/// Throws batch::StoreError.
gradebook::FromService from_service(const std::filesystem::path &class_folder);

}  // namespace warpgrade::service
