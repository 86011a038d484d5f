#include "artifact.h"

#include <fmt/format.h>

#include <cstdio>

#include "apply/build.h"
#include "compile/build_result_json.h"
#include "compile/builder.h"
#include "dataset/paths.h"
#include "util/files.h"

namespace fib::cmd {
namespace {

compile::BuildResult built(const apply::BuildOrder& order) {
  const auto python = compile::needs_python(order.solution) || compile::is_tvm_ffi(order.solution) ||
                              compile::includes_tvm_ffi(order.solution)
                          ? compile::find_python()
                          : std::nullopt;
  compile::BuildTarget target{order.device, order.architecture, python};
  target.tvm_ffi = compile::find_tvm_ffi(python);
  // What torch itself has built is a module of Python's, which is not called in other programs.
  target.torch = compile::TorchWay::kHeaders;
  return compile::build(order.solution, order.definition, target, dataset::own_cache_path());
}

}  // namespace

int build_artifact(const std::string& order, const std::string& result) try {
  util::write_new_file(result, compile::to_json(built(apply::BuildOrder::parse(util::read_file(order)))));
  return 0;
} catch (const std::exception& error) {
  std::fputs(error.what(), stdout);
  return 1;
}

}  // namespace fib::cmd
