#pragma once

#include "tvm_ffi/abi.h"

// What an extension that was built with fib's torch headers exports, by the function
// fib_torch_extension_<name>() that PYBIND11_MODULE(<name>, m) defines, and its worker calls.
namespace fib::torch_headers {

struct Interface {
  // Looks a function up by its name in Python: what to call, and what to hand it first. 0; 1: there is none;
  // -1 with the thread's raised error set.
  int (*find)(const char* name, void** self, tvm_ffi::SafeCall* call);
  // Makes a tensor without axes of a number that a function has returned. 0, or -1 with the raised error set.
  int (*full)(const tvm_ffi::Any* number, tvm_ffi::DataType dtype, tvm_ffi::Device device,
              tvm_ffi::Any* tensor);
};

}  // namespace fib::torch_headers
