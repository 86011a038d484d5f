#include "sandbox/files.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "sandbox/file_view.h"
#include "sandbox/landlock.h"
#include "util/beneath.h"
#include "util/error.h"
#include "util/files.h"

namespace fib::sandbox {
namespace {

namespace fs = std::filesystem;
using Paths = std::vector<fs::path>;

// Folders in a list with ':' between them.
Paths split(std::string_view list) {
  Paths paths;
  while (!list.empty()) {
    const auto end = std::min(list.find(':'), list.size());
    if (end > 0) paths.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return paths;
}

Paths entries_of(const fs::path& folder, std::string_view beginning) {
  Paths paths;
  for (const auto& entry : util::entries_of(folder)) {
    if (entry.path().filename().string().starts_with(beginning)) paths.push_back(entry.path());
  }
  return paths;
}

Paths device_nodes(const FileAccess& access) {
  Paths nodes = {"/dev/null"};
  if (access.endless_devices)
    nodes.insert(nodes.end(), {"/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"});
  if (!access.gpu) return nodes;
  for (const auto& node : entries_of("/dev", "nvidia")) {
    std::error_code error;
    const bool is_shown = is_node_of_gpu(node.filename().string(), access.gpu_node);
    if (is_shown && fs::is_character_file(node, error)) nodes.push_back(node);
  }
  // The parts of a GPU that is divided (MIG): all but the node that may divide it, which is root's alone.
  for (const auto& node : entries_of("/dev/nvidia-caps", "nvidia-cap")) {
    std::error_code error;
    if ((fs::status(node, error).permissions() & fs::perms::others_read) != fs::perms::none)
      nodes.push_back(node);
  }
  for (const auto& node : entries_of("/dev", "nvhost")) nodes.push_back(node);
  nodes.insert(nodes.end(), {"/dev/nvmap", "/dev/dxg"});
  return nodes;
}

bool is_system(const fs::path& path) {
  const auto system = system_paths();
  return std::any_of(system.begin(), system.end(), [&](const auto& one) { return util::lies_in(path, one); });
}

// As execvp() finds it; empty when it does not.
fs::path find_program(const std::string& program) {
  if (program.find('/') != std::string::npos) return program;
  const char* path = std::getenv("PATH");
  for (const auto& folder : split(path != nullptr ? path : "/usr/bin:/bin")) {
    if (::access((folder / program).c_str(), X_OK) == 0) return folder / program;
  }
  return {};
}

void append(Paths& paths, const Paths& more) { paths.insert(paths.end(), more.begin(), more.end()); }

// What of a toolchain's folder its programs need: not what else a prefix may hold (keys, projects, data).
bool is_part_of_toolchain(const fs::path& entry) {
  const std::string name = entry.filename().string();
  for (const char* one : {"bin", "sbin", "include", "nvvm", "targets", "extras", "pyvenv.cfg"}) {
    if (name == one) return true;
  }
  for (const char* beginning : {"lib", "compute-sanitizer", "nsight-"}) {
    if (name.starts_with(beginning)) return true;
  }
  // "x86_64-conda-linux-gnu": the tools and libraries of one target.
  std::error_code error;
  return std::count(name.begin(), name.end(), '-') >= 2 &&
         (fs::exists(entry / "bin", error) || fs::exists(entry / "lib", error));
}

// Of the folder that holds a toolchain's bin; nothing where there is no such toolchain.
Paths parts_of_toolchain(const fs::path& root) {
  std::error_code error;
  const bool has_more = fs::exists(root / "lib", error) || fs::exists(root / "lib64", error) ||
                        fs::exists(root / "libexec", error);
  if (!has_more || root == "/" || holds_more_than_programs(root)) return {};
  Paths parts;
  for (const auto& entry : util::entries_of(root)) {
    if (is_part_of_toolchain(entry.path())) parts.push_back(entry.path());
  }
  append(parts, entries_of(root / "share", "gcc"));
  std::sort(parts.begin(), parts.end());
  return parts;
}

// What a program at this path needs beside itself.
Paths around_program(const fs::path& program) {
  const fs::path folder = program.parent_path();
  if (folder.filename() != "bin") return {program};
  Paths parts = parts_of_toolchain(folder.parent_path());
  if (!parts.empty()) return parts;
  return {holds_more_than_programs(folder) ? program : folder};
}

}  // namespace

std::string_view name_of(Mode mode) {
  return mode == Mode::kStrict ? "strict" : mode == Mode::kOff ? "off" : "auto";
}

std::string FileAccess::to_json() const {
  const auto texts = [](const Paths& paths) {
    std::vector<std::string> list;
    for (const auto& path : paths) list.push_back(path.string());
    return list;
  };
  return nlohmann::json{{"mode", static_cast<int>(mode)}, {"readable", texts(readable)},
                        {"writable", texts(writable)},    {"gpu", gpu},
                        {"gpu_node", gpu_node},           {"endless_devices", endless_devices},
                        {"private_bytes", private_bytes}, {"own_view", own_view}}
      .dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

FileAccess FileAccess::parse(std::string_view text) {
  try {
    const auto json = nlohmann::json::parse(text);
    FileAccess access;
    const int mode = json.at("mode");
    access.mode = mode == 1 ? Mode::kStrict : mode == 2 ? Mode::kOff : Mode::kAuto;
    for (const auto& path : json.at("readable")) access.readable.emplace_back(path.get<std::string>());
    for (const auto& path : json.at("writable")) access.writable.emplace_back(path.get<std::string>());
    json.at("gpu").get_to(access.gpu);
    access.gpu_node = json.value("gpu_node", "");
    json.at("endless_devices").get_to(access.endless_devices);
    json.at("private_bytes").get_to(access.private_bytes);
    json.at("own_view").get_to(access.own_view);
    return access;
  } catch (const nlohmann::json::exception& error) {
    throw Error("what files may be reached is not readable: {}", error.what());
  }
}

Paths system_paths() {
  Paths paths = {"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store",
                 // Where NixOS has the driver's libraries.
                 "/run/opengl-driver"};
  for (const char* name : {"ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "passwd", "group",
                           "nsswitch.conf", "localtime", "os-release", "OpenCL"}) {
    paths.push_back(fs::path("/etc") / name);
  }
  append(paths, entries_of("/etc", "python3"));  // Debian's sitecustomize.py
  return paths;
}

bool holds_more_than_programs(const fs::path& folder) {
  std::error_code error;
  Paths own = {"/tmp", fs::temp_directory_path(error), fs::current_path(error)};
  if (const char* home = std::getenv("HOME")) own.emplace_back(home);
  const fs::path real = fs::weakly_canonical(folder, error);
  return std::any_of(own.begin(), own.end(), [&](const fs::path& one) {
    return !one.empty() && (util::lies_in(one, folder) || util::lies_in(one, real) ||
                            util::lies_in(fs::weakly_canonical(one, error), real));
  });
}

bool is_node_of_gpu(std::string_view name, std::string_view only) {
  if (name == "nvidiactl" || name == "nvidia-uvm") return true;
  constexpr std::string_view kGpu = "nvidia";
  if (!name.starts_with(kGpu) || name == kGpu) return false;
  const bool is_gpu = name.find_first_not_of("0123456789", kGpu.size()) == std::string_view::npos;
  return is_gpu && (only.empty() || name == only);
}

Paths folders_of_program(const std::string& program) {
  const fs::path found = find_program(program);
  std::error_code error;
  const fs::path real = fs::canonical(found, error);
  if (found.empty() || error) return {};
  Paths folders;
  for (const auto& path : {fs::absolute(found), real}) {
    if (!is_system(path)) append(folders, around_program(path));
  }
  return folders;
}

Paths folders_in_variables(const std::vector<const char*>& variables) {
  Paths folders;
  for (const char* variable : variables) {
    if (const char* value = std::getenv(variable)) append(folders, split(value));
  }
  return folders;
}

Held confine_files(const FileAccess& access, const fs::path& own) {
  Held held;
  if (access.mode == Mode::kOff) return held;
  Paths readable = system_paths();
  append(readable, access.readable);
  const Paths devices = device_nodes(access);
  const bool wants_view = access.own_view || !has_landlock();
  held.mounts =
      wants_view &&
      enter_file_view({readable, access.writable, devices, access.own_processes, access.private_bytes}, own);
  // Where that is not allowed either, the limit of each file is all there is.
  if (!wants_view) (void)limit_folder(own, access.private_bytes);
  LandlockRules rules;
  rules.devices = devices;
  rules.writable = access.writable;
  rules.own_process = "/proc/" + std::to_string(::getpid());
  if (held.mounts) {
    if (access.own_processes) rules.own_process = "/proc";  // all but processes cannot be written there
    rules.readable = {"/"};
    append(rules.writable, {"/tmp", "/dev/shm"});
    ::setenv("TMPDIR", "/tmp", 1);
    ::setenv("HOME", "/tmp", 1);
  } else {
    rules.readable = std::move(readable);
    append(rules.readable, {"/proc", "/sys"});
    rules.writable.push_back(own);
  }
  held.landlock = enter_landlock(rules);
  return held;
}

}  // namespace fib::sandbox
