#include "cuda/library.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

#include "util/files.h"

namespace fib::cuda {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> toolkits() {
  std::vector<fs::path> roots;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* value = std::getenv(variable); value != nullptr && *value != '\0')
      roots.emplace_back(value);
  }
  roots.emplace_back("/usr/local/cuda");
  return roots;
}

// Folders below `parent` in the order of their names, newest Python last.
std::vector<fs::path> children_of(const fs::path& parent) {
  std::vector<fs::path> children;
  for (const auto& entry : util::entries_of(parent)) children.push_back(entry.path());
  std::sort(children.begin(), children.end());
  return children;
}

// The folders "nvidia/<component>" of Python's packages.
std::vector<fs::path> python_components() {
  std::vector<fs::path> libraries;
  for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    if (const char* value = std::getenv(variable); value != nullptr)
      libraries.push_back(fs::path(value) / "lib");
  }
  if (const char* home = std::getenv("HOME"); home != nullptr)
    libraries.push_back(fs::path(home) / ".local/lib");
  libraries.insert(libraries.end(), {"/usr/local/lib", "/usr/lib"});
  std::vector<fs::path> components;
  for (const auto& library : libraries) {
    for (const auto& python : children_of(library)) {
      if (!python.filename().string().starts_with("python3")) continue;
      for (const char* packages : {"site-packages", "dist-packages"}) {
        const auto found = children_of(python / packages / "nvidia");
        components.insert(components.end(), found.begin(), found.end());
      }
    }
  }
  return components;
}

std::vector<fs::path> existing(const std::vector<fs::path>& candidates) {
  std::vector<fs::path> folders;
  std::error_code error;
  for (const auto& folder : candidates) {
    const bool known = std::find(folders.begin(), folders.end(), folder) != folders.end();
    if (!known && fs::is_directory(folder, error)) folders.push_back(folder);
  }
  return folders;
}

}  // namespace

std::vector<fs::path> library_folders() {
  std::vector<fs::path> candidates;
  for (const auto& root : toolkits()) {
    for (const char* folder :
         {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib", "extras/CUPTI/lib64"}) {
      candidates.push_back(root / folder);
    }
  }
  for (const auto& component : python_components()) candidates.push_back(component / "lib");
  return existing(candidates);
}

std::vector<fs::path> include_folders() {
  std::vector<fs::path> candidates;
  for (const auto& root : toolkits()) {
    for (const char* folder :
         {"include", "include/cccl", "targets/x86_64-linux/include", "targets/sbsa-linux/include"}) {
      candidates.push_back(root / folder);
    }
  }
  for (const auto& component : python_components()) {
    candidates.push_back(component / "include");
    candidates.push_back(component / "include/cccl");
  }
  return existing(candidates);
}

util::SharedLibrary open_library(const std::string& title, const std::vector<std::string>& names,
                                 std::string& problem) {
  const auto folders = library_folders();
  for (const auto& name : names) {
    if (util::SharedLibrary library(name); library.is_open()) return library;
    for (const auto& folder : folders) {
      std::error_code error;
      if (!fs::exists(folder / name, error)) continue;
      if (util::SharedLibrary library(folder / name); library.is_open()) return library;
    }
  }
  std::vector<std::string> places = {"the loader's folders"};
  for (const auto& folder : folders) places.push_back(folder.string());
  problem =
      fmt::format("{} was not found: no {} in {}", title, fmt::join(names, " or "), fmt::join(places, ", "));
  return {};
}

}  // namespace fib::cuda
