#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace fib::sandbox {

// How much of the sandbox there must be.
enum class Mode {
  kAuto,    // what this system allows
  kStrict,  // all of it: a mount namespace, Landlock and the system call filter
  kOff,     // none: for code that is trusted, where the sandbox is in its way
};
[[nodiscard]] std::string_view name_of(Mode mode);  // "auto", "strict", "off"

// Which files code may reach that is not trusted. Travels to child processes as JSON.
struct FileAccess {
  Mode mode = Mode::kAuto;
  std::vector<std::filesystem::path> readable = {};  // besides system_paths(): folders and files
  std::vector<std::filesystem::path> writable = {};  // folders
  bool gpu = false;                                  // the device nodes of NVIDIA's driver
  bool endless_devices = true;  // /dev/zero, full, random, urandom; /dev/null is always there
  std::uint64_t private_bytes = std::uint64_t{1} << 30U;  // of each private folder (file_view.h)
  // Whether it has a file system of its own where the system allows one. Without one a process finds its own
  // program by name, which tools need that look for its sources' lines; Landlock's rules hold all the same,
  // its private folder is limited all the same, and where there is no Landlock, it has one.
  bool own_view = true;
  // It is in a PID namespace of its own, and it and what it starts may write their own files of /proc. Does
  // not travel.
  bool own_processes = false;
  // Of several GPUs that whose device node is shown alone: "nvidia0"; empty: all of them.
  std::string gpu_node = {};
  [[nodiscard]] std::string to_json() const;
  [[nodiscard]] static FileAccess parse(std::string_view text);  // throws Error
};

// What holds in a process.
struct Held {
  bool mounts = false;  // it sees a file system of its own (file_view.h)
  int landlock = 0;     // the version of Landlock that holds (landlock.h); 0: none
  [[nodiscard]] bool all() const { return mounts && landlock > 0; }
};

// What programs need that are not trusted: folders of programs and libraries, and of /etc only what the
// loader, the C library and Debian's alternatives read. Not all exist everywhere.
[[nodiscard]] std::vector<std::filesystem::path> system_paths();

// Whether kernels need this file of /dev: "nvidiactl", "nvidia-uvm", "nvidia0"; not the tools' door to a
// process's memory, switches between GPUs, displays. Of several GPUs that of `only` alone ("nvidia0"), where
// it is not empty. Pure.
[[nodiscard]] bool is_node_of_gpu(std::string_view name, std::string_view only = {});

// Whether it is, or is above, somebody's home, a folder for temporary files or the current folder: a program
// in it comes alone. Of this process: its children may have others.
[[nodiscard]] bool holds_more_than_programs(const std::filesystem::path& folder);

// What is to be shown so that a program can run, if it is outside of system_paths(): for "/opt/gcc/bin/g++",
// or a link to it, of /opt/gcc the folders of programs, libraries, headers and targets, and nothing else that
// may lie there; only bin where that is no toolchain's; of a program elsewhere the file alone. `program` is a
// path or a name that PATH has. Empty when there is none. To be asked in the user's own process, see above.
[[nodiscard]] std::vector<std::filesystem::path> folders_of_program(const std::string& program);

// The folders that environment variables name, which are lists with ':' between them ("LD_LIBRARY_PATH").
[[nodiscard]] std::vector<std::filesystem::path> folders_in_variables(
    const std::vector<const char*>& variables);

// Shuts the calling process, and what it starts, out of all files but these, for good; nothing in mode off.
// `own` is an empty folder: where there is no mount namespace it is the private, writable one (and nothing
// limits its size but the disk); else /tmp is, which TMPDIR and HOME then name. Needs a process with one
// thread. Throws Error when what the system allows cannot be set up.
[[nodiscard]] Held confine_files(const FileAccess& access, const std::filesystem::path& own);

}  // namespace fib::sandbox
