#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "dataset/filter.h"

namespace fib::dataset {

// Definitions, solutions and workloads of a dataset, without results. What cannot be read is described in
// `unreadable`. Throws Error when `root` is no folder.
[[nodiscard]] Dataset load_without_results(const std::filesystem::path& root,
                                           std::vector<std::string>& unreadable,
                                           bool names_from_paths = false);

// Throws Error when `interrupted`, which may be null, has become true.
void check_interrupt(const std::atomic<bool>* interrupted);

// Calls `visit`, in the caller's thread, with every result of the dataset that passes the filter, in the
// order of load(), without keeping any: memory is bounded by the largest file, and by what parsing some
// megabytes of it side by side takes. `dataset` is what load_without_results() gives. Lines that cannot be
// read are described in `unreadable`. Throws Error when a file cannot be read, and what `visit` throws.
void for_each_trace(const Dataset& dataset, const Filter& filter, std::vector<std::string>& unreadable,
                    const std::function<void(const model::Trace&)>& visit,
                    const std::atomic<bool>* interrupted = nullptr);

// The files below workloads/ and traces/ in which records are, in the order of load().
[[nodiscard]] std::vector<std::filesystem::path> record_files(const std::filesystem::path& root);

// The whole file; nothing, with a line in `unreadable`, when it cannot be read.
[[nodiscard]] std::optional<std::string> read_or_note(const std::filesystem::path& file,
                                                      std::vector<std::string>& unreadable);

}  // namespace fib::dataset
