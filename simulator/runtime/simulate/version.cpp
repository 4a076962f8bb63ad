// The one file that is compiled once for each of the two libraries.
namespace warpgrade::cuda::backend {

int major_version();
int major_version() {
  return WARPGRADE_CUDART_MAJOR;
}

}  // namespace warpgrade::cuda::backend
