// What the staff said about disputes, as sentences for reports and for exports of a class.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "gradebook/gradebook.hpp"

namespace warpgrade::service {

struct Dispute;
struct DisputeMessage;  // disputes/disputes.hpp

/// The decisions that hold, and that a dispute is open again.
std::vector<std::string> said_of(const Dispute &, const std::vector<DisputeMessage> &);

/// What a service knows of the students of a class that it grades, from the store beside the class; nothing for another class.
/// Only reads; where the store cannot be read, FromService::unread says why.
gradebook::FromService from_service(const std::filesystem::path &class_folder);

}  // namespace warpgrade::service
