#pragma once

#include <fib.h>

#include <memory>
#include <string>
#include <vector>

#include "apply/runtime.h"
#include "dataset/load.h"

// What fib.h's opaque types are.

struct fib_dataset {
  fib::dataset::Dataset dataset;                // with its traces; without a folder its root is empty
  std::vector<fib::model::Trace> records = {};  // of a dataset from memory: its results, whole
};

struct fib_apply {
  fib::apply::Runtime runtime;
};
