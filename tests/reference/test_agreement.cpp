#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>

#include "support/places.h"
#include "support/process.h"

// The native engine beside torch, on references of the real dataset.
namespace {

using fib::testing::run_process;
namespace fs = std::filesystem;

// The Python of FIB_PYTHON, or python3, if it has torch.
std::string python_with_torch() {
  const char* given = std::getenv("FIB_PYTHON");
  const std::string python = given != nullptr ? given : "python3";
  return run_process({python, "-c", "import torch"}).exit_code == 0 ? python : "";
}

TEST_CASE("References of every kind agree with torch") {
  const fs::path repository = fib::testing::source_folder();
  const std::string python = python_with_torch();
  if (python.empty()) {
    WARN("skipped: no Python with torch; FIB_PYTHON can name one");
    return;
  }
  if (!fs::exists(repository / "../shared/data/flashinfer_trace/definitions")) {
    WARN("skipped: the published dataset is absent");
    return;
  }
  // One of each kind, at the size with the most unusual inputs.
  const auto done = run_process(
      {python, repository / "scripts/compare-engines", "--sizes", "odd", "--threads", "1", "--program",
       FIB_RUN_REFERENCE, "rmsnorm_h128", "rope", "gdn_decode_qk4", "gqa_paged_decode_h5",
       "gqa_ragged_prefill_causal_h5", "mla_paged_decode_h8", "dsa_topk", "mamba_ssu_decode_h64",
       "gemm_n128_k2048", "ng8_kg4_e32", "top_k_sampling_from_probs_v128256"},
      {"FIB_PYTHON=" + python});
  INFO(done.out << done.err);
  CHECK(done.exit_code == 0);
  CHECK(done.out.find("11 of 11 cases agree") != std::string::npos);
}

}  // namespace
