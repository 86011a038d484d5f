#include "compile/launch_plan.h"

#include <algorithm>
#include <set>

#include "cuda/launch_words.h"
#include "util/error.h"

namespace fib::compile {
namespace {

using nlohmann::ordered_json;
using util::Expression;

constexpr std::size_t kMaxLaunches = 256;
constexpr std::uint64_t kMostThreads = 1024;  // a block, on every device
constexpr std::int64_t kMaxWorkspace = std::int64_t{1} << 40U;

std::string text_of(const ordered_json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_integer()) return value.dump();
  throw Error("expected an expression (a string or a whole number), got {}", value.dump());
}

class PlanReader {
 public:
  PlanReader(const model::Solution& solution, const model::Definition& definition)
      : solution_(solution), definition_(definition) {}

  LaunchPlan read() {
    read_workspaces();
    const ordered_json& launch = *solution_.spec.launch;
    if (launch.is_array()) {
      if (launch.empty() || launch.size() > kMaxLaunches) {
        throw Error("launch: expected 1 to {} launches, got {}", kMaxLaunches, launch.size());
      }
      for (std::size_t i = 0; i < launch.size(); ++i) read_launch(launch[i], fmt::format("launch[{}]", i));
    } else {
      read_launch(launch, "launch");
    }
    return std::move(plan_);
  }

 private:
  // An expression over the axes. Throws Error naming where it stands.
  Expression expression(const std::string& text) const {
    auto result = Expression::parse(text);
    for (const auto& name : result.names()) {
      if (!find(definition_.axes, name)) {
        throw Error("expression \"{}\": \"{}\" is no axis of definition {}", text, name, definition_.name);
      }
    }
    return result;
  }

  static bool find(const model::Ordered<model::Axis>& axes, const std::string& name) {
    return std::any_of(axes.begin(), axes.end(), [&](const auto& axis) { return axis.first == name; });
  }

  void read_workspaces() {
    if (!solution_.spec.workspace) return;
    const ordered_json& workspace = *solution_.spec.workspace;
    if (!workspace.is_object()) throw Error("workspace: expected an object, got {}", workspace.dump());
    for (const auto& [name, bytes] : workspace.items()) {
      try {
        if (index_of(definition_.inputs, name) || index_of(definition_.outputs, name)) {
          throw Error("an input or output has this name");
        }
        plan_.workspaces.emplace_back(name, expression(text_of(bytes)));
      } catch (const Error& error) {
        throw error.with_context("workspace." + name);
      }
    }
  }

  void read_launch(const ordered_json& object, const std::string& path) {
    if (!object.is_object()) throw Error("{}: expected an object, got {}", path, object.dump());
    static const std::set<std::string> known = {"kernel",        "grid", "block",      "cluster",
                                                "shared_memory", "args", "cooperative"};
    for (const auto& [key, value] : object.items()) {
      if (!known.contains(key))
        throw Error("{}: unknown key \"{}\"; known are {}", path, key, fmt::join(known, ", "));
    }
    const auto field = [&](const char* key, auto read) {
      try {
        read(object.contains(key) ? &object[key] : nullptr);
      } catch (const Error& error) {
        throw error.with_context(fmt::format("{}.{}", path, key));
      }
    };
    KernelLaunch launch;
    field("kernel", [&](auto* value) { launch.kernel = kernel_name(value); });
    field("grid", [&](auto* value) { launch.grid = dimensions(value, true); });
    field("block", [&](auto* value) { launch.block = dimensions(value, true); });
    field("cluster", [&](auto* value) {
      launch.cluster = dimensions(value, false);
      launch.clustered = value != nullptr;
    });
    field("shared_memory",
          [&](auto* value) { launch.shared_memory = expression(value ? text_of(*value) : "0"); });
    field("cooperative", [&](auto* value) {
      if (value != nullptr && !value->is_boolean())
        throw Error("expected true or false, got {}", value->dump());
      launch.cooperative = value != nullptr && value->template get<bool>();
    });
    field("args", [&](auto* value) { launch.arguments = value ? arguments(*value) : default_arguments(); });
    plan_.launches.push_back(std::move(launch));
  }

  std::string kernel_name(const ordered_json* value) const {
    if (value == nullptr) return std::string(solution_.spec.entry_symbol());
    if (!value->is_string() || value->get<std::string>().empty())
      throw Error("expected a name, got {}", value->dump());
    return value->get<std::string>();
  }

  Dimensions dimensions(const ordered_json* value, bool required) const {
    if (value == nullptr && required) throw Error("is missing");
    Dimensions result;
    result.fill(Expression::parse("1"));
    if (value == nullptr) return result;
    if (!value->is_array()) {
      result[0] = expression(text_of(*value));
      return result;
    }
    if (value->empty() || value->size() > 3)
      throw Error("expected one to three expressions, got {}", value->size());
    for (std::size_t i = 0; i < value->size(); ++i) result.at(i) = expression(text_of((*value)[i]));
    return result;
  }

  template <typename Tensors>
  static std::optional<std::size_t> index_of(const Tensors& tensors, const std::string& name) {
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      if (tensors[i].name == name) return i;
    }
    return std::nullopt;
  }

  LaunchArgument argument(const std::string& text) const {
    using Kind = LaunchArgument::Kind;
    if (const auto input = index_of(definition_.inputs, text)) return {Kind::kInput, text, *input};
    if (const auto output = index_of(definition_.outputs, text)) return {Kind::kOutput, text, *output};
    for (std::size_t i = 0; i < plan_.workspaces.size(); ++i) {
      if (plan_.workspaces[i].first == text) return {Kind::kWorkspace, text, i};
    }
    try {
      (void)expression(text);
    } catch (const Error& error) {
      throw Error("\"{}\" is no input, output or workspace, nor an expression over axes ({})", text,
                  error.what());
    }
    return {Kind::kInteger, text, 0};
  }

  std::vector<LaunchArgument> arguments(const ordered_json& value) const {
    if (!value.is_array()) throw Error("expected a list, got {}", value.dump());
    std::vector<LaunchArgument> result;
    for (const auto& item : value) result.push_back(argument(text_of(item)));
    return result;
  }

  std::vector<LaunchArgument> default_arguments() const {
    std::vector<LaunchArgument> result;
    for (const auto& input : definition_.inputs) result.push_back(argument(input.name));
    for (const auto& output : definition_.outputs) result.push_back(argument(output.name));
    for (const auto& axis : model::var_axes(definition_)) result.push_back(argument(axis));
    return result;
  }

  const model::Solution& solution_;
  const model::Definition& definition_;
  LaunchPlan plan_;
};

std::array<std::uint32_t, 3> sizes(const Dimensions& dimensions, const model::AxisValues& axes,
                                   const char* what, const std::array<std::int64_t, 3>& limits) {
  std::array<std::uint32_t, 3> result{};
  for (std::size_t i = 0; i < 3; ++i) {
    const std::int64_t value = dimensions.at(i).evaluate(axes);
    if (value < 1 || value > limits.at(i)) {
      throw Error("{}[{}] is \"{}\" = {}; it must be 1 to {}", what, i, dimensions.at(i).text(), value,
                  limits.at(i));
    }
    result.at(i) = static_cast<std::uint32_t>(value);
  }
  return result;
}

ResolvedLaunch resolve(const KernelLaunch& launch, const std::string& symbol, const model::AxisValues& axes) {
  ResolvedLaunch result;
  result.kernel = launch.kernel;
  result.symbol = symbol;
  result.grid = sizes(launch.grid, axes, "grid", {2147483647, 65535, 65535});
  result.block = sizes(launch.block, axes, "block", {1024, 1024, 64});
  const std::uint64_t threads = std::uint64_t{1} * result.block[0] * result.block[1] * result.block[2];
  if (threads > kMostThreads) throw Error("{}", cuda::asks_for_more_threads(threads, kMostThreads));
  if (launch.clustered) result.cluster = sizes(launch.cluster, axes, "cluster", {16, 16, 16});
  const std::int64_t shared = launch.shared_memory.evaluate(axes);
  if (shared < 0 || shared > (std::int64_t{1} << 20U)) {
    throw Error("shared_memory is \"{}\" = {} bytes, more than any device has", launch.shared_memory.text(),
                shared);
  }
  result.shared_memory = static_cast<std::uint32_t>(shared);
  result.cooperative = launch.cooperative;
  for (const auto& argument : launch.arguments) {
    const bool integer = argument.kind == LaunchArgument::Kind::kInteger;
    result.arguments.push_back({argument.kind, integer ? Expression::parse(argument.text).evaluate(axes)
                                                       : static_cast<std::int64_t>(argument.index)});
  }
  return result;
}

}  // namespace

LaunchPlan parse_launch_plan(const model::Solution& solution, const model::Definition& definition) {
  if (!solution.spec.launch) throw Error("the solution has no spec.launch");
  return PlanReader(solution, definition).read();
}

ResolvedPlan resolve(const LaunchPlan& plan, const std::vector<std::string>& symbols,
                     const model::AxisValues& axes) {
  if (symbols.size() != plan.launches.size())
    throw Error("{} kernels for {} launches", symbols.size(), plan.launches.size());
  ResolvedPlan result;
  for (std::size_t i = 0; i < plan.launches.size(); ++i) {
    try {
      result.launches.push_back(resolve(plan.launches[i], symbols[i], axes));
    } catch (const Error& error) {
      throw error.with_context(fmt::format("launch of {}", plan.launches[i].kernel));
    }
  }
  for (const auto& [name, bytes] : plan.workspaces) {
    const std::int64_t size = bytes.evaluate(axes);
    if (size < 0 || size > kMaxWorkspace)
      throw Error("workspace \"{}\" is \"{}\" = {} bytes", name, bytes.text(), size);
    result.workspaces.push_back(static_cast<std::uint64_t>(size));
  }
  return result;
}

}  // namespace fib::compile
