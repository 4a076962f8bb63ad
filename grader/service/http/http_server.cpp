#include "service/http/http_server.hpp"

#include <fmt/format.h>
#include <sys/socket.h>

#include <charconv>

#include "service/http/connection.hpp"
#include "service/pages.hpp"
#include "service/serve.hpp"
#include "setup/guarded.hpp"

namespace warpgrade::service {
namespace {

constexpr auto patience = std::chrono::seconds(5), longest_connection = std::chrono::seconds(20);
constexpr std::int64_t retry_streams_after = 30;  // seconds
// What the fields of a form come as, and as what the library sees them: it would refuse more than 8,192 bytes
// of the former, which is less than 1,000 Korean syllables. Its limit is compiled into it.
constexpr const char *form_type = "application/x-www-form-urlencoded", *own_form_type = "warpgrade/form";

bool from_this_machine(const std::string &address) {
  return address == "127.0.0.1" || address == "::1" || address == "::ffff:127.0.0.1";
}

/// The client's address; a proxy on this machine says whom it speaks for, and its own word is the last one.
std::string peer_of(const httplib::Request &request) {
  const std::string forwarded = request.get_header_value("X-Forwarded-For");
  if (!from_this_machine(request.remote_addr) || forwarded.empty()) return request.remote_addr;
  const std::size_t comma = forwarded.rfind(',');
  std::string last = forwarded.substr(comma == std::string::npos ? 0 : comma + 1);
  last.erase(0, last.find_first_not_of(' '));
  return last.substr(0, 64);
}

void fill(httplib::Response &to, const ApiResponse &from) {
  to.status = from.status;
  for (const auto &[name, value] : from.headers) to.set_header(name.c_str(), value);
  if (!from.stream) {
    to.set_content(from.body, from.type.c_str());
    return;
  }
  // Without a length: what follows comes from EventStreams.
  to.set_content_provider(from.type, [begin = from.body](std::size_t, httplib::DataSink &sink) {
    const bool sent = sink.write(begin.data(), begin.size());
    sink.done();
    return sent;
  });
}

void refuse(httplib::Response &response, int status, const std::string &code, const std::string &message) {
  response.status = status;
  response.set_content(fmt::format("{{\"error\":{{\"code\":\"{}\",\"message\":\"{}\"}}}}\n", code, message),
                       "application/json");
}

void refuse_size(httplib::Response &response) {
  refuse(response, 413, "too_large",
         fmt::format("A request may have at most {} MiB.", most_body_bytes >> 20));
}

/// Of the body, as its header says; 0 where it says nothing that is a number.
std::uint64_t length_of(const httplib::Request &request) {
  const std::string value = request.get_header_value("Content-Length");
  std::uint64_t length = 0;
  const auto read = std::from_chars(value.data(), value.data() + value.size(), length);
  return read.ec == std::errc::result_out_of_range ? UINT64_MAX : length;
}

/// Refuses, before its body is read, what an honest client never sends.
bool refused(const httplib::Request &request, httplib::Response &response) {
  if (request.target.size() > 4 * most_path_bytes) {
    refuse(response, 414, "path_too_long", "The path is too long.");
  } else if (request.has_header("Transfer-Encoding") ||
             request.get_header_value_count("Content-Length") > 1 ||
             request.get_header_value_count("Host") > 1) {
    // Two readings of where a request ends are how one is smuggled past a proxy.
    refuse(response, 400, "ambiguous_length", "Send a body with one Content-Length, not in chunks.");
  } else if (length_of(request) >
             most_body_bytes) {  // some releases of the library wait for such a body first
    refuse_size(response);
  } else if (request.has_header("Content-Encoding") &&
             request.get_header_value("Content-Encoding") != "identity") {
    refuse(response, 415, "compressed", "Send the body as it is, not compressed.");
  } else if (request.has_header("Content-Type") &&
             request.get_header_value("Content-Type").starts_with("multipart/") &&
             request.path != "/upload" && !request.path.starts_with("/workspace/")) {
    refuse(response, 415, "multipart", "Send JSON; /openapi.json describes it.");
  } else {
    return false;
  }
  return true;
}

/// A name or a value of a form.
std::string form_decoded(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned byte = 0;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(&text[i + 1], &text[i] + 3, byte, 16).ptr == &text[i] + 3) {
      decoded += static_cast<char>(byte);
      i += 2;
    } else {
      decoded += text[i] == '+' ? ' ' : text[i];
    }
  }
  return decoded;
}

/// The first value of each name counts.
void read_form(std::string_view body, std::map<std::string, std::string> &fields) {
  while (!body.empty()) {
    const std::string_view one = body.substr(0, body.find('&'));
    body.remove_prefix(std::min(one.size() + 1, body.size()));
    const std::size_t equals = std::min(one.find('='), one.size());
    if (!one.empty())
      fields.emplace(form_decoded(one.substr(0, equals)),
                     form_decoded(one.substr(std::min(equals + 1, one.size()))));
  }
}

/// Before the library reads the body of a request.
void keep_form_for_us(httplib::Request &request) {
  const auto [begin, end] = request.headers.equal_range("Content-Type");
  for (auto header = begin; header != end; ++header)
    if (header->second.starts_with(form_type)) header->second = own_form_type;
}

ApiRequest request_of(const httplib::Request &request) {
  ApiRequest r;
  r.method = request.method == "HEAD" ? "GET" : request.method;
  r.path = request.path;
  for (const auto &[name, value] : request.params)
    (r.method == "POST" ? r.form : r.query).emplace(name, value);
  if (request.get_header_value("Content-Type") == own_form_type && request.body.size() <= most_form_bytes)
    read_form(request.body, r.form);
  const auto add = [&r](const std::string &name, const std::string &filename, const std::string &content) {
    if (name == "files")
      r.files.emplace_back(filename, content);
    else
      r.form.emplace(name, content);
  };
  [&add](const auto &parts_of) {
    if constexpr (requires { parts_of.files; }) {
      for (const auto &[name, part] : parts_of.files) add(name, part.filename, part.content);
    } else {  // since cpp-httplib 0.22
      for (const auto &[name, part] : parts_of.form.files) add(name, part.filename, part.content);
      for (const auto &[name, part] : parts_of.form.fields) add(name, "", part.content);
    }
  }(request);
  r.session = session_in(request.get_header_value("Cookie"));
  r.secure =
      from_this_machine(request.remote_addr) && request.get_header_value("X-Forwarded-Proto") == "https";
  const std::string authorization = request.get_header_value("Authorization");
  if (authorization.starts_with("Bearer ")) r.token = authorization.substr(7);
  r.host = request.get_header_value("Host");
  r.origin = request.get_header_value("Origin");
  r.site = request.get_header_value("Sec-Fetch-Site");
  r.client_api = request.get_header_value("Warpgrade-Api");
  r.body = request.body;
  r.peer = peer_of(request);
  return r;
}

/// What the request that this thread answers goes on with.
struct GoesOn {
  ApiResponse::Stream stream;
  EventStreams::Seat seat;
};
thread_local std::optional<GoesOn> goes_on;

}  // namespace

HttpServer::HttpServer(std::function<Api &()> api, EventStreams &streams)
    : api_(std::move(api)), streams_(streams) {
  set_keep_alive_max_count(1);
  set_payload_max_length(most_body_bytes);
  // Everything but bodies is answered here: the library's own routes match with regular expressions, which go
  // as deep as a path is long.
  set_pre_routing_handler([this](const httplib::Request &request, httplib::Response &response) {
    if (refused(request, response)) return HandlerResponse::Handled;
    if (request.method == "POST") return HandlerResponse::Unhandled;
    answer(request, response);
    return HandlerResponse::Handled;
  });
  Post("/[A-Za-z0-9_./-]*",
       [this](const httplib::Request &request, httplib::Response &response) { answer(request, response); });
  set_error_handler([](const httplib::Request &, httplib::Response &response) {
    if (!response.body.empty()) return;
    if (response.status == 413)
      refuse_size(response);
    else
      refuse(response, response.status, "bad_request", "This request cannot be read.");
  });
}

void HttpServer::answer(const httplib::Request &request, httplib::Response &response) {
  try {
    ApiResponse answered = api_().answer(request_of(request));
    if (answered.stream && request.method == "GET") {
      EventStreams::Seat seat = streams_.seat(answered.stream->person);
      if (!seat) {
        refuse(response, 503, "too_many_streams", "Too many pages wait for events already. Try again later.");
        response.set_header("Retry-After", std::to_string(retry_streams_after));
        return;
      }
      goes_on = {*answered.stream, std::move(seat)};
    } else {
      answered.stream.reset();
    }
    fill(response, answered);
  } catch (const std::exception &e) {
    complain(fmt::format("{}: {}", http_program, e.what()));
    refuse(response, 503, "store", "The service cannot reach its store at the moment. Try again.");
  }
}

bool HttpServer::converse(httplib::Stream &connection) {
  goes_on.reset();
  bool closed = false;
  if (!connection.is_readable()) return false;
  const auto answer = [&](auto &server) {
    if constexpr (requires { server.process_request(connection, true, closed, nullptr); }) {
      return server.process_request(connection, true, closed, keep_form_for_us);
    } else {  // since cpp-httplib 0.16
      std::string client, here;
      int client_port = 0, port = 0;
      connection.get_remote_ip_and_port(client, client_port);
      connection.get_local_ip_and_port(here, port);
      return server.process_request(connection, client, client_port, here, port, true, closed,
                                    keep_form_for_us);
    }
  };
  return answer(*this);
}

bool HttpServer::process_and_close_socket(socket_t socket) {
  Descriptor owned(socket);
  const auto now = Connection::Clock::now();
  Connection connection(socket, patience, now + longest_connection);
  const bool answered = converse(connection);
  if (answered && goes_on)
    streams_.take(std::move(owned), goes_on->stream.topic, goes_on->stream.version, std::move(goes_on->seat),
                  now);
  else
    ::shutdown(socket, SHUT_RDWR);
  goes_on.reset();
  return answered;
}

}  // namespace warpgrade::service
