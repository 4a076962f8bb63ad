// Requests as the library reads them, and what Api answers. The library has a thread for each connection that
// it answers; a connection that becomes an event stream is taken from it.
#pragma once

#include <httplib.h>

#include <functional>

#include "service/api.hpp"
#include "service/event_streams.hpp"

namespace warpgrade::service {

class HttpServer : public httplib::Server {
 public:
  /// api: of the calling thread.
  HttpServer(std::function<Api &()> api, EventStreams &streams);
  /// One request that comes over a connection, and its answer. False when there was no request to answer.
  bool converse(httplib::Stream &connection);

 private:
  bool process_and_close_socket(socket_t socket) override;
  void answer(const httplib::Request &, httplib::Response &);
  std::function<Api &()> api_;
  EventStreams &streams_;
};

}  // namespace warpgrade::service
