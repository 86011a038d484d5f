#pragma once

#include <fib.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "c_api/errors.h"
#include "dataset/paths.h"

namespace fib::c_api {

// What a variable of the environment asks for: where it is 1 and nothing is in force (`top` is null), opens
// the dataset FIB_DATASET_PATH, gives it to `open` with the usual configuration, and puts that on the stack
// by `push`. What it opened; null: nothing. What goes wrong is written to standard error, with the variable's
// name.
template <typename Runtime>
Runtime* open_by(const char* variable, const Runtime* top,
                 fib_status (*open)(const fib_dataset*, const char*, Runtime**),
                 fib_status (*push)(Runtime*)) {
  const char* value = std::getenv(variable);  // NOLINT: not changed
  if (value == nullptr || std::string_view(value) != "1" || top != nullptr) return nullptr;
  fib_dataset* dataset = nullptr;
  Runtime* opened = nullptr;
  std::string path;
  fib_status status = guarded([&] { path = dataset::default_dataset_path().string(); });
  if (status == FIB_OK) status = fib_dataset_open(path.c_str(), &dataset);
  if (status == FIB_OK) status = open(dataset, nullptr, &opened);
  if (status == FIB_OK) status = push(opened);
  if (status != FIB_OK) std::fprintf(stderr, "fib: %s: %s\n", variable, fib_last_error());
  fib_dataset_close(dataset);
  return opened;
}

}  // namespace fib::c_api
