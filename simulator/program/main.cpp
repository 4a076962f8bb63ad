// `simt` of the simulator by itself. The grader's has two more options, since it knows GPUs and draws pages.
#include "program/command_line.hpp"

int main(int argc, char **argv) {
  return warpgrade::program::command_line(argc, argv);
}
