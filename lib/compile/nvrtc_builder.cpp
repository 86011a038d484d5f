#include "compile/nvrtc_builder.h"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "compile/artifact_cache.h"
#include "compile/compile_options.h"
#include "compile/compiler_files.h"
#include "compile/compiler_log.h"
#include "compile/launch_plan.h"
#include "compile/nvrtc.h"
#include "compile/sources.h"
#include "cuda/library.h"
#include "util/error.h"
#include "util/files.h"
#include "util/hash.h"

namespace fib::compile {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr std::uint64_t kNvrtcCacheFormat = 2;  // raise when what is built or how changes
constexpr const char* kCubin = "kernels.cubin";
constexpr const char* kNames = "kernels.json";  // the list of the kernels' names in the cubin

BuildResult failed(std::string log) { return {BuildResult::Outcome::kFailed, {}, std::move(log), false}; }

bool depends_on(const model::Solution& solution, const std::string& name) {
  const auto& dependencies = solution.spec.dependencies;
  return dependencies && std::find(dependencies->begin(), dependencies->end(), name) != dependencies->end();
}

// The include folders of CUTLASS; why there are none in `problem`.
std::vector<fs::path> cutlass_folders(std::string& problem) {
  const char* root = std::getenv("CUTLASS_PATH");
  if (root == nullptr || *root == '\0') {
    problem =
        "the solution depends on cutlass: set CUTLASS_PATH to a CUTLASS checkout (the folder with include/)";
    return {};
  }
  const fs::path include = fs::path(root) / "include";
  if (!fs::is_directory(include))
    problem = fmt::format("CUTLASS_PATH: there is no folder {}", include.string());
  return {include, fs::path(root) / "tools/util/include"};
}

struct Options {
  Words fixed;  // the same wherever the sources lie
  std::string problem;
};

Options options_for(const model::Solution& solution, const std::string& architecture) {
  Options options;
  options.fixed = {"--gpu-architecture=" + check_architecture(architecture)};
  Words user;
  if (solution.spec.compile_options) user = solution.spec.compile_options->cuda_cflags.value_or(Words{});
  const auto names_standard = [](const std::string& word) { return word.find("std=") != std::string::npos; };
  if (std::none_of(user.begin(), user.end(), names_standard)) options.fixed.emplace_back("--std=c++17");
  if (depends_on(solution, "cutlass")) {
    // Many of its functions are not marked __device__ (its own NVRTC test passes this too).
    options.fixed.emplace_back("--device-as-default-execution-space");
    for (const auto& folder : cutlass_folders(options.problem))
      options.fixed.push_back("-I" + folder.string());
  }
  for (const auto& folder : cuda::include_folders()) options.fixed.push_back("-I" + folder.string());
  for (const auto& word : user) {
    const bool level = word.size() == 3 && word.starts_with("-O");
    if (!level) options.fixed.push_back(word);
  }
  return options;
}

std::string key_of(const model::Solution& solution, const LaunchPlan& plan, const Options& options) {
  util::Sha256 hash;
  hash.add(kNvrtcCacheFormat).add(nvrtc_version()).add(model::content_sha256(solution));
  for (const auto& launch : plan.launches) hash.add(launch.kernel);
  for (const auto& word : options.fixed) hash.add(word);
  return hash.hex();
}

// What NVRTC is asked for: the kernels' names, each once.
Words kernels_of(const LaunchPlan& plan) {
  Words names;
  for (const auto& launch : plan.launches) {
    if (std::find(names.begin(), names.end(), launch.kernel) == names.end()) names.push_back(launch.kernel);
  }
  return names;
}

std::string compile(const model::Solution& solution, const LaunchPlan& plan, const Words& options,
                    const fs::path& work, const fs::path& out, std::string& log) {
  const fs::path folder = work / "src";
  if (auto problem = refused_option(solution)) return *problem;
  if (auto problem = write_sources(solution, folder)) return *problem;
  const auto* entry = solution.entry_source();
  if (entry == nullptr)
    return "no source has the entry point's path";  // the model's reader refuses such files
  const fs::path main = (folder / entry->path).lexically_normal();
  NvrtcInput input{main.string(), entry->content, {}, options, kernels_of(plan)};
  input.options.insert(input.options.begin(), {"-I" + folder.string(), "-I" + main.parent_path().string()});
  const auto output = run_nvrtc(input);
  log = without_folder(output.log, folder);
  if (!output.succeeded)
    return log.empty() ? fmt::format("NVRTC refuses the options: {}", fmt::join(options, " "))
                       : first_error_first(log);
  nlohmann::json names;
  for (const auto& launch : plan.launches) {
    const auto at =
        std::find(input.kernels.begin(), input.kernels.end(), launch.kernel) - input.kernels.begin();
    names.push_back(output.symbols.at(static_cast<std::size_t>(at)));
  }
  util::write_file_atomic(out / kNames, names.dump());
  util::write_file_atomic(out / kCubin, output.cubin);
  return {};
}

}  // namespace

BuildResult build_kernels(const model::Solution& solution, const model::Definition& definition,
                          const BuildTarget& target, const fs::path& cache) {
  LaunchPlan plan;
  try {
    plan = parse_launch_plan(solution, definition);
  } catch (const Error& error) {
    return failed(error.with_context("spec").what());
  }
  Options options;
  try {
    options = options_for(solution, target.architecture);
  } catch (const Error& error) {  // no NVRTC that knows the device
    return {BuildResult::Outcome::kUnsupported, {}, error.what(), false};
  }
  if (!options.problem.empty()) return {BuildResult::Outcome::kUnsupported, {}, options.problem, false};
  const CacheEntry entry{cache, "nvrtc", key_of(solution, plan, options), {kCubin, kNames}};
  const auto result =
      through_cache(entry, files_of_compilers(target), [&](const fs::path& work, const fs::path& out) {
        BuildAnswer answer;
        answer.failure = compile(solution, plan, options.fixed, work, out, answer.log);
        return answer;
      });
  if (!result.answer.failure.empty()) return failed(result.answer.failure);
  BuildResult built{BuildResult::Outcome::kBuilt, {}, result.answer.log, result.from_cache};
  built.artifact.kind = Artifact::Kind::kKernels;
  built.artifact.file = result.folder / kCubin;
  built.artifact.sha256 = result.digests.front();
  built.artifact.kernels = nlohmann::json::parse(util::read_file(result.folder / kNames)).get<Words>();
  return built;
}

}  // namespace fib::compile
