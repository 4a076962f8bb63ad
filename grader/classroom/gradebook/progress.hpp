// How far a run is: a bar with counts, rate and time left on a terminal, plain lines anywhere else.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace warpgrade::gradebook {

class Progress {
 public:
  /// done: of total, from earlier runs.
  Progress(std::size_t done, std::size_t total);
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  void count();  ///< one more is done
  void draw();   ///< the bar, if it is time
  void say(const std::string
               &line);  ///< a line of its own, with text from outside made harmless; not kept for a bar

 private:
  void clear();
  bool terminal_;
  std::size_t done_, total_, here_ = 0;
  std::chrono::steady_clock::time_point started_, drawn_;
};

/// "[######....] 12 of 60 steps, 3.2 a second, 15 s left", at most `width` wide.
std::string bar_line(std::size_t done, std::size_t total, std::size_t here, double seconds,
                     std::size_t width);

}  // namespace warpgrade::gradebook
