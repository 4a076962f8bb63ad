#include "problem/library.hpp"

namespace warpgrade::problem {

std::string_view word_of(Library library) {
  switch (library) {
    case Library::none:
      return "";
    case Library::cublas:
      return "cublas";
    case Library::cub:
      return "cub";
    case Library::cusparse:
      return "cusparse";
    case Library::composed:
      return "composed";
    case Library::nccl:
      return "nccl";
    case Library::copy:
      return "copy";
  }
  return "";
}

bool is_library(std::string_view word) {
  for (const Library library :
       {Library::cublas, Library::cub, Library::cusparse, Library::composed, Library::nccl, Library::copy})
    if (word == word_of(library)) return true;
  return false;
}

std::string_view name_of(Library library) {
  switch (library) {
    case Library::none:
      return "a library";
    case Library::cublas:
      return "cuBLAS";
    case Library::cub:
      return "CUB";
    case Library::cusparse:
      return "cuSPARSE";
    case Library::composed:
      return "cuBLAS + softmax";
    case Library::nccl:
      return "NCCL";
    case Library::copy:
      return "a copy";
  }
  return "";
}

Library library_of(Routine routine) {
  switch (routine) {
    case Routine::none:
      return Library::none;
    case Routine::product:
      return Library::cublas;
    case Routine::copy:
      return Library::copy;
    case Routine::sum:
    case Routine::arg_min:
    case Routine::inclusive_sum:
    case Routine::select_not_negative:
    case Routine::histogram_even:
    case Routine::sort_pairs:
      return Library::cub;
    case Routine::spmv_csr:
      return Library::cusparse;
    case Routine::attention:
      return Library::composed;
    case Routine::all_reduce:
      return Library::nccl;
  }
  return Library::none;
}

}  // namespace warpgrade::problem
