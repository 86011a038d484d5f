#include "gpu/gpu.h"
#include "support/fib_run.h"

// `fib disasm` of CUDA sources, by cuobjdump and nvdisasm.
using namespace fib;
using testing::FibRun;

TEST_CASE("a CUDA solution's code has its kernels' resources, instructions and lines", "[gpu]") {
  if (testing::gpu() == nullptr) return;
  if (!std::filesystem::exists("/usr/local/cuda/bin/nvdisasm")) {
    WARN("skipped: no nvdisasm");
    return;
  }
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
