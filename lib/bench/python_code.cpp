#include "bench/python_code.h"

#include "bench/memory_limits.h"

namespace fib::bench {
namespace {

worker::PythonDocument document_for(const model::Definition& definition) {
  worker::PythonDocument document;
  for (const auto& input : definition.inputs) document.inputs.push_back(input.name);
  for (const auto& output : definition.outputs) document.outputs.push_back(output.name);
  return document;
}

}  // namespace

worker::PythonDocument reference_document(const model::Definition& definition) {
  auto document = document_for(definition);
  document.sources = {{"main.py", definition.reference}};
  document.module = "fib_reference.main";
  document.symbol = "run";
  document.returns_values = true;
  document.is_reference = true;
  return document;
}

worker::PythonDocument solution_document(const model::Solution& solution, const model::Definition& definition,
                                         const compile::Artifact& artifact) {
  auto document = document_for(definition);
  if (artifact.kind == compile::Artifact::Kind::kPythonModule) {
    for (const auto& source : solution.sources) document.sources.push_back({source.path, source.content});
  }
  document.module = artifact.module;
  document.symbol = artifact.symbol;
  document.returns_values = artifact.style.style == compile::CallingStyle::kValueReturning;
  return document;
}

std::string why_no_torch(const std::optional<compile::PythonInterpreter>& python, bool on_cuda) {
  if (!python) return "no Python was found (FIB_PYTHON, or python3)";
  const std::string path = python->path.string();
  if (!python->has("torch")) return path + " has no torch";
  if (on_cuda && python->torch_cuda.empty())
    return fmt::format("the torch of {} was built without CUDA", path);
  return {};
}

worker::Start python_start(const worker::UseDevice& device, unsigned threads) {
  return {worker::TargetKind::kPython, device, threads, data_limit()};
}

}  // namespace fib::bench
