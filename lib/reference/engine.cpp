#include "reference/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "ops/elementwise.h"
#include "python/parser.h"
#include "reference/interpreter.h"
#include "reference/registry.h"
#include "util/error.h"

namespace fib::reference {

struct Engine::State {
  python::Module module;
  EngineOptions options;
  Registry registry;
  Runtime runtime;
  std::vector<std::string> inputs;  // names of the arguments where they are bound by name, else empty
};

namespace {

std::shared_ptr<const ops::Gemm> open_gemm(const EngineOptions& options) {
  if (options.matmul == MatmulBackend::kPortable) return ops::make_portable_gemm(options.threads);
  std::string reason;
  if (auto openblas = ops::open_openblas(options.threads, reason)) return openblas;
  if (options.matmul == MatmulBackend::kOpenBlas) throw Error("OpenBLAS cannot be opened: {}", reason);
  return ops::make_portable_gemm(options.threads);
}

Tensor borrowed(const TensorArgument& argument) {
  if (argument.dtype == DType::kFloat4E2M1) throw not_supported("an argument of float4_e2m1");
  const std::int64_t count = ops::count_of(argument.shape);
  Tensor tensor;
  tensor.dtype = argument.dtype;
  tensor.shape = argument.shape;
  tensor.strides = tensor::contiguous_strides(argument.shape);
  tensor.storage = ops::Storage::borrow(static_cast<std::byte*>(argument.data),
                                        tensor::bytes_of(argument.dtype, static_cast<std::size_t>(count)));
  return tensor;
}

struct ToValue {
  Value operator()(const TensorArgument& argument) const { return borrowed(argument); }
  Value operator()(double argument) const { return argument; }
  Value operator()(std::int64_t argument) const { return argument; }
  Value operator()(bool argument) const { return argument; }
  Value operator()(NoneArgument) const { return None{}; }
};

OutputTensor to_output(const Runtime& runtime, const Value& value) {
  if (is_number(value)) {
    const DType dtype = value.is<bool>()     ? DType::kBool
                        : value.is<double>() ? DType::kFloat64
                                             : DType::kInt64;
    const Tensor scalar = value.is<double>() ? scalar_tensor(runtime, dtype, to_double(value))
                                             : scalar_tensor(runtime, dtype, to_index(value));
    return {dtype, {}, {scalar.storage, scalar.data()}, true};
  }
  const auto* tensor = value.get<Tensor>();
  if (tensor == nullptr)
    throw Error("run returned a value of type {} where a tensor is needed", type_name(value));
  // Memory of the caller may change or go away.
  const bool own = tensor->is_contiguous() && !tensor->storage->is_borrowed();
  const Tensor result = own ? *tensor : cloned(runtime, *tensor);
  return {result.dtype, result.shape, {result.storage, result.data()}, false};
}

// The outputs of a dict, in the order of their names.
std::vector<Value> by_name(const DictData& dict, const std::vector<std::string>& names) {
  std::vector<Value> values;
  for (const std::string& name : names) {
    const auto found = std::find_if(dict.items.begin(), dict.items.end(), [&](const auto& item) {
      const auto* key = item.first.template get<std::string>();
      return key != nullptr && *key == name;
    });
    if (found == dict.items.end()) throw Error("run returned a dict without \"{}\"", name);
    values.push_back(found->second);
  }
  return values;
}

std::vector<Value> returned_values(const Value& value, const std::vector<std::string>& names) {
  if (value.is<None>()) return {};
  if (const auto* items = sequence_of(value)) return *items;
  if (const auto* dict = value.get<DictPtr>()) return by_name(**dict, names);
  return {value};
}

// Gives the device's memory back when a run is over, whatever became of it.
class GpuTrim {
 public:
  explicit GpuTrim(ops::Gpu* gpu) : gpu_(gpu) {}
  ~GpuTrim() {
    try {
      if (gpu_ != nullptr) gpu_->trim();
    } catch (const Error&) {  // the device is lost: the next run says so
    }
  }
  GpuTrim(const GpuTrim&) = delete;
  GpuTrim& operator=(const GpuTrim&) = delete;

 private:
  ops::Gpu* gpu_;
};

// What a reference wrote to its arguments belongs into the caller's memory.
void bring_back(const std::vector<Value>& arguments) {
  for (const Value& value : arguments) {
    if (const auto* tensor = value.get<Tensor>()) (void)tensor->storage->read();
  }
}

}  // namespace

std::size_t OutputTensor::bytes() const {
  return tensor::bytes_of(dtype_, static_cast<std::size_t>(ops::count_of(shape_)));
}

Engine::Engine(std::string_view source, const EngineOptions& options) : state_(std::make_unique<State>()) {
  state_->module = python::parse_module(source);
  if (python::find_function(state_->module, "run") == nullptr) {
    throw Error("the reference must define a top-level function named \"run\"");
  }
  state_->options = options;
  state_->options.threads = std::max(1, options.threads);
  state_->runtime.threads = state_->options.threads;
  state_->runtime.memory = std::make_shared<ops::MemoryPool>(options.max_memory);
  state_->runtime.gemm = open_gemm(state_->options);
  state_->runtime.gpu = options.gpu;
  state_->runtime.gpu_from = options.gpu_from;
  state_->runtime.random = std::make_shared<ops::RandomSource>(options.seed);
  state_->runtime.tied_rows = std::make_shared<std::atomic<std::int64_t>>(0);
}

Engine::~Engine() = default;
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;

void Engine::bind_by_name(const std::vector<std::string>& inputs) {
  std::set<std::string> missing(inputs.begin(), inputs.end());
  bool others_needed = false;
  for (const python::Parameter& parameter : python::find_function(state_->module, "run")->parameters)
    others_needed |= missing.erase(parameter.name) == 0 && parameter.default_value == nullptr;
  state_->inputs = missing.empty() && !others_needed ? inputs : std::vector<std::string>{};
}

std::vector<OutputTensor> Engine::run(const std::vector<Argument>& arguments,
                                      const std::vector<std::string>& output_names) {
  const GpuTrim trim(state_->runtime.gpu.get());
  *state_->runtime.tied_rows = 0;
  Interpreter interpreter(state_->registry, state_->runtime, state_->options.max_steps);
  interpreter.execute_module(state_->module);
  const Value* function = interpreter.global("run");
  if (function == nullptr) throw Error("the reference deletes its function \"run\"");
  std::vector<Value> values;
  for (const Argument& argument : arguments) values.push_back(std::visit(ToValue{}, argument));
  const bool by_name = values.size() == state_->inputs.size();
  KeywordValues named;
  for (std::size_t i = 0; by_name && i < values.size(); ++i) named.emplace_back(state_->inputs[i], values[i]);
  const Value result = interpreter.call(*function, by_name ? std::vector<Value>{} : values, std::move(named));
  std::vector<OutputTensor> outputs;
  for (const Value& value : returned_values(result, output_names))
    outputs.push_back(to_output(state_->runtime, value));
  bring_back(values);
  return outputs;
}

std::int64_t Engine::tied_rows() const { return *state_->runtime.tied_rows; }

std::string Engine::description() const {
  const int threads = state_->options.threads;
  const auto& gpu = state_->runtime.gpu;
  return fmt::format("native ({}{}, {} thread{})", gpu ? gpu->name() + ", " : "",
                     state_->runtime.gemm->description(), threads, threads == 1 ? "" : "s");
}

}  // namespace fib::reference
