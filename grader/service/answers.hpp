// What the service answers to each request of its API. routes.cpp names the function of each route.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "service/api.hpp"

namespace warpgrade::service {

/// A request whose sender is known and may ask this.
struct Context {
  const ApiRequest &request;
  Person person;
  std::vector<std::string> places;  ///< what stands for the parts of the route in braces
  Shared &shared;
  Jobs &jobs;
  ServiceStore &store;

  /// Throws ApiError when this is not graded here.
  ServedCourse &course(const std::string &name) const;

  /// Somebody else's looks the same as one that does not exist.
  Submission own_submission() const;
};

/// Each throws ApiError.
namespace answers {
ApiResponse about(const Context &);
ApiResponse document(const Context &);
ApiResponse me(const Context &);
ApiResponse assignments(const Context &);
ApiResponse submit_files(const Context &);
ApiResponse submissions(const Context &);
ApiResponse submission(const Context &);
ApiResponse report_of(const Context &);
ApiResponse queue(const Context &);
ApiResponse health(const Context &);
}  // namespace answers

/// As JSON, with bytes that are no UTF-8 replaced.
ApiResponse json_response(const nlohmann::ordered_json &, int status = 200);

}  // namespace warpgrade::service
