#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ops/gpu/gpu.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

// The native engine for references: evaluates the Python subset that references are written in, on the CPU
// and where one is named on a GPU, over tensor operations (ops). It needs neither Python nor torch.
namespace fib::reference {

enum class MatmulBackend {
  kAuto,      // OpenBLAS if it can be opened, else the project's own
  kOpenBlas,  // OpenBLAS or an Error
  kPortable,  // the project's own
};

struct EngineOptions {
  int threads = 1;  // for element-wise operations and for OpenBLAS
  MatmulBackend matmul = MatmulBackend::kAuto;
  std::size_t max_memory = 0;  // bytes that tensors of the engine may take together; 0 means no limit
  std::int64_t max_steps = 0;  // statements one run may execute; 0 means no limit
  std::shared_ptr<ops::Gpu> gpu = nullptr;  // for large tensors; null: only the CPU
  std::int64_t gpu_from = ops::kGpuFrom;    // elements from which a tensor counts as large
  std::uint64_t seed = 0;                   // of random functions; 0 takes one from the system
};

// A tensor argument: contiguous elements of the caller, who keeps them alive during the run. A reference may
// write to its arguments, so the memory is writable: pass a private copy where that matters.
struct TensorArgument {
  tensor::DType dtype = tensor::DType::kFloat32;
  tensor::Shape shape;
  void* data = nullptr;
};

struct NoneArgument {};

// What one parameter of run() gets.
using Argument = std::variant<TensorArgument, double, std::int64_t, bool, NoneArgument>;

// One value that the reference returned, with contiguous elements of its own.
class OutputTensor {
 public:
  OutputTensor(tensor::DType dtype, tensor::Shape shape, std::shared_ptr<const std::byte> data,
               bool is_scalar)
      : dtype_(dtype), shape_(std::move(shape)), data_(std::move(data)), is_scalar_(is_scalar) {}

  [[nodiscard]] tensor::DType dtype() const { return dtype_; }
  [[nodiscard]] const tensor::Shape& shape() const { return shape_; }
  // Valid while this object lives, also after the engine's end.
  [[nodiscard]] const std::byte* data() const { return data_.get(); }
  [[nodiscard]] std::size_t bytes() const;
  // A Python number: an element of int64, float64 or bool without dimensions.
  [[nodiscard]] bool is_scalar() const { return is_scalar_; }

 private:
  tensor::DType dtype_;
  tensor::Shape shape_;
  std::shared_ptr<const std::byte> data_;
  bool is_scalar_;
};

// One reference. Runs come from one thread at a time; every run starts from the module's first statement.
class Engine {
 public:
  // Parses `source`, which must define a function `run` at its top level, and opens the matmul backend.
  // Throws python::SyntaxError and Error.
  explicit Engine(std::string_view source, const EngineOptions& options = {});
  ~Engine();
  Engine(Engine&&) noexcept;
  Engine& operator=(Engine&&) noexcept;

  // Says that the arguments of the runs to come are the values of these inputs. Where run has
  // a parameter for each of these names, and no further one without a default, each argument goes to the
  // parameter of its input's name, whatever the order; else by position, as without this call.
  void bind_by_name(const std::vector<std::string>& inputs);

  // Calls run(*arguments). A single tensor or number gives one output, a tuple or list one for each item, a
  // dict one for each name of `output_names`, in that order. Throws Error "line N: ..." for a construct or
  // function that is not supported, a failing assert, and every other error of the reference.
  [[nodiscard]] std::vector<OutputTensor> run(const std::vector<Argument>& arguments,
                                              const std::vector<std::string>& output_names = {});

  // In how many rows torch.topk of the last run took one of several equals and left another: torch itself
  // takes others on other devices.
  [[nodiscard]] std::int64_t tied_rows() const;

  // "native (OpenBLAS 0.3.21, 2 threads)", "native (NVIDIA H200, OpenBLAS 0.3.21, 2 threads)".
  [[nodiscard]] std::string description() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fib::reference
