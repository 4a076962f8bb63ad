// The cuBLAS child: one product at a time, in fp32, timed like a student's plan. It never sees student code.
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "gpu/child_channel.hpp"
#include "gpu/child_process.hpp"
#include "gpu/children.hpp"
#include "gpu/driver.hpp"

namespace warpgrade::gpu {
namespace {

// cuBLAS's C interface, as far as it is used here; it has not changed since version 10.
struct Cublas {
  using Handle = void *;
  int (*create)(Handle *) = nullptr;
  int (*set_stream)(Handle, CUstream) = nullptr;
  int (*set_math_mode)(Handle, int) = nullptr;
  int (*version)(Handle, int *) = nullptr;
  int (*sgemm)(Handle, int, int, int, int, int, const float *, const float *, int, const float *, int,
               const float *, float *, int) = nullptr;
  Handle handle = nullptr;
  std::string where;

  static constexpr int not_transposed = 0;
  /// cuBLAS documents this mode as never using fewer bits than asked for: no TF32, no BF16.
  static constexpr int default_math = 0;
};

/// Opens libcublas from `directory` ("" = the linker's own search), its Lt half first so that it is found
/// there too.
void *open_cublas(const std::string &directory, std::string &where) {
  for (const char *version : {"13", "12", "11"}) {
    const auto in = [&](const std::string &name) {
      return (directory.empty() ? "" : directory + "/") + name + ".so." + version;
    };
    if (!directory.empty() && !std::filesystem::exists(in("libcublas"))) continue;
    ::dlopen(in("libcublasLt").c_str(), RTLD_NOW | RTLD_GLOBAL);
    where = in("libcublas");
    if (void *handle = ::dlopen(where.c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
  }
  return nullptr;
}

void require(int status, const char *what) {
  if (status != 0) throw DriverUnavailable(std::string(what) + ": cuBLAS status " + std::to_string(status));
}

Cublas load_cublas(std::vector<std::string> directories, CUstream stream) {
  directories.insert(directories.end(), {"", "/usr/local/cuda/lib64"});
  Cublas blas;
  void *library = nullptr;
  for (const auto &directory : directories)
    if (library = open_cublas(directory, blas.where); library != nullptr) break;
  if (library == nullptr) {
    std::string looked;
    for (const auto &directory : directories)
      looked += (directory.empty() ? "the linker's search path" : directory) + ", ";
    throw DriverUnavailable("cuBLAS was not found (libcublas.so.13, .12 or .11; looked in " +
                            looked.substr(0, looked.size() - 2) + ")");
  }
  const auto find = [&](auto &member, const char *name) {
    member = reinterpret_cast<std::remove_reference_t<decltype(member)>>(::dlsym(library, name));
    if (member == nullptr) throw DriverUnavailable(blas.where + " has no " + name);
  };
  find(blas.create, "cublasCreate_v2");
  find(blas.set_stream, "cublasSetStream_v2");
  find(blas.set_math_mode, "cublasSetMathMode");
  find(blas.version, "cublasGetVersion_v2");
  find(blas.sgemm, "cublasSgemm_v2");
  require(blas.create(&blas.handle), "cublasCreate");
  require(blas.set_stream(blas.handle, stream), "cublasSetStream");
  require(blas.set_math_mode(blas.handle, Cublas::default_math), "cublasSetMathMode");
  return blas;
}

std::string name_and_version(const Cublas &blas) {
  int version = 0;
  require(blas.version(blas.handle, &version), "cublasGetVersion");
  return "cuBLAS " + std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100) + " from " + blas.where;
}

struct Product {
  int m = 0, n = 0, k = 0;
  float alpha = 0, beta = 0;
  std::array<std::uint64_t, 3> offsets{}, bytes{};  // of A, B, C in the shared memory
  bool flush = false;
  double spin_seconds = 0;
};

Product decode_product(Reader &from) {
  Product p;
  p.m = from.get<std::int32_t>();
  p.n = from.get<std::int32_t>();
  p.k = from.get<std::int32_t>();
  p.alpha = from.get<float>();
  p.beta = from.get<float>();
  for (std::size_t i = 0; i < 3; ++i) {
    p.offsets[i] = from.get<std::uint64_t>();
    p.bytes[i] = from.get<std::uint64_t>();
  }
  p.flush = from.get<std::uint8_t>() != 0;
  p.spin_seconds = from.get<double>();
  return p;
}

class Multiplier {
 public:
  Multiplier(const Context &context, const Cublas &blas) : context_(context), blas_(blas) {
    flush_bytes_ =
        std::max<std::size_t>(2 * static_cast<std::size_t>(context.l2_bytes), std::size_t{64} << 20);
    cu_.check(cu_.memory_alloc(&flush_, flush_bytes_), "allocating the L2 flush buffer");
  }

  void carry_out(ParentChannel &parent, const Product &p, std::span<std::byte> shared) {
    for (std::size_t i = 0; i < 3; ++i) upload(i, shared.subspan(p.offsets[i], p.bytes[i]));
    if (const std::array shape{p.m, p.n, p.k}; shape != last_shape_) {
      multiply(p);  // the first product of a shape chooses and loads its kernel: not in the timed span
      upload(2, shared.subspan(p.offsets[2], p.bytes[2]));
      last_shape_ = shape;
    }
    for (const double end = now() + p.spin_seconds; now() < end;) {
      for (int i = 0; i < 8; ++i) flush();
      cu_.check(cu_.stream_synchronize(context_.stream), "warming up the GPU");
    }
    cu_.check(cu_.context_synchronize(), "preparing a product");
    parent.send(Message::armed);
    if (parent.receive().type != Message::go) throw ParentGone();
    for (int i = 0; p.flush && i < flushes_ahead; ++i) flush();
    cu_.check(cu_.event_record(context_.start, context_.stream), "recording an event");
    multiply(p);
    cu_.check(cu_.event_record(context_.stop, context_.stream), "recording an event");
    cu_.check(cu_.context_synchronize(), "cublasSgemm");
    float milliseconds = 0;
    cu_.check(cu_.event_milliseconds(&milliseconds, context_.start, context_.stop), "reading the events");
    parent.send_after_output(Message::finished,
                             Writer().put(std::uint32_t{0}).put_text("").put(milliseconds * 1e-3));
    cu_.check(cu_.copy_out(shared.data() + p.offsets[2], buffers_[2], p.bytes[2], context_.stream),
              "downloading C");
    cu_.check(cu_.stream_synchronize(context_.stream), "downloading C");
    parent.send_after_output(Message::outputs, {});
  }

 private:
  void upload(std::size_t i, std::span<const std::byte> bytes) {
    if (sizes_[i] < bytes.size()) {
      if (buffers_[i] != 0) cu_.check(cu_.memory_free(buffers_[i]), "freeing a buffer");
      sizes_[i] = 0;
      cu_.check(cu_.memory_alloc(&buffers_[i], bytes.size()), "allocating a buffer");
      sizes_[i] = bytes.size();
    }
    cu_.check(cu_.copy_in(buffers_[i], bytes.data(), bytes.size(), context_.stream), "uploading inputs");
  }
  void flush() {
    cu_.check(cu_.set_words(flush_, 0x5a5a5a5a, flush_bytes_ / 4, context_.stream), "flushing the L2 cache");
  }
  /// cuBLAS counts by columns, and a row-major matrix read so is its transpose: C' = B' A'.
  void multiply(const Product &p) {
    const auto at = [&](std::size_t i) { return reinterpret_cast<float *>(buffers_[i]); };
    require(blas_.sgemm(blas_.handle, Cublas::not_transposed, Cublas::not_transposed, p.n, p.m, p.k, &p.alpha,
                        at(1), p.n, at(0), p.k, &p.beta, at(2), p.n),
            "cublasSgemm");
  }

  const Context &context_;
  const Cublas &blas_;
  const Driver &cu_ = context_.driver;
  std::array<CUdeviceptr, 3> buffers_{};
  std::array<std::size_t, 3> sizes_{};
  std::array<int, 3> last_shape_{};
  CUdeviceptr flush_ = 0;
  std::size_t flush_bytes_ = 0;
};

void serve(ParentChannel &parent, const std::string &library, const Request &set_up) {
  Reader reader(set_up.payload);
  const auto device = reader.get<std::int32_t>();
  std::vector<std::string> directories(reader.get_count(8));
  for (auto &directory : directories) directory = reader.get_text();
  const auto context = Context::create(library, device);
  const auto blas = load_cublas(directories, context.stream);
  Multiplier multiplier(context, blas);
  parent.send(Message::ready, Writer().put_text(name_and_version(blas)));
  while (true) {
    const auto request = parent.receive();
    if (request.type != Message::run) return;
    Reader product(request.payload);
    const auto shared_bytes = product.get<std::uint64_t>();
    multiplier.carry_out(parent, decode_product(product), parent.shared(shared_bytes));
  }
}

}  // namespace

int cublas_child(const std::string &library) {
  ParentChannel parent;
  try {
    const auto request = parent.receive();
    if (request.type != Message::set_up_cublas) return 1;
    try {
      serve(parent, library, request);
    } catch (const ParentGone &) {
      throw;
    } catch (const std::exception &error) {
      parent.send_after_output(Message::failed, Writer().put_text(bounded(error.what())));
      parent.receive();
    }
  } catch (const ParentGone &) {
  }
  return 0;
}

}  // namespace warpgrade::gpu
