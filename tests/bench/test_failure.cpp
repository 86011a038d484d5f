#include <catch2/catch.hpp>

#include "bench/failure.h"
#include "calling/status.h"
#include "cuda/launch_words.h"

using namespace fib;
using model::ErrorCode;
using worker::Failure;
using Kind = Failure::Kind;

TEST_CASE("what a solution on the CPU says means no failure of a device, a launch or a compiler") {
  const auto code = [](const std::string& text) {
    return bench::facts_of_run({Kind::kRefused, text}, false).code;
  };
  CHECK(code("uncorrectable ECC error encountered") == ErrorCode::exception);
  CHECK(code("CompilationError: x") == ErrorCode::exception);
  CHECK(code("launch of the rocket failed") == ErrorCode::exception);
  CHECK(code("illegal memory access") == ErrorCode::exception);
  CHECK(code("the solution threw std::bad_alloc") == ErrorCode::out_of_memory);
  CHECK(code("the solution returned the error code 3") == ErrorCode::error_returned);
  CHECK(bench::facts_of_load({Kind::kRefused, "launch of x"}, false).code == ErrorCode::load_error);
}

TEST_CASE("what ended or refused tells the code of a run's failure") {
  const auto code = [](Kind kind, const std::string& text) {
    return bench::facts_of_run({kind, text}, true).code;
  };
  CHECK(code(Kind::kTimeout, "no answer") == ErrorCode::timeout);
  CHECK(code(Kind::kProtocol, "it answered before it was asked") == ErrorCode::broken_protocol);
  CHECK(code(Kind::kDied, "the worker ended with SIGSEGV (Segmentation fault)") == ErrorCode::crash);
  CHECK(code(Kind::kDied, "the worker ended with SIGSYS (Bad system call)") == ErrorCode::forbidden_call);
  CHECK(code(Kind::kDied, "ended with SIGKILL (Killed) at its memory limit, 9 MiB") ==
        ErrorCode::out_of_memory);
  CHECK(code(Kind::kRefused, "launch of k: CUDA_ERROR_ILLEGAL_ADDRESS (an illegal ...)") ==
        ErrorCode::illegal_access);
  CHECK(code(Kind::kRefused, "launch of k: CUDA_ERROR_INVALID_VALUE") == ErrorCode::bad_launch);
  // What a function of the C convention returned.
  const auto returned = [&](int status, bool on_cuda) {
    return code(Kind::kRefused,
                "the solution returned the error code " + calling::status_text(status, on_cuda));
  };
  CHECK(returned(9, true) == ErrorCode::bad_launch);
  CHECK(returned(701, true) == ErrorCode::bad_launch);
  CHECK(returned(2, true) == ErrorCode::out_of_memory);
  CHECK(returned(700, true) == ErrorCode::illegal_access);
  CHECK(returned(1, true) == ErrorCode::cuda_error);
  CHECK(returned(209, true) == ErrorCode::cuda_error);
  CHECK(returned(710, true) == ErrorCode::cuda_error);
  CHECK(returned(214, true) == ErrorCode::device_error);
  CHECK(returned(7, true) == ErrorCode::error_returned);
  CHECK(returned(2, false) == ErrorCode::error_returned);
  CHECK(
      code(Kind::kRefused, "torch.AcceleratorError: CUDA error: an illegal memory access was encountered") ==
      ErrorCode::illegal_access);
  CHECK(code(Kind::kRefused, "triton.runtime.errors.OutOfResources: out of resource: shared memory") ==
        ErrorCode::too_much_shared_memory);
  CHECK(code(Kind::kRefused, "triton.runtime.errors.OutOfResources: out of resource: threads") ==
        ErrorCode::too_many_threads);
  CHECK(code(Kind::kRefused, "launch of run: " + cuda::asks_for_more_threads(2048, 1024)) ==
        ErrorCode::too_many_threads);
  const auto launch = [&](const std::string& what) {
    return code(Kind::kRefused, "the solution returned the error code " + calling::status_text(1, true) +
                                    "\nthe driver refused to launch the kernel k: " + what);
  };
  CHECK(launch(cuda::asks_for_more_threads(2048, 1024)) == ErrorCode::too_many_threads);
  CHECK(launch(cuda::asks_for_more_shared_memory(70000, 49152)) == ErrorCode::too_much_shared_memory);
  CHECK(launch("CUDA_ERROR_INVALID_VALUE (invalid argument)") == ErrorCode::bad_launch);
  CHECK(bench::code_of_launch_plan("launch of k: " + cuda::asks_for_more_shared_memory(500000, 9)) ==
        ErrorCode::too_much_shared_memory);
  CHECK(bench::code_of_launch_plan("launch of k: " + cuda::asks_for_more_threads(2048, 1024)) ==
        ErrorCode::too_many_threads);
  CHECK(bench::code_of_launch_plan("launch of k: grid[0] is \"0\" = 0; it must be 1 to 5") ==
        ErrorCode::bad_launch);
  CHECK(code(Kind::kRefused, "CUDA_ERROR_ECC_UNCORRECTABLE") == ErrorCode::device_error);
  CHECK(code(Kind::kRefused, "CUDA error: unspecified launch failure") == ErrorCode::cuda_error);
  CHECK(code(Kind::kRefused, "CUDA_ERROR_ASSERT") == ErrorCode::cuda_error);
  CHECK(code(Kind::kRefused, "2 pieces of work on the device were not launched by the call itself") ==
        ErrorCode::work_outside_call);
  CHECK(
      code(Kind::kRefused, "processes of the solution keep running outside of its calls; they must sleep") ==
      ErrorCode::work_outside_call);
  CHECK(code(Kind::kRefused, "of 3 of the call's launches there is no record: records were switched off") ==
        ErrorCode::impossible_time);
  CHECK(code(Kind::kRefused, "the call records an event of the clock") == ErrorCode::impossible_time);
  CHECK(code(Kind::kRefused, "the call leaves work of which no clock sees the end") ==
        ErrorCode::impossible_time);
  CHECK(code(Kind::kRefused, "an output lies in memory that is mapped more than once, so that") ==
        ErrorCode::impossible_time);
  CHECK(code(Kind::kRefused, "an output is memory of fib's own, by another address, so that") ==
        ErrorCode::impossible_time);
  // What a solution throws accuses nobody, whatever it says.
  CHECK(code(Kind::kRefused, "the solution threw an exception: threads keep running") ==
        ErrorCode::exception);
  CHECK(code(Kind::kRefused,
             "RuntimeError: 2 pieces of work on the device were not launched by the call itself") ==
        ErrorCode::exception);
  CHECK(code(Kind::kRefused,
             "RuntimeError: [enforce fail at alloc_cpu.cpp:117] . DefaultCPUAllocator: not enough "
             "memory: you tried to allocate 40000000000000 bytes.") == ErrorCode::out_of_memory);
  CHECK(code(Kind::kRefused, "ValueError: no") == ErrorCode::exception);
}

TEST_CASE("the same while a solution is loaded, and of a build's log") {
  const auto load = [](const std::string& text) {
    return bench::facts_of_load({Kind::kRefused, text}, true).code;
  };
  CHECK(load("OutOfResources: out of resource: shared memory, Required: 9") ==
        ErrorCode::too_much_shared_memory);
  CHECK(load("OutOfResources: out of resource: threads, Required: 9") == ErrorCode::too_many_threads);
  CHECK(load("ModuleNotFoundError: No module named 'flash_attn'") == ErrorCode::missing_package);
  CHECK(load("the module has no run") == ErrorCode::missing_symbol);
  CHECK(load("the solution's library has no symbol \"run\"") == ErrorCode::missing_symbol);
  CHECK(load("cannot load the solution's library: undefined symbol: x") == ErrorCode::load_error);
  CHECK(bench::facts_of_load({Kind::kTimeout, ""}, true).code == ErrorCode::load_timeout);
  CHECK(bench::code_of_build("a.cpp:1:1: error: undefined reference to y") == ErrorCode::compile_error);
  CHECK(bench::code_of_build("a.cpp:(.text): undefined reference to `y'") == ErrorCode::link_error);
  CHECK(bench::code_of_build("a.cpp:3:9: warning: unused variable 'x'\ncollect2: error: ld returned 1\n") ==
        ErrorCode::compile_error);
  CHECK(bench::code_of_build("main.py:1: SyntaxError: import * only allowed at module level\n") ==
        ErrorCode::compile_error);
  CHECK(bench::code_of_build("main.py defines no run at module level\n") == ErrorCode::missing_symbol);
  CHECK(bench::code_of_build("__nv_name_map(2): error: identifier \"run\" is undefined\n") ==
        ErrorCode::missing_symbol);
  CHECK(bench::code_of_build(
            "a.cu(3): error: no\n__nv_name_map(2): error: identifier \"run\" is undefined\n") ==
        ErrorCode::compile_error);
  CHECK(bench::code_of_build(
            "ptxas error   : Entry function 'run' uses too much shared data (0x19000 bytes, 0xc000 max)") ==
        ErrorCode::too_much_shared_memory);
  CHECK(bench::code_of_build("the build took longer than 3 s (--build-timeout)") == ErrorCode::build_timeout);
}

TEST_CASE("an error that has a name of its own is known by it") {
  using bench::error_name;
  CHECK(error_name("launch of k: CUDA_ERROR_ILLEGAL_ADDRESS (an illegal ...)") ==
        "CUDA_ERROR_ILLEGAL_ADDRESS");
  const std::string returned = "the solution returned the error code ";
  CHECK(error_name(returned + calling::status_text(1, true)) == "cudaErrorInvalidValue");
  CHECK(error_name(returned + calling::status_text(7, true) + " while the solution ran") == "7");
  CHECK(error_name(returned + calling::status_text(-3, false)) == "-3");
  CHECK(error_name("the worker ended with SIGSEGV (Segmentation fault)") == "SIGSEGV");
  CHECK(error_name("torch.AcceleratorError: CUDA error: an illegal memory access") ==
        "torch.AcceleratorError");
  CHECK(error_name("KeyError") == "KeyError");
  CHECK(error_name("the solution threw an exception: no") == "");
  CHECK(error_name("") == "");
  CHECK(error_name(std::string(100, 'x') + ": long") == std::string(64, 'x'));
  CHECK(error_name("CUDA_ERROR_\x1b[2J") == "CUDA_ERROR_");
  CHECK(bench::facts_of_run({Kind::kDied, "ended with SIGABRT (Aborted)"}, true).error == "SIGABRT");
  CHECK(bench::facts_of_load({Kind::kRefused, "ImportError: no"}, true).error == "ImportError");
  bench::FailureFacts facts{ErrorCode::crash};
  CHECK_FALSE(bench::failure_record(facts, model::Status::RUNTIME_ERROR, "", {}).error);
  facts.error = "SIGABRT";
  CHECK(bench::failure_record(facts, model::Status::RUNTIME_ERROR, "", {}).error == "SIGABRT");
}

TEST_CASE("a failure's record has the facts of its code, the mismatch and the diagnostics of the log") {
  bench::FailureFacts facts{ErrorCode::wrong_values, 3, eval::Mismatch{"y", {1, 2}, "nan", "0.5", 7, 0, 64}};
  const auto record =
      bench::failure_record(facts, model::Status::INCORRECT_NUMERICAL, "a.cpp:1:2: warning: odd\n", {});
  CHECK(record.code == "wrong_values");
  CHECK(record.stage == "judge");
  CHECK(record.call == 3);
  CHECK(record.mismatch->index == std::vector<std::uint64_t>{1, 2});
  CHECK(record.mismatch->got == "nan");
  CHECK_FALSE(record.mismatch->absolute_error);
  CHECK(record.mismatch->matched_ratio == Approx(57.0 / 64));
  CHECK(record.diagnostics->at(0).severity == "warning");
  facts.mismatch->got = "-1.5";
  const auto of_numbers = bench::failure_record(facts, model::Status::INCORRECT_NUMERICAL, "", {});
  CHECK(of_numbers.mismatch->absolute_error == 2.0);
  CHECK(of_numbers.mismatch->relative_error == Approx(4));
  facts.mismatch->unwritten = 1;  // what stands there is fib's poison
  CHECK_FALSE(
      bench::failure_record(facts, model::Status::INCORRECT_NUMERICAL, "", {}).mismatch->absolute_error);
  facts.mismatch->unwritten = 0;
  facts.mismatch->expected = "true";
  CHECK_FALSE(
      bench::failure_record(facts, model::Status::INCORRECT_NUMERICAL, "", {}).mismatch->relative_error);
  facts.code = ErrorCode::missing_symbol;
  CHECK(bench::failure_record(facts, model::Status::COMPILE_ERROR, "", {}).stage == "build");
  CHECK_FALSE(bench::failure_record(facts, model::Status::COMPILE_ERROR, "", {}).diagnostics);
}

TEST_CASE("a failure's record has ten diagnostics, and says where there were more") {
  std::string log;
  for (int line = 1; line <= 10; ++line) log += "a.cpp:" + std::to_string(line) + ":2: error: odd\n";
  const bench::FailureFacts facts{model::ErrorCode::compile_error};
  const auto whole = bench::failure_record(facts, model::Status::COMPILE_ERROR, log, {});
  CHECK(whole.diagnostics->size() == 10);
  CHECK_FALSE(whole.diagnostics_cut);
  log += "a.cpp:11:2: error: odd\n";
  const auto cut = bench::failure_record(facts, model::Status::COMPILE_ERROR, log, {});
  CHECK(cut.diagnostics->size() == 10);
  CHECK(cut.diagnostics_cut == true);
}
