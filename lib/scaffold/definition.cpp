#include "scaffold/definition.h"

#include <nlohmann/json.hpp>

#include "scaffold/workload.h"

namespace fib::scaffold {
namespace {

using nlohmann::ordered_json;

ordered_json tensor(std::vector<std::string> shape, const char* dtype, const char* description) {
  return {{"shape", std::move(shape)}, {"dtype", dtype}, {"description", description}};
}

ordered_json variable(const char* description) { return {{"type", "var"}, {"description", description}}; }

ordered_json constant(std::int64_t value, const char* description) {
  return {{"type", "const"}, {"value", value}, {"description", description}};
}

// Axes, inputs, outputs and reference of a form; the order is that of the format.
ordered_json elementwise() {
  return {{"description", "y = silu(gate) * up, element by element."},
          {"axes", {{"n", variable("Elements.")}}},
          {"inputs",
           {{"gate", tensor({"n"}, "float32", "What goes through silu.")},
            {"up", tensor({"n"}, "float32", "The other factor.")}}},
          {"outputs", {{"y", tensor({"n"}, "float32", "The products.")}}},
          {"reference",
           "import torch\n\n\ndef run(gate, up):\n    return torch.nn.functional.silu(gate) * up\n"}};
}

ordered_json rows() {
  return {{"description", "The root mean square norm of each row."},
          {"axes",
           {{"rows", variable("Rows, each normalised by itself.")},
            {"width", constant(4096, "Elements of a row.")}}},
          {"inputs",
           {{"x", tensor({"rows", "width"}, "bfloat16", "The rows.")},
            {"weight", tensor({"width"}, "bfloat16", "What each element is multiplied with.")}}},
          {"outputs", {{"y", tensor({"rows", "width"}, "bfloat16", "The normalised rows.")}}},
          {"reference",
           "import torch\n\n\ndef run(x, weight):\n    values = x.to(torch.float32)\n"
           "    scale = torch.rsqrt(values.pow(2).mean(dim=-1, keepdim=True) + 1e-6)\n"
           "    return (values * scale * weight.to(torch.float32)).to(torch.bfloat16)\n"}};
}

ordered_json matmul() {
  return {{"description", "C = A B^T."},
          {"axes",
           {{"M", variable("Rows of A.")},
            {"N", constant(1024, "Rows of B.")},
            {"K", constant(1024, "Elements of a row of A and B.")}}},
          {"inputs",
           {{"A", tensor({"M", "K"}, "bfloat16", "The left matrix.")},
            {"B", tensor({"N", "K"}, "bfloat16", "The right matrix, transposed.")}}},
          {"outputs", {{"C", tensor({"M", "N"}, "bfloat16", "The product.")}}},
          {"reference", "import torch\n\n\ndef run(A, B):\n    return torch.matmul(A, B.T)\n"}};
}

const char* usual_op_type(Form form) {
  static constexpr const char* kNames[] = {"elementwise", "norm", "gemm"};
  return kNames[static_cast<int>(form)];
}

ordered_json members_of(Form form) {
  if (form == Form::elementwise) return elementwise();
  return form == Form::rows ? rows() : matmul();
}

}  // namespace

model::Definition new_definition(const std::string& name, const std::string& op_type, Form form) {
  ordered_json members = members_of(form);
  ordered_json document = {{"name", name}, {"op_type", op_type.empty() ? usual_op_type(form) : op_type}};
  document["description"] = members["description"];
  for (const char* key : {"axes", "inputs", "outputs", "reference"}) document[key] = members[key];
  return model::parse_definition(document.dump(), model::Mode::upstream);
}

std::vector<model::Workload> usual_workloads(const model::Definition& definition) {
  const bool is_flat = definition.axes.size() == 1;  // elements rather than rows
  std::vector<model::Workload> workloads;
  for (const std::int64_t size : {1, 64, 1024}) {
    const std::string& axis = definition.axes.front().first;
    workloads.push_back(new_workload(definition, {{axis, is_flat ? size * 4096 : size}}, {}));
  }
  return workloads;
}

}  // namespace fib::scaffold
