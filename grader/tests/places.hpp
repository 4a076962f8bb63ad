// Where the course and the built programs are. The paths are in a file of their own, which places_of() of CMake writes for each
// test program, so that the compiler cache serves all other files in another clone too.
#pragma once

namespace place {

extern const char *const root;         ///< of the repository
extern const char *const assignments;  ///< the course's
extern const char *const grade;        ///< this and the following are programs
extern const char *const gradebook;
extern const char *const simt;
extern const char *const grade_of_guide;  ///< with the problems of docs/adding-an-assignment.md
extern const char *const gradebook_of_guide;
extern const char *const guide_problems;  ///< the folder of these problems
extern const char *const network_folder;  ///< a library that makes a folder behave as one on a file server
extern const char *const paper_driver;    ///< a CUDA driver without a GPU

}  // namespace place
