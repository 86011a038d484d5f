#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

// Repairs documents that lack what their place in the dataset says.
namespace fib::dataset {

// The text of a definition ("definitions/<op_type>/<definition>.json") or of a solution
// ("solutions/<author>/<op_type>/<definition>/<solution>.json"; older layouts have fewer folders) with the
// missing ones of these names; `text` itself where none is missing, where it is no JSON object, and for files
// in other places. `relative` is the file's path below the root.
[[nodiscard]] std::string with_names_of_path(const std::string& text, const std::filesystem::path& relative);

// The text of a JSONL file whose records are of `definition` with this name in every record that has a
// workload and none of its own; `filled` says in how many.
[[nodiscard]] std::string with_definition(const std::string& text, const std::string& definition,
                                          std::size_t& filled);

}  // namespace fib::dataset
