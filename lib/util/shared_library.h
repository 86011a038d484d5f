#pragma once

#include <dlfcn.h>

#include <string>

namespace fib::util {

// A shared library opened at run time, its symbols kept from others. Never closed: many have threads, or code
// that runs at the process's end.
class SharedLibrary {
 public:
  SharedLibrary() = default;

  // `file` is a path, or a name that the loader looks for in its folders ("libopenblas.so.0").
  explicit SharedLibrary(const std::string& file)
      : handle_(::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)), file_(file) {
    if (handle_ == nullptr) problem_ = ::dlerror();
  }

  [[nodiscard]] bool is_open() const { return handle_ != nullptr; }
  [[nodiscard]] const std::string& file() const { return file_; }        // as it was asked for
  [[nodiscard]] const std::string& problem() const { return problem_; }  // the loader's sentence; empty: none

  // Null when it has none of this name, or is not open.
  [[nodiscard]] void* symbol(const char* name) const {
    return handle_ == nullptr ? nullptr : ::dlsym(handle_, name);
  }

  // The same into a pointer to a function; false where that becomes null.
  template <typename Function>
  bool find(const char* name, Function& function) const {
    function = reinterpret_cast<Function>(symbol(name));
    return function != nullptr;
  }

 private:
  void* handle_ = nullptr;
  std::string file_;
  std::string problem_;
};

}  // namespace fib::util
