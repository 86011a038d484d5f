#pragma once

#include <filesystem>

namespace fib::compile {

// Removes the temporary folders of killed builders from a cache (artifact_cache.h): those whose entry's lock
// nobody holds. What cannot be removed stays; whoever builds that entry next tries again. Throws nothing.
void remove_cache_leftovers(const std::filesystem::path& cache);

}  // namespace fib::compile
