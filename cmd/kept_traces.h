#pragma once

#include <filesystem>
#include <initializer_list>
#include <string>
#include <vector>

#include "model/trace.h"

// Traces that the cache keeps beside datasets: a file of them for each name, or list of names.
namespace fib::cmd {

// Names may be anything, so that the file's is a hash of them. `folder` is one of the cache's.
[[nodiscard]] std::filesystem::path file_of_kept(const std::string& folder,
                                                 std::initializer_list<std::string> names);

// Those of a file that are results; none where it is not there. Throws Error when it cannot be read.
[[nodiscard]] std::vector<model::Trace> read_kept(const std::filesystem::path& file);

// The workload as it is kept, and what kept ones are compared with (model::work_key): behind the name of each
// tensor which file it is of (where that lies, how large it is, when it was changed). Other datasets may have
// other files of this path, and files change. `root` is the dataset's; of a file that is not there the name
// stays.
[[nodiscard]] model::Workload kept_workload(const model::Workload& workload, const std::string& definition,
                                            const std::filesystem::path& root);

// Whether both have the same work (model::work_key) on the same device.
[[nodiscard]] bool are_of_one_work(const model::Trace& left, const model::Trace& right);

// Files change: of the workload and the device of the last one the latest few stay.
void drop_old(std::vector<model::Trace>& traces);

// Makes the file anew. Throws Error when it cannot be written.
void write_kept(const std::filesystem::path& file, const std::vector<model::Trace>& traces);

}  // namespace fib::cmd
