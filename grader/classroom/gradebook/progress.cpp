#include "gradebook/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "base/text.hpp"

namespace warpgrade::gradebook {

namespace {

constexpr auto redraw_after = std::chrono::milliseconds(200);

std::string duration(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", seconds);
  if (seconds < 90 * 60) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

std::size_t terminal_width() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

std::string bar_line(std::size_t done, std::size_t total, std::size_t here, double seconds,
                     std::size_t width) {
  std::string counts = fmt::format(" {} of {} steps", done, total);
  if (here > 0 && seconds > 0) {
    const double rate = static_cast<double>(here) / seconds;
    counts +=
        fmt::format(", {:.2g} a second, {} left", rate, duration(static_cast<double>(total - done) / rate));
  }
  const std::size_t room =
      std::min<std::size_t>(40, width > counts.size() + 13 ? width - counts.size() - 3 : 0);
  if (room == 0) return counts.substr(1, width);
  const std::size_t full = total == 0 ? room : room * done / total;
  return "[" + std::string(full, '#') + std::string(room - full, '.') + "]" + counts;
}

Progress::Progress(std::size_t done, std::size_t total)
    : terminal_(isatty(STDERR_FILENO) != 0),
      done_(done),
      total_(total),
      started_(std::chrono::steady_clock::now()) {
  draw();
}

Progress::~Progress() {
  clear();
}

void Progress::clear() {
  if (terminal_) std::fputs("\r\x1b[K", stderr);
}

void Progress::count() {
  ++done_;
  ++here_;
}

void Progress::draw() {
  const auto now = std::chrono::steady_clock::now();
  if (!terminal_ || now - drawn_ < redraw_after) return;
  drawn_ = now;
  const double seconds = std::chrono::duration<double>(now - started_).count();
  clear();
  std::fputs(bar_line(done_, total_, here_, seconds, terminal_width() - 1).c_str(), stderr);
  std::fflush(stderr);
}

void Progress::say(const std::string &line) {
  clear();
  std::fputs((for_terminal(line) + "\n").c_str(), stderr);
  drawn_ = {};
  draw();
}

}  // namespace warpgrade::gradebook
