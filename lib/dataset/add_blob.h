#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace fib::dataset {

// Makes a workload's blob below `root`, where the layout wants it (paths.h): `write` fills the open file it
// is given. The file appears whole, with its content on the disk, or not at all; a process that is killed
// meanwhile leaves no more than a hidden file whose name ends with ".part", which no reader looks at. Missing
// folders are made, and no link of the dataset is followed. Returns the path relative to `root`, as workloads
// name it. Throws Error when it cannot be made, and what `write` throws; then nothing of it is there.
std::string add_blob(const std::filesystem::path& root, std::string_view op_type, std::string_view definition,
                     std::string_view uuid, const std::function<void(int fd)>& write);

// Removes a blob that add_blob() has made and that no record names. Never throws: what stays is a file that
// nobody reads.
void remove_blob(const std::filesystem::path& root, const std::string& relative) noexcept;

}  // namespace fib::dataset
