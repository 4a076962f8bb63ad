// An NCCL that adds up on the host, for tests without a GPU.
#include <cstddef>
#include <cstdlib>
#include <vector>

namespace {

struct Call {
  const float *in;
  float *out;
  std::size_t count;
};
std::vector<Call> calls;  // of the group
int ranks[8];

}  // namespace

extern "C" {

int ncclGetVersion(int *version) {
  return *version = 29901, 0;
}
const char *ncclGetErrorString(int) {
  return "an error of paper";
}
int ncclCommInitAll(void **communicators, int count, const int *devices) {
  for (int rank = 0; rank < count; ++rank) {
    if (devices[rank] != rank) return 4;
    communicators[rank] = &ranks[rank];
  }
  return 0;
}
int ncclCommDestroy(void *) {
  return 0;
}
int ncclGroupStart() {
  return calls.clear(), 0;
}
int ncclAllReduce(const void *in, void *out, std::size_t count, int type, int operation, void *, void *) {
  if (type != 7 || operation != 0) return 4;
  calls.push_back({static_cast<const float *>(in), static_cast<float *>(out), count});
  return 0;
}
int ncclGroupEnd() {
  const bool wrong = std::getenv("PAPER_NCCL_IS_WRONG") != nullptr;
  for (const Call &to : calls)
    for (std::size_t i = 0; i < to.count; ++i) {
      float sum = 0;
      for (const Call &from : calls) sum += from.in[i];
      to.out[i] = wrong ? 0 : sum;
    }
  return 0;
}

}  // extern "C"
