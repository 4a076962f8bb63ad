// What ./gradebook does with a service. Each function does what one command says and gives the exit status.
// Throws UsageError, course::ConfigError, batch::StoreError.
#pragma once

#include <string>
#include <vector>

#include "gradebook/class_run.hpp"

namespace warpgrade::service {

struct ServeOptions {
  std::string folder;
  std::vector<std::string> assignments;
  std::string address = "127.0.0.1";
  int port = 8420;     ///< 0: one that is free
  std::string secret;  ///< the file of secrets with which kits were made; empty: that of the course
  gradebook::GradingWords grading;
};
/// ./gradebook serve: runs the processes of a service, and starts again what ends, until it is interrupted.
/// 2: one of them cannot start with these options, and has said why.
int serve(const ServeOptions &);

struct TokensOptions {
  std::string folder, roster, out;
  std::vector<std::string> add, revoke;
  std::string role = "student";
  bool list = false;
};
/// ./gradebook tokens: makes, lists and revokes the tokens of people.
int tokens(const TokensOptions &);

/// The program that speaks HTTP, beside gradebook.
inline constexpr const char *http_program = "gradebook-http";
/// Where the service listens, in its folder: "http://127.0.0.1:8420".
inline constexpr const char *url_file_name = "service.url";

}  // namespace warpgrade::service
