#include <ffi.h>

#include <vector>

#include "apply/loaded.h"
#include "arguments/call_value.h"
#include "calling/status.h"
#include "calling/thrown.h"
#include "calling/tvm_ffi.h"
#include "util/error.h"

namespace fib::apply {
namespace {

using arguments::ArgumentValue;
using arguments::Parameter;

constexpr std::size_t kMostValues = arguments::kMostArguments + arguments::kMostAxes + 1;

class LibraryCall : public PreparedCall {
 public:
  LibraryCall(void* function, bool returns_status, bool on_cuda, const arguments::Signature& signature,
              const arguments::Case& found)
      : function_(function), returns_status_(returns_status), on_cuda_(on_cuda), signature_(signature) {
    for (std::size_t i = 0; i < signature.parameters().size(); ++i) {
      const Parameter& parameter = signature.parameters()[i];
      types_.push_back(parameter.scalar ? arguments::scalar_type(parameter.dtype) : &ffi_type_pointer);
    }
    for (std::size_t i = 0; i < signature.variable_axes(); ++i) {
      types_.push_back(&ffi_type_sint64);
      axes_.push_back(found.axes[i]);
    }
    if (on_cuda) types_.push_back(&ffi_type_pointer);
    ffi_type* result = returns_status ? &ffi_type_sint : &ffi_type_void;
    if (::ffi_prep_cif(&call_, FFI_DEFAULT_ABI, static_cast<unsigned>(types_.size()), result,
                       types_.data()) != FFI_OK)
      throw Error("its call cannot be prepared");
  }

  [[nodiscard]] bool is_ready(void* /*stream*/) const override { return true; }
  void make_ready(void* /*stream*/) override {}

  [[nodiscard]] CallEnd call(const Argument* arguments, void* stream, std::string& error) const override {
    ArgumentValue values[kMostValues];
    void* pointers[kMostValues];
    std::size_t next = 0;
    for (std::size_t i = 0; i < signature_.parameters().size(); ++i) {
      if (signature_.parameters()[i].scalar) {
        arguments::load_scalar(signature_.parameters()[i].dtype,
                               reinterpret_cast<const std::byte*>(&arguments[i].scalar), values[next++]);
      } else {
        values[next++].pointer = arguments[i].address;
      }
    }
    for (const std::int64_t axis : axes_) values[next++].i64 = axis;
    if (on_cuda_) values[next++].pointer = stream;
    for (std::size_t i = 0; i < next; ++i) pointers[i] = &values[i];
    ffi_arg status = 0;
    const auto thrown = calling::thrown_by(
        [&] { ::ffi_call(const_cast<ffi_cif*>(&call_), FFI_FN(function_), &status, pointers); });
    if (thrown) {
      error = "it " + *thrown;
      return CallEnd::failed;
    }
    if (!returns_status_ || static_cast<int>(status) == 0) return CallEnd::done;
    error = fmt::format("it returned the error code {}",
                        calling::status_text(static_cast<int>(status), on_cuda_));
    return CallEnd::refused;
  }

 private:
  void* function_;
  bool returns_status_;
  bool on_cuda_;
  const arguments::Signature& signature_;
  std::vector<ffi_type*> types_;
  std::vector<std::int64_t> axes_;
  ffi_cif call_{};
};

class Library : public LoadedSolution {
 public:
  Library(const LoadRequest& request, bool on_cuda)
      : signature_(request.signature),
        function_(calling::symbol_of(request.artifact.file, request.artifact.symbol)),
        returns_status_(request.artifact.returns_status),
        on_cuda_(on_cuda) {}

  [[nodiscard]] std::unique_ptr<PreparedCall> prepare(const arguments::Case& found,
                                                      const model::AxisValues& /*axes*/) override {
    return std::make_unique<LibraryCall>(function_, returns_status_, on_cuda_, signature_, found);
  }

 private:
  const arguments::Signature& signature_;
  void* function_;
  bool returns_status_;
  bool on_cuda_;
};

}  // namespace

std::unique_ptr<LoadedSolution> load_library(const LoadRequest& request, bool on_cuda) {
  return std::make_unique<Library>(request, on_cuda);
}

}  // namespace fib::apply
