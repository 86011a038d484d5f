#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "dataset/records.h"

// What a cloned dataset links to may be anything of the user's, and records, sources and inputs are printed,
// merged, published, and given to solutions. Any thread. Only expect_inside() and read_inside() throw.
namespace fib::dataset {

// Whether a file of the dataset at `root` lies somewhere else, by links on its way, or where a program keeps
// what is its own (".git/config"); also where that cannot be found out (a link to itself, a folder that may
// not be entered). A snapshot in Hugging Face's cache has links into the blobs beside it, which are named by
// hashes: these do not lead out. A file that is not there leads out where its folder does.
[[nodiscard]] bool leads_out(const std::filesystem::path& file, const std::filesystem::path& root);

// Throws Error where leads_out(); the sentence says what to do.
void expect_inside(const std::filesystem::path& file, const std::filesystem::path& root);

// Why list_files() leaves out links to a file that it has, and other names of it.
inline constexpr const char* kReadAlready = "it is a link to a file that is read already";
inline constexpr const char* kOtherName = "it is another name (a hard link) of a file that is read already";

// Whether there is something of this name, be it a link that leads nowhere, or cannot be found out.
[[nodiscard]] bool is_there(const std::filesystem::path& file);

// The text of a file of the dataset. Nothing where there is none; where it leads out it is a problem besides.
// Throws Error as util::read_file() does.
[[nodiscard]] std::optional<std::string> read_inside(const std::filesystem::path& file,
                                                     const std::filesystem::path& root,
                                                     std::vector<Problem>& problems);

}  // namespace fib::dataset
