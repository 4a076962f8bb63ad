// Objects of the program that live as long as graphs use them.
#include "runtime/simulate/graph_calls.hpp"

namespace warpgrade::cuda {

UserObject::~UserObject() {
  destroy(data);
}

namespace {

/// Takes references away. returns  whether there were so many
bool drop(std::map<std::shared_ptr<UserObject>, unsigned> &held, const std::shared_ptr<UserObject> &object,
          unsigned count) {
  const auto found = held.find(object);
  if (found == held.end() || found->second < count) return false;
  found->second -= count;
  if (found->second == 0) held.erase(found);
  return true;
}

std::shared_ptr<UserObject> find_object(const Runtime &r, cudaUserObject_t given) {
  for (const auto &[object, count] : r.user_objects)
    if (object.get() == reinterpret_cast<UserObject *>(given)) return object;
  return nullptr;
}

}  // namespace
}  // namespace warpgrade::cuda

using namespace warpgrade::cuda;

extern "C" {

cudaError_t cudaUserObjectCreate(cudaUserObject_t *to, void *data, cudaHostFn_t destroy, unsigned references,
                                 unsigned flags) {
  return api("cudaUserObjectCreate", Waits::no, [&](Runtime &r) {
    if (to == nullptr || destroy == nullptr || references == 0 || flags != cudaUserObjectNoDestructorSync)
      return cudaErrorInvalidValue;
    auto made = std::make_shared<UserObject>(data, destroy);
    *to = reinterpret_cast<cudaUserObject_t>(made.get());
    r.user_objects[std::move(made)] = references;
    return cudaSuccess;
  });
}
cudaError_t cudaUserObjectRetain(cudaUserObject_t given, unsigned count) {
  return api("cudaUserObjectRetain", Waits::no, [&](Runtime &r) {
    const std::shared_ptr<UserObject> object = find_object(r, given);
    if (object == nullptr || count == 0) return cudaErrorInvalidValue;
    r.user_objects[object] += count;
    return cudaSuccess;
  });
}
cudaError_t cudaUserObjectRelease(cudaUserObject_t given, unsigned count) {
  return api("cudaUserObjectRelease", Waits::no, [&](Runtime &r) {
    const std::shared_ptr<UserObject> object = find_object(r, given);
    return object != nullptr && count != 0 && drop(r.user_objects, object, count) ? cudaSuccess
                                                                                  : cudaErrorInvalidValue;
  });
}
cudaError_t cudaGraphRetainUserObject(cudaGraph_t given, cudaUserObject_t which, unsigned count,
                                      unsigned flags) {
  return api("cudaGraphRetainUserObject", Waits::no, [&](Runtime &r) {
    Graph *graph = find_graph(r, given);
    const std::shared_ptr<UserObject> object = find_object(r, which);
    if (graph == nullptr || object == nullptr || count == 0) return cudaErrorInvalidValue;
    if (flags == cudaGraphUserObjectMove && !drop(r.user_objects, object, count))
      return cudaErrorInvalidValue;
    graph->objects[object] += count;
    return cudaSuccess;
  });
}
cudaError_t cudaGraphReleaseUserObject(cudaGraph_t given, cudaUserObject_t which, unsigned count) {
  return api("cudaGraphReleaseUserObject", Waits::no, [&](Runtime &r) {
    Graph *graph = find_graph(r, given);
    if (graph == nullptr || count == 0) return cudaErrorInvalidValue;
    for (const auto &[object, held] : graph->objects)
      if (object.get() == reinterpret_cast<UserObject *>(which)) {
        const std::shared_ptr<UserObject> kept = object;  // while the list changes
        return drop(graph->objects, kept, count) ? cudaSuccess : cudaErrorInvalidValue;
      }
    return cudaErrorInvalidValue;
  });
}

}  // extern "C"
