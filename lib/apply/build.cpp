#include "apply/build.h"

#include <unistd.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "compile/build_result_json.h"
#include "util/command.h"
#include "util/error.h"
#include "util/files.h"
#include "util/own_library.h"

namespace fib::apply {
namespace {

namespace fs = std::filesystem;

constexpr double kMostSeconds = 600;

bool is_program(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

fs::path find_program() {
  if (const char* named = std::getenv("FIB_PROGRAM");
      named != nullptr && *named != '\0')  // NOLINT: not changed
    return is_program(named) ? fs::absolute(named) : fs::path();
  const fs::path beside = util::own_library().parent_path().parent_path() / "bin" / "fib";
  if (is_program(beside)) return beside;
  const char* path = std::getenv("PATH");  // NOLINT: not changed
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (!folder.empty() && folder.front() == '/' && is_program(fs::path(folder) / "fib"))
      return fs::path(folder) / "fib";
  }
  return {};
}

std::string BuildOrder::to_json() const {
  return nlohmann::ordered_json{{"solution", model::to_json(solution)},
                                {"definition", model::to_json(definition)},
                                {"device", model::name_of(device)},
                                {"architecture", architecture}}
      .dump();
}

BuildOrder BuildOrder::parse(std::string_view json) {
  try {
    const auto document = nlohmann::json::parse(json);
    return {model::parse_solution(document.at("solution").get<std::string>()),
            model::parse_definition(document.at("definition").get<std::string>()),
            document.at("device") == "cuda" ? model::DeviceKind::cuda : model::DeviceKind::cpu,
            document.at("architecture")};
  } catch (const nlohmann::json::exception& error) {
    throw Error("an order for a build is broken: {}", error.what());
  }
}

compile::BuildResult build(const fs::path& program, const BuildOrder& order) {
  const char* named = std::getenv("FIB_PROGRAM");  // NOLINT: not changed
  if (program.empty() && named != nullptr && *named != '\0')
    throw Error("FIB_PROGRAM names {}, which is no program that can be run", named);
  if (program.empty())
    throw Error(
        "the fib program, which builds solutions, was not found: put it on PATH, or name it by FIB_PROGRAM");
  const util::TemporaryFolder folder(fs::temp_directory_path(), "fib-apply-");
  const fs::path request = folder.path() / "order.json";
  const fs::path answer = folder.path() / "result.json";
  util::write_new_file(request, order.to_json());
  const auto ended = util::run_command({program.string(), "__artifact", request.string(), answer.string()},
                                       folder.path(), {}, {kMostSeconds});
  if (!ended.succeeded())
    throw Error("{} ended with {}: {}", program.string(), ended.status_text(), ended.output);
  return compile::parse_build_result(util::read_file(answer));
}

}  // namespace fib::apply
