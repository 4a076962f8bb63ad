#include "service/event_streams.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <iterator>

namespace warpgrade::service {

namespace {

constexpr int kept_for_a_client = 4096;  // bytes that the system keeps for one that does not read them

bool sent_at_once(int socket, const std::string &text) {
  return ::send(socket, text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL) ==
         static_cast<ssize_t>(text.size());
}

}  // namespace

EventStreams::Seat EventStreams::seat(const std::string &person) {
  const std::lock_guard lock(counts_->mutex);
  if (counts_->all >= limits_.all) return nullptr;
  const auto of = counts_->of.find(person);
  if (of != counts_->of.end() && of->second >= limits_.person) return nullptr;
  ++counts_->all;
  ++counts_->of[person];
  return {new std::string(person), [counts = counts_](const std::string *whose) {
            const std::unique_ptr<const std::string> owned(whose);
            const std::lock_guard back(counts->mutex);
            --counts->all;
            if (--counts->of[*whose] == 0) counts->of.erase(*whose);
          }};
}

void EventStreams::take(Descriptor socket, const std::string &topic, const std::string &version, Seat seat,
                        Clock::time_point now) {
  ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDBUF, &kept_for_a_client, sizeof kept_for_a_client);
  const std::lock_guard lock(mutex_);
  fresh_.push_back({std::move(socket), topic, version, std::move(seat), now + limits_.life, now});
}

void EventStreams::turn(Clock::time_point now) {
  {
    const std::lock_guard lock(mutex_);
    std::move(fresh_.begin(), fresh_.end(), std::back_inserter(streams_));
    fresh_.clear();
  }
  // A listener has nothing to say: whatever can be read is the end of the connection, or is not a browser's.
  std::vector<pollfd> gone;
  for (const Stream &s : streams_) gone.push_back({s.socket.get(), POLLIN | POLLRDHUP, 0});
  ::poll(gone.data(), gone.size(), 0);
  std::map<std::string, std::string> versions;
  std::vector<Stream> kept;
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    Stream &s = streams_[i];
    if (gone[i].revents != 0 || now >= s.end) continue;
    const auto [version, first] = versions.emplace(s.topic, "");
    if (first) try {
        version->second = version_(s.topic);
      } catch (...) {  // as when the store is locked: the next turn asks again
      }
    std::string text;
    if (!version->second.empty() && version->second != s.version) {
      s.version = version->second;
      text = fmt::format("event: board\ndata: {}\n\n", s.version);
    } else if (now - s.quiet_since >= limits_.heartbeat) {
      text = ":\n\n";
    }
    if (!text.empty()) {
      if (!sent_at_once(s.socket.get(), text)) continue;
      s.quiet_since = now;
    }
    kept.push_back(std::move(s));
  }
  streams_ = std::move(kept);
}

}  // namespace warpgrade::service
