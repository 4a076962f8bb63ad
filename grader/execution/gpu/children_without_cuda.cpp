// What the children answer in a build without the CUDA Toolkit's headers.
#include "gpu/child_channel.hpp"
#include "gpu/children.hpp"

namespace warpgrade::gpu {
namespace {

int answer_without_cuda() {
  ParentChannel parent;
  try {
    parent.receive();
    parent.send(Message::failed,
                Writer().put_string("this program was built without the CUDA Toolkit, so it can't use a "
                                    "GPU; install the toolkit and build again"));
    parent.receive();
  } catch (const ParentGone &) {
  }
  return 0;
}

}  // namespace

int replay_child(const std::string &) {
  return answer_without_cuda();
}
int referee_child(const std::string &) {
  return answer_without_cuda();
}
int probe_child(const std::string &) {
  return answer_without_cuda();
}

}  // namespace warpgrade::gpu
