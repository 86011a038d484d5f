#include <map>
#include <nlohmann/json.hpp>

#include "gpu/gpu.h"
#include "support/fib_run.h"
#include "support/python.h"

// What solutions do with memory that they return: each call has to write all of it, and it has to be memory
// of its own; else fib copies it within the timed call (docs/python.md).
using namespace fib;
using nlohmann::ordered_json;

namespace {

ordered_json definition(const std::string& name, const std::string& body) {
  const ordered_json tensor = {{"shape", {"n", "h"}}, {"dtype", "float32"}};
  return {{"name", name},
          {"op_type", "test"},
          {"axes", {{"n", {{"type", "var"}}}, {"h", {{"type", "const"}, {"value", 1024}}}}},
          {"inputs", {{"x", tensor}}},
          {"outputs", {{"y", tensor}, {"z", tensor}}},
          {"reference", "import torch\n\ndef run(x):\n" + body}};
}

std::string workload(const std::string& definition) {
  return ordered_json{
      {"definition", definition},
      {"workload", {{"axes", {{"n", 2048}}}, {"inputs", {{"x", {{"type", "random"}}}}}, {"uuid", "w"}}},
      {"solution", nullptr},
      {"evaluation", nullptr}}
      .dump();
}

// mapped() gives physical memory one more address; shared_with() does that of a tensor's, or of what the
// judge shares in the same allocation.
const std::string kMapping = R"(import ctypes
import torch

cu = ctypes.CDLL("libcuda.so.1")
Word = ctypes.c_uint64


class At:
    def __init__(self, address, shape):
        self.__cuda_array_interface__ = {"version": 3, "shape": tuple(shape), "typestr": "<f4",
                                         "data": (address, False), "strides": None}


def check(result):
    if result != 0:
        raise RuntimeError("the driver's error %d" % result)


def mapped(handle, size):
    at = Word()
    check(cu.cuMemAddressReserve(ctypes.byref(at), Word(size), Word(0), Word(0), Word(0)))
    check(cu.cuMemMap(at, Word(size), Word(0), handle, Word(0)))
    check(cu.cuMemSetAccess(at, Word(size), (ctypes.c_int * 3)(1, 0, 3), Word(1)))
    return at.value


def shared_with(x, private=True):
    handle, base, size = Word(), Word(), Word()
    check(cu.cuMemRetainAllocationHandle(ctypes.byref(handle), ctypes.c_void_p(x.data_ptr())))
    check(cu.cuMemGetAddressRange_v2(ctypes.byref(base), ctypes.byref(size), Word(x.data_ptr())))
    offset = x.data_ptr() - base.value if private else 0
    return torch.as_tensor(At(mapped(handle, size.value) + offset, x.shape), device="cuda")


)";

// Of "lower": y is the lower triangle of x, and z is x.
const std::map<std::string, std::string> kLower = {
    {"PASSED_new", "import torch\n\ndef run(x):\n    return torch.tril(x), x.clone()\n"},
    {"PASSED_input", "import torch\n\ndef run(x):\n    return torch.tril(x), x\n"},
    {"PASSED_changed_input", "def run(x):\n    z = x.clone()\n    return x.tril_(), z\n"},
    {"PASSED_kept_and_written", R"(import torch
kept = []

def run(x):
    if not kept:
        kept.extend([torch.empty_like(x), torch.empty_like(x)])
    torch.tril(x, out=kept[0])
    kept[1].copy_(x)
    return kept[0], kept[1]
)"},
    // The zeros are those of the first call.
    {"INCORRECT_NUMERICAL_kept_zeros", R"(import torch
kept = []

def run(x):
    if not kept:
        rows, columns = torch.tril_indices(x.shape[0], x.shape[1], device=x.device)
        kept.extend([torch.zeros_like(x), rows, columns])
    y, rows, columns = kept
    y[rows, columns] = x[rows, columns]
    return y, x.clone()
)"},
    {"INCORRECT_NUMERICAL_input_at_another_address", kMapping + R"(
shared = {}

def run(x):
    if x.data_ptr() not in shared:
        shared[x.data_ptr()] = shared_with(x)
    return torch.tril(x), shared[x.data_ptr()]
)"},
    // The judge's buffer, from which fib copies the inputs: nothing is written to it before outputs are read.
    {"RUNTIME_ERROR_shared_input_at_another_address", kMapping + R"(
shared = {}

def run(x):
    if x.data_ptr() not in shared:
        shared[x.data_ptr()] = (shared_with(x), shared_with(x, private=False))
    private, judges = shared[x.data_ptr()]
    z = judges if torch.equal(judges, private) else x.clone()
    return torch.tril(x), z
)"}};

// Of "twice": both are 2 x + 1.
const std::map<std::string, std::string> kTwice = {
    {"PASSED_new", "def run(x):\n    y = 2 * x + 1\n    return y, y.clone()\n"},
    {"PASSED_same", "def run(x):\n    y = 2 * x + 1\n    return y, y\n"},
    {"INCORRECT_NUMERICAL_two_addresses", kMapping + R"(
kept = []

def run(x):
    if not kept:
        x + 1
        size = 4 * x.numel()
        handle = Word()
        check(cu.cuMemCreate(ctypes.byref(handle), Word(size), (ctypes.c_int * 8)(1, 0, 1, 0, 0, 0, 0, 0), Word(0)))
        kept.extend(torch.as_tensor(At(mapped(handle, size), x.shape), device="cuda") for _ in range(2))
    torch.add(1, x, alpha=2, out=kept[0])
    return kept[0], kept[1]
)"}};

}  // namespace

TEST_CASE("a call writes all that it returns, and to memory of its own", "[gpu]") {
  if (testing::gpu() == nullptr) return;
  const auto python = testing::python_with_torch();
  if (!python) return;
  testing::FibRun run;
  run.python = *python;
  run.dataset.definition("test", "lower", definition("lower", "    return torch.tril(x), x.clone()\n").dump(),
                         {workload("lower")});
  run.dataset.definition("test", "twice", definition("twice", "    return 2 * x + 1, 2 * x + 1\n").dump(),
                         {workload("twice")});
  const ordered_json returns = {{"destination_passing_style", false}};
  for (const auto& [name, source] : kLower) run.dataset.python_solution(name, source, returns, "lower");
  for (const auto& [name, source] : kTwice)
    run.dataset.python_solution("twice_" + name, source, returns, "twice");
  const auto result = run.run({"--device", "cuda:0"});
  INFO(result.out << result.err);
  CHECK(result.exit_code == 0);
  const auto traces = testing::read_traces(run.dataset.root());
  CHECK(traces.size() == kLower.size() + kTwice.size());
  for (const auto& trace : traces) {
    INFO(trace.solution << ": " << trace.status << ": " << trace.log.substr(0, 2000));
    const std::string name = trace.solution.starts_with("twice_") ? trace.solution.substr(6) : trace.solution;
    CHECK(name.starts_with(trace.status + "_"));
  }
}
