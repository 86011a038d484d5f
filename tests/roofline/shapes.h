#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/definition.h"
#include "model/workload.h"

// Definitions that are shapes only, for tests.
namespace fib::testing {

using Tensors = std::vector<model::TensorSpec>;

inline model::TensorSpec tensor(const std::string& name, const std::string& dtype,
                                const std::vector<std::string>& shape) {
  model::TensorSpec spec;
  spec.name = name;
  spec.dtype = dtype;
  spec.shape = shape;
  return spec;
}

inline model::TensorSpec scalar(const std::string& name) {
  model::TensorSpec spec;
  spec.name = name;
  spec.dtype = "float32";
  return spec;
}

inline model::TensorSpec optional_tensor(const std::string& name, const std::string& dtype,
                                         const std::vector<std::string>& shape) {
  model::TensorSpec spec = tensor(name, dtype, shape);
  model::json::Value yes = model::json::make_boolean(true);
  spec.unknown.push_back({"optional", std::move(yes)});
  return spec;
}

// Axes with value 0 or more are constants, those with -1 variables.
inline model::Definition shapes(const std::string& name, const std::string& op_type,
                                const std::vector<std::pair<std::string, int>>& axes, Tensors inputs,
                                Tensors outputs) {
  model::Definition definition;
  definition.name = name;
  definition.op_type = op_type;
  for (const auto& [axis, value] : axes) {
    model::Axis one;
    if (value >= 0) one.value = model::Integer(value);
    definition.axes.emplace_back(axis, one);
  }
  definition.inputs = std::move(inputs);
  definition.outputs = std::move(outputs);
  return definition;
}

inline model::Workload at(const std::vector<std::pair<std::string, int>>& axes) {
  model::Workload workload;
  workload.uuid = "w";
  for (const auto& [axis, value] : axes) workload.axes.emplace_back(axis, model::Integer(value));
  return workload;
}

}  // namespace fib::testing
