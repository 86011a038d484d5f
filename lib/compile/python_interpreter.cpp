#include "compile/python_interpreter.h"

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "compile/python_scripts.h"
#include "util/error.h"

namespace fib::compile {
namespace {

namespace fs = std::filesystem;

constexpr double kProbeLimitS = 20;  // a cold disk; else it takes 0.1 s
constexpr const char* kAnswerMark = "fib: ";

// A path stays one wherever the interpreter is started.
std::string as_program(const std::string& program) {
  return program.find('/') == std::string::npos ? program : fs::absolute(program).string();
}

}  // namespace

PythonInterpreter probe_python(const std::string& program) {
  const auto result = run_script(as_program(program), probe_script(), {}, "/", {}, {kProbeLimitS, nullptr});
  const std::string answer = util::line_after(kAnswerMark, result.output);
  if (answer.starts_with("old "))
    throw Error("{} is Python {}; 3.8 or newer is needed", program, answer.substr(4));
  if (answer.empty()) {
    throw Error("{} cannot be used as Python: it ended with {} and said: {}", program, result.status_text(),
                result.output.substr(0, 500));
  }
  auto python = parse_python(answer);
  const char* interpret = std::getenv("TRITON_INTERPRET");
  python.interprets_triton = interpret != nullptr && std::string_view(interpret) == "1";
  return python;
}

std::optional<PythonInterpreter> find_python() {
  const char* named = std::getenv("FIB_PYTHON");
  if (named != nullptr && *named == '\0') return std::nullopt;
  try {
    return probe_python(named != nullptr ? named : "python3");
  } catch (const Error& error) {
    if (named != nullptr) throw error.with_context("FIB_PYTHON");
    return std::nullopt;
  }
}

std::string to_json(const PythonInterpreter& python) {
  std::vector<std::string> folders;
  for (const auto& folder : python.folders) folders.push_back(folder.string());
  return nlohmann::ordered_json{{"path", python.path.string()},
                                {"version", python.version},
                                {"abi_tag", python.abi_tag},
                                {"packages", python.packages},
                                {"uncompiled", python.uncompiled},
                                {"torch_cuda", python.torch_cuda},
                                {"headers", python.has_headers},
                                {"folders", folders},
                                {"interprets_triton", python.interprets_triton}}
      .dump();
}

PythonInterpreter parse_python(std::string_view text) {
  try {
    const auto json = nlohmann::json::parse(text);
    const auto folders = json.at("folders").get<std::vector<std::string>>();
    return {json.at("path").get<std::string>(),
            json.at("version"),
            json.at("abi_tag"),
            json.at("packages").get<std::map<std::string, std::string>>(),
            json.at("torch_cuda"),
            json.at("headers"),
            json.value("interprets_triton", false),
            {folders.begin(), folders.end()},
            json.value("uncompiled", std::map<std::string, std::string>{})};
  } catch (const nlohmann::json::exception& error) {
    throw Error("the description of a Python interpreter is broken: {}", error.what());
  }
}

}  // namespace fib::compile
