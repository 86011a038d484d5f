#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "ops/elementwise.h"
#include "reference/interpreter.h"

// x.name for tensors and modules, and imports.
namespace fib::reference {
namespace {

struct NamedDType {
  std::string_view name;
  DType dtype;
};

// torch's other names; the proper ones are those of the dtypes.
constexpr std::array<NamedDType, 8> kDTypeAliases = {{{"float", DType::kFloat32},
                                                      {"double", DType::kFloat64},
                                                      {"half", DType::kFloat16},
                                                      {"long", DType::kInt64},
                                                      {"int", DType::kInt32},
                                                      {"short", DType::kInt16},
                                                      {"float64", DType::kFloat64},
                                                      {"uint8", DType::kUInt8}}};

constexpr std::array<std::string_view, 6> kModules = {"torch",         "torch.nn",     "torch.nn.functional",
                                                      "torch.special", "torch.linalg", "math"};

// Modules whose names are only used in annotations.
constexpr std::array<std::string_view, 4> kAnnotationModules = {"typing", "__future__", "collections.abc",
                                                                "types"};

template <typename Names>
bool contains(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::optional<DType> dtype_of_name(const std::string& name) {
  for (const NamedDType& alias : kDTypeAliases) {
    if (alias.name == name) return alias.dtype;
  }
  return tensor::dtype_from_name(name);
}

std::optional<double> constant(const std::string& name) {
  if (name == "pi") return std::numbers::pi;
  if (name == "e") return std::numbers::e;
  if (name == "tau") return 2 * std::numbers::pi;
  if (name == "inf") return std::numeric_limits<double>::infinity();
  if (name == "nan") return std::numeric_limits<double>::quiet_NaN();
  return std::nullopt;
}

struct FloatLimits {
  DType dtype;
  double max;
  double eps;
  double tiny;
};

constexpr std::array<FloatLimits, 6> kFloatLimits = {
    {{DType::kFloat64, std::numeric_limits<double>::max(), 0x1p-52, std::numeric_limits<double>::min()},
     {DType::kFloat32, std::numeric_limits<float>::max(), 0x1p-23, std::numeric_limits<float>::min()},
     {DType::kFloat16, 65504, 0x1p-10, 0x1p-14},
     {DType::kBFloat16, 0x1.FEp127, 0x1p-7, 0x1p-126},
     {DType::kFloat8E4M3FN, 448, 0x1p-3, 0x1p-6},
     {DType::kFloat8E5M2, 57344, 0x1p-2, 0x1p-14}}};

Value dtype_limit(DType dtype, const std::string& name) {
  if (name == "bits") return static_cast<std::int64_t>(tensor::bits_of(dtype));
  for (const FloatLimits& limits : kFloatLimits) {
    if (limits.dtype != dtype) continue;
    if (name == "max") return limits.max;
    if (name == "min") return -limits.max;
    if (name == "eps") return limits.eps;
    if (name == "tiny" || name == "smallest_normal") return limits.tiny;
  }
  if (tensor::is_integral(dtype) && (name == "max" || name == "min")) {
    const bool is_signed = dtype != DType::kUInt8;
    const std::size_t bits = tensor::bits_of(dtype) - (is_signed ? 1 : 0);
    const auto max = static_cast<std::int64_t>((std::uint64_t{1} << bits) - 1);
    return name == "max" ? max : is_signed ? -max - 1 : 0;
  }
  throw not_supported("finfo." + name);
}

Value dtype_attribute(DType dtype, const std::string& name) {
  if (name == "itemsize") return static_cast<std::int64_t>(tensor::bits_of(dtype) / 8);
  if (name == "is_floating_point") return tensor::is_floating(dtype);
  throw not_supported("torch.dtype." + name);
}

Tensor reversed_dims(const Tensor& tensor) {
  std::vector<std::int64_t> dims;
  for (int dim = tensor.rank() - 1; dim >= 0; --dim) dims.push_back(dim);
  return permute(tensor, dims);
}

// torch.backends.cuda.matmul.allow_tf32 and the like choose among torch's ways to compute; here there is one.
bool is_backend_switch(const std::string& path) {
  return path == "torch.backends" || path.starts_with("torch.backends.");
}

}  // namespace

Value Interpreter::tensor_attribute(const Tensor& tensor, const std::string& name) {
  if (name == "shape") return make_size(tensor.shape);
  if (name == "dtype") return tensor.dtype;
  if (name == "device") return DeviceValue{};
  if (name == "ndim") return std::int64_t{tensor.rank()};
  if (name == "T") return reversed_dims(tensor);
  if (name == "mT") return transpose(tensor, -2, -1);
  if (name == "data") return tensor;
  if (name == "itemsize") return static_cast<std::int64_t>(tensor.element_size());
  if (name == "nbytes") return tensor.numel() * static_cast<std::int64_t>(tensor.element_size());
  if (name == "is_cuda" || name == "requires_grad") return false;
  const Builtin* method = registry_.find_method(name);
  if (method == nullptr) throw not_supported("Tensor." + name);
  return std::make_shared<const MethodData>(MethodData{tensor, method});
}

Value Interpreter::attribute(const Value& object, const std::string& name) {
  if (const auto* tensor = object.get<Tensor>()) return tensor_attribute(*tensor, name);
  if (const auto* module = object.get<ModuleValue>()) return module_attribute(module->path, name);
  if (const auto* dtype = object.get<DType>()) return dtype_attribute(*dtype, name);
  if (const auto* info = object.get<DTypeInfo>()) return dtype_limit(info->dtype, name);
  if (object.is<DeviceValue>() && name == "type") return std::string("cpu");
  if (object.is<DeviceValue>() && name == "index") return None{};
  if (const auto* tuple = object.get<TuplePtr>()) {
    for (std::size_t i = 0; i < (*tuple)->names.size(); ++i) {
      if ((*tuple)->names[i] == name) return (*tuple)->items[i];
    }
  }
  const Builtin* method = registry_.find(type_name(object) + "." + name);
  if (method == nullptr) throw not_supported(type_name(object) + "." + name);
  return std::make_shared<const MethodData>(MethodData{object, method});
}

Value Interpreter::module_attribute(const std::string& path, const std::string& name) {
  const std::string full_name = path + "." + name;
  if (contains(kModules, full_name) || is_backend_switch(full_name)) return ModuleValue{full_name};
  if (path == "torch" || path == "math") {
    if (const auto value = constant(name)) return *value;
  }
  if (path == "torch") {
    if (const auto dtype = dtype_of_name(name)) return *dtype;
    if (name == "newaxis") return None{};
    if (name == "strided" || name == "contiguous_format" || name == "preserve_format") return None{};
  }
  if (const Builtin* builtin = registry_.find(full_name)) return builtin;
  throw not_supported(full_name);
}

void Interpreter::assign_attribute(const python::Attribute& target) {
  const Value object = evaluate(*target.value);
  const auto* module = object.get<ModuleValue>();
  if (module == nullptr || !is_backend_switch(module->path))
    throw not_supported("assignment to an attribute");
}

void Interpreter::import_module(const std::string& path, const std::string& as_name) {
  if (!contains(kModules, path) && !contains(kAnnotationModules, path))
    throw not_supported("importing " + path);
  // "import a.b" binds a; "import a.b as c" binds a.b.
  const std::string bound = path.substr(0, path.find('.'));
  scope_->set(as_name.empty() ? bound : as_name, ModuleValue{as_name.empty() ? bound : path});
}

Interpreter::Flow Interpreter::run(const python::Import& s) {
  for (const python::Alias& alias : s.names) import_module(alias.name, alias.as_name);
  return Flow::kNext;
}

Interpreter::Flow Interpreter::run(const python::ImportFrom& s) {
  if (s.level != 0) throw not_supported("a relative import");
  const bool annotations = contains(kAnnotationModules, s.module);
  if (!annotations && !contains(kModules, s.module)) throw not_supported("importing from " + s.module);
  for (const python::Alias& alias : s.names) {
    if (alias.name == "*") throw not_supported("\"from " + s.module + " import *\"");
    const std::string& name = alias.as_name.empty() ? alias.name : alias.as_name;
    scope_->set(name, annotations ? Value(ModuleValue{s.module + "." + alias.name})
                                  : module_attribute(s.module, alias.name));
  }
  return Flow::kNext;
}

}  // namespace fib::reference
