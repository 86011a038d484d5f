#include "gpu/gpu.h"
#include "support/fib_run.h"
#include "support/python.h"

// `fib disasm` of CUDA sources, by cuobjdump and nvdisasm.
using namespace fib;
using testing::FibRun;

TEST_CASE("a CUDA solution's code has its kernels' resources, instructions and lines", "[gpu]") {
  if (testing::gpu() == nullptr) return;
  if (!testing::has_cuda_tool("nvdisasm")) return;
  FibRun run;
  run.dataset.add_definition({1000});
  const auto file = run.folder.path() / "mine.cu";
  util::write_file_atomic(file,
                          util::read_file(testing::source_folder() / "tests/hostile/cuda/host_honest.cu"));
  const auto done = testing::run_process({testing::fib_binary(), "disasm", file, "--definition", "add",
                                          "--local", run.dataset.root(), "--device", "cuda:0"},
                                         run.environment());
  INFO(done.out << done.err);
  CHECK(done.exit_code == 0);
  CHECK_THAT(done.out, Catch::Contains("Registers") && Catch::Contains("EXIT") && Catch::Contains("mine.cu"));
}

TEST_CASE("what Triton compiled is shown after an evaluation has passed", "[gpu]") {
  if (testing::gpu() == nullptr) return;
  const auto python = testing::python_with_torch();
  if (!python) return;
  if (!testing::has_cuda_tool("nvdisasm")) return;
  FibRun run;
  run.python = *python;
  run.dataset.add_definition({1000});
  const auto file = run.folder.path() / "mine.py";
  util::write_file_atomic(file, testing::triton_add());
  const auto fib = [&](std::vector<std::string> words) {
    words.insert(words.begin(), testing::fib_binary());
    words.insert(words.end(), {"--definition", "add", "--local", run.dataset.root(), "--device", "cuda:0"});
    return testing::run_process(words, run.environment());
  };
  const auto before = fib({"disasm", file});
  CHECK(before.exit_code == 1);
  CHECK_THAT(before.out, Catch::Contains("it is there after an evaluation has passed"));
  const auto passed = fib({"eval", file});
  INFO(passed.out << passed.err);
  REQUIRE(passed.exit_code == 0);
  const auto native = fib({"disasm", file});
  INFO(native.out << native.err);
  CHECK(native.exit_code == 0);
  CHECK_THAT(native.out,
             Catch::Contains("Registers") && Catch::Contains("add_all") && Catch::Contains("EXIT"));
  const auto ptx = fib({"disasm", file, "--ptx"});
  CHECK(ptx.exit_code == 0);
  CHECK_THAT(ptx.out, Catch::Contains(".entry add_all"));
}
