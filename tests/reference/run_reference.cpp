#include <algorithm>
#include <chrono>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

#include "model/definition.h"
#include "reference/engine.h"
#include "tensor/safetensors.h"
#include "util/files.h"

// Runs the reference of one definition in the native engine, for scripts/compare-engines:
//
//   run_reference DEFINITION.json INPUTS.safetensors OUTPUTS.safetensors [--threads N] [--repeat N]
//                 [--scalars JSON] [--seed N]
//
// Tensors come from INPUTS by the names of the definition's inputs, Python numbers from the JSON object; what
// is in neither is None. Prints the engine, and of each run the seconds by the clock and of all its threads,
// and writes the outputs of the last one.
namespace {

using fib::reference::Argument;
using fib::reference::Engine;
using fib::reference::TensorArgument;
namespace fs = std::filesystem;

// References may write to their inputs, so every run gets a copy. Larger tensors are weights, which nobody
// writes to: these are read where the file is mapped, so that a sparse file may be larger than memory.
constexpr std::size_t kCopiedAtMost = std::size_t{1} << 28U;

struct Options {
  fs::path definition;
  fs::path inputs;
  fs::path outputs;
  int threads = 1;
  int repeat = 1;
  std::uint64_t seed = 0;
  nlohmann::json scalars = nlohmann::json::object();
};

Options parse(const std::vector<std::string>& words) {
  Options options;
  std::vector<fs::path> paths;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!words[i].starts_with("--")) {
      paths.emplace_back(words[i]);
      continue;
    }
    if (i + 1 == words.size()) throw fib::Error("{} needs a value", words[i]);
    const std::string& value = words[i + 1];
    if (words[i] == "--threads") {
      options.threads = std::stoi(value);
    } else if (words[i] == "--repeat") {
      options.repeat = std::max(1, std::stoi(value));
    } else if (words[i] == "--seed") {
      options.seed = std::stoull(value);
    } else if (words[i] == "--scalars") {
      options.scalars = nlohmann::json::parse(value);
    } else {
      throw fib::Error("there is no option {}", words[i]);
    }
    ++i;
  }
  if (paths.size() != 3)
    throw fib::Error("three paths are needed: the definition, its inputs and its outputs");
  options.definition = paths[0];
  options.inputs = paths[1];
  options.outputs = paths[2];
  return options;
}

Argument number(const nlohmann::json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_number()) return value.get<double>();
  throw fib::Error("{} is not a number", value.dump());
}

// The arguments of one run and the copies of tensors behind them.
class Arguments {
 public:
  Arguments(const fib::model::Definition& definition, const fib::tensor::SafetensorsFile& file,
            const nlohmann::json& scalars) {
    for (const auto& input : definition.inputs) {
      if (scalars.contains(input.name)) {
        values_.push_back(number(scalars.at(input.name)));
      } else if (const auto view = file.find(input.name)) {
        add(*view);
      } else {
        values_.emplace_back(fib::reference::NoneArgument{});
      }
    }
  }

  [[nodiscard]] const std::vector<Argument>& values() const { return values_; }

 private:
  void add(const fib::tensor::TensorView& view) {
    auto* data = const_cast<std::byte*>(view.data);
    const bool aligned = reinterpret_cast<std::uintptr_t>(data) % 8 == 0;
    if (view.bytes <= kCopiedAtMost || !aligned) {
      copies_.emplace_back((view.bytes + 7) / 8);
      data = reinterpret_cast<std::byte*>(copies_.back().data());
      if (view.bytes > 0) std::memcpy(data, view.data, view.bytes);
    }
    values_.emplace_back(TensorArgument{view.dtype, view.shape, data});
  }

  std::vector<std::vector<std::uint64_t>> copies_;  // aligned for every dtype
  std::vector<Argument> values_;
};

template <typename Tensors>
std::vector<std::string> names_of(const Tensors& tensors) {
  std::vector<std::string> names;
  for (const auto& tensor : tensors) names.push_back(tensor.name);
  return names;
}

void write(const fs::path& path, const std::vector<std::string>& names,
           const std::vector<fib::reference::OutputTensor>& outputs) {
  if (outputs.size() != names.size())
    throw fib::Error("the reference returned {} values for {} outputs", outputs.size(), names.size());
  std::vector<fib::tensor::TensorToWrite> tensors;
  for (std::size_t i = 0; i < outputs.size(); ++i)
    tensors.push_back({names[i], outputs[i].dtype(), outputs[i].shape(), outputs[i].data()});
  fib::tensor::write_safetensors(path, std::move(tensors));
}

void run(const Options& options) {
  const auto definition = fib::model::parse_definition(fib::util::read_file(options.definition));
  const fib::tensor::SafetensorsFile file(options.inputs);
  Engine engine(definition.reference, {.threads = options.threads, .seed = options.seed});
  engine.bind_by_name(names_of(definition.inputs));
  const auto names = names_of(definition.outputs);
  std::cout << "engine " << engine.description() << "\n";
  std::vector<fib::reference::OutputTensor> outputs;
  for (int i = 0; i < options.repeat; ++i) {
    const Arguments arguments(definition, file, options.scalars);
    outputs.clear();
    const std::clock_t cpu = std::clock();
    const auto start = std::chrono::steady_clock::now();
    outputs = engine.run(arguments.values(), names);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    std::cout << "seconds " << seconds.count() << "\n"
              << "cpu " << static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC << "\n";
    if (i + 1 == options.repeat) write(options.outputs, names, outputs);
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(parse({argv + 1, argv + argc}));
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "run_reference: " << error.what() << "\n";
    return 1;
  }
}
