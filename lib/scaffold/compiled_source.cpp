#include "scaffold/compiled_source.h"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "scaffold/names.h"
#include "tensor/dtype.h"

namespace fib::scaffold {
namespace {

using tensor::DType;

std::string integer_type(int bits, Dialect dialect) {
  return fmt::format("{}int{}_t", dialect == Dialect::c ? "" : "std::", bits);
}

std::string unsigned_type(int bits, Dialect dialect) {
  return fmt::format("{}uint{}_t", dialect == Dialect::c ? "" : "std::", bits);
}

// The type of a tensor's elements; of what the language has no type for, its bits.
std::string element_type(const std::string& dtype, Dialect dialect) {
  const auto known = tensor::dtype_from_name(dtype);
  if (!known) return unsigned_type(8, dialect);
  switch (*known) {
    case DType::kFloat64:
      return "double";
    case DType::kFloat32:
      return "float";
    case DType::kFloat16:
      return dialect == Dialect::cuda ? "__half" : unsigned_type(16, dialect);
    case DType::kBFloat16:
      return dialect == Dialect::cuda ? "__nv_bfloat16" : unsigned_type(16, dialect);
    case DType::kInt64:
      return integer_type(64, dialect);
    case DType::kInt32:
      return integer_type(32, dialect);
    case DType::kInt16:
      return integer_type(16, dialect);
    case DType::kInt8:
      return integer_type(8, dialect);
    default:
      return unsigned_type(8, dialect);  // bool and small floats
  }
}

// As docs/cuda.md says that scalars are passed.
std::string scalar_type(const std::string& dtype, Dialect dialect) {
  const auto known = tensor::dtype_from_name(dtype);
  if (known && !tensor::is_floating(*known)) return element_type(dtype, dialect);
  return known == DType::kFloat64 ? "double" : "float";
}

class Source {
 public:
  Source(const model::Definition& definition, Dialect dialect) : definition_(definition), dialect_(dialect) {
    for (const auto& [name, axis] : definition.axes) (void)names_.of("axis", name);
  }

  std::string text() {
    for (const std::string& line : head_of(definition_)) text_ += line.empty() ? "//\n" : "// " + line + "\n";
    text_ += how_called();
    text_ += includes();
    if (dialect_ == Dialect::cuda) text_ += kKernel;
    text_ += signature() + " {\n" + sizes() + body() + "}\n";
    return std::move(text_);
  }

 private:
  static constexpr const char* kKernel =
      "// A first kernel, to begin from: it writes zeros.\n"
      "template <typename T>\n"
      "__global__ void kernel(T* target, std::int64_t elements) {\n"
      "  const std::int64_t at = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;\n"
      "  if (at < elements) target[at] = T{};\n"
      "}\n\n";

  [[nodiscard]] std::string how_called() const {
    std::string text =
        "//\n// run() gets the inputs, the outputs to write into, and the sizes of the variable axes, in "
        "this "
        "order.\n// Tensors are contiguous and aligned to 256 bytes.";
    if (dialect_ == Dialect::cuda) {
      text += " Work goes on the stream; what is returned but 0 is an error.\n";
    } else {
      text += " float16 and bfloat16 are passed as their 16 bits.\n";
    }
    return text;
  }

  [[nodiscard]] std::string includes() const {
    if (dialect_ == Dialect::c) return "#include <stdint.h>\n#include <string.h>\n\n";
    if (dialect_ == Dialect::cpp) return "#include <cstdint>\n#include <cstring>\n\n";
    return "#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n#include <cuda_runtime.h>\n\n#include "
           "<cstdint>\n\n";
  }

  std::string signature() {
    std::vector<std::string> parameters;
    for (const auto& input : definition_.inputs) {
      parameters.push_back(
          input.is_scalar()
              ? fmt::format("{} {}", scalar_type(input.dtype, dialect_), names_.of("tensor", input.name))
              : fmt::format("const {}* {}", element_type(input.dtype, dialect_),
                            names_.of("tensor", input.name)));
    }
    for (const auto& output : definition_.outputs)
      parameters.push_back(
          fmt::format("{}* {}", element_type(output.dtype, dialect_), names_.of("tensor", output.name)));
    for (const auto& axis : model::var_axes(definition_))
      parameters.push_back(integer_type(64, dialect_) + " " + names_.of("axis", axis));
    if (dialect_ == Dialect::cuda) parameters.emplace_back("cudaStream_t stream");
    std::string text = dialect_ == Dialect::c     ? "void run("
                       : dialect_ == Dialect::cpp ? "extern \"C\" void run("
                                                  : "extern \"C\" int run(";
    const std::string indent(text.size(), ' ');
    for (std::size_t i = 0; i < parameters.size(); ++i)
      text += (i == 0 ? "" : ",\n" + indent) + parameters[i];
    return text + ")";
  }

  // The constant axes.
  std::string sizes() {
    std::string text;
    for (const auto& [name, axis] : definition_.axes) {
      if (!axis.value || !axis.value->fits()) continue;
      text += fmt::format("  const {} {} = {};\n", integer_type(64, dialect_), names_.of("axis", name),
                          axis.value->value);
    }
    return text;
  }

  // "rows * width"; nothing where an axis follows from others.
  std::optional<std::string> elements_of(const model::TensorSpec& tensor) {
    if (!tensor.shape || tensor.shape->empty()) return "1";
    std::string text;
    for (const std::string& entry : *tensor.shape) {
      const auto* axis = model::find(definition_.axes, entry);
      if (axis != nullptr && axis->expression) return std::nullopt;
      const auto literal = axis == nullptr ? model::literal_size(entry) : std::nullopt;
      if (axis == nullptr && !literal) return std::nullopt;
      text += (text.empty() ? "" : " * ") +
              (axis != nullptr ? names_.of("axis", entry) : std::to_string(*literal));
    }
    const bool is_packed = tensor.dtype == tensor::name_of(DType::kFloat4E2M1);
    return is_packed ? "(" + text + " + 1) / 2" : text;
  }

  std::string body() {
    std::string text = "  // In place of this: the kernel.\n";
    for (const auto& output : definition_.outputs) {
      const std::string& name = names_.of("tensor", output.name);
      const auto elements = elements_of(output);
      if (!elements) continue;
      if (dialect_ == Dialect::cuda) {
        text += fmt::format(
            "  if (const std::int64_t elements = {}; elements > 0)\n"
            "    kernel<<<static_cast<unsigned>((elements + 255) / 256), 256, 0, stream>>>({}, elements);\n",
            *elements, name);
      } else {
        const char* size_type = dialect_ == Dialect::c ? "(size_t)" : "static_cast<std::size_t>";
        text += fmt::format("  {}memset({}, 0, {}({}) * sizeof(*{}));\n",
                            dialect_ == Dialect::c ? "" : "std::", name, size_type, *elements, name);
      }
    }
    if (dialect_ == Dialect::cuda) text += "  return static_cast<int>(cudaGetLastError());\n";
    return text;
  }

  const model::Definition& definition_;
  Dialect dialect_;
  Identifiers names_;
  std::string text_;
};

}  // namespace

std::string compiled_source(const model::Definition& definition, Dialect dialect) {
  return Source(definition, dialect).text();
}

}  // namespace fib::scaffold
