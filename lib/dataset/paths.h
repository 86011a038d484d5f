#pragma once

#include <filesystem>
#include <string>
#include <string_view>

// Every name that a dataset has on disk. All functions are pure but those that say otherwise.
namespace fib::dataset {

namespace fs = std::filesystem;

// `name` when it can be one path component. Throws Error ("author \"a/b\" cannot be a folder name: ...") when
// it is empty, begins with "." (hidden, or another folder), or holds "/" or control characters, or has more
// than 240 bytes. `what` names it
// in the message.
[[nodiscard]] std::string checked_component(std::string_view name, std::string_view what);

[[nodiscard]] fs::path definitions_folder(const fs::path& root);
[[nodiscard]] fs::path workloads_folder(const fs::path& root);
[[nodiscard]] fs::path solutions_folder(const fs::path& root);
[[nodiscard]] fs::path traces_folder(const fs::path& root);
[[nodiscard]] fs::path blob_folder(const fs::path& root);
[[nodiscard]] fs::path runs_file(const fs::path& root);       // runs/runs.jsonl: one line a run
[[nodiscard]] fs::path baselines_file(const fs::path& root);  // runs/baselines.jsonl: see baselines.h

// definitions/<op_type>/<definition>.json. Names are checked, here and below.
[[nodiscard]] fs::path definition_file(const fs::path& root, std::string_view op_type,
                                       std::string_view definition);
// workloads/<op_type>/<definition>.jsonl
[[nodiscard]] fs::path workloads_file(const fs::path& root, std::string_view op_type,
                                      std::string_view definition);
// solutions/<author>/<op_type>/<definition>/<solution>.json
[[nodiscard]] fs::path solution_file(const fs::path& root, std::string_view author, std::string_view op_type,
                                     std::string_view definition, std::string_view solution);
// traces/<author>/<op_type>/<definition>.jsonl
[[nodiscard]] fs::path traces_file(const fs::path& root, std::string_view author, std::string_view op_type,
                                   std::string_view definition);
// blob/workloads/<op_type>/<definition>/<definition>_<uuid>.safetensors
[[nodiscard]] fs::path blob_file(const fs::path& root, std::string_view op_type, std::string_view definition,
                                 std::string_view uuid);
// <file>.torn-<time>: where a torn last record goes; `time` is UTC without ":" ("20260412T101112.123456Z").
[[nodiscard]] fs::path torn_file(const fs::path& file, std::string_view time);

// Throws Error in the words of every command when `root` is not a folder; a file is said to be one. `hint`
// says how to name another one.
void expect_dataset_folder(const fs::path& root,
                           std::string_view hint = "name one with --local DIR or with FIB_DATASET_PATH");

// FIB_DATASET_PATH, else ~/.cache/flashinfer_bench/dataset. Reads the environment. Throws Error when HOME is
// needed and not set.
[[nodiscard]] fs::path default_dataset_path();
// The user's own settings for fib: $XDG_CONFIG_HOME/fib, else ~/.config/fib; empty where neither variable is
// set.
[[nodiscard]] fs::path config_folder();
// FIB_CACHE_PATH, else ~/.cache/flashinfer_bench/cache.
[[nodiscard]] fs::path default_cache_path();
// The same where what lies there may be trusted: libraries and modules of the cache are loaded and run. Made
// where it is not there. Throws Error where it is another user's, or everybody may write there.
[[nodiscard]] fs::path own_cache_path();

}  // namespace fib::dataset
