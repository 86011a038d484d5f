#include "bench/failure.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "compile/diagnostics.h"
#include "cuda/launch_words.h"
#include "eval/compare.h"

namespace fib::bench {
namespace {

using model::ErrorCode;
using worker::Failure;

// What a message says, and the code that it means.
struct Sign {
  std::string_view text;
  ErrorCode code;
};

template <std::size_t N>
std::optional<ErrorCode> first_of(const std::array<Sign, N>& signs, std::string_view text) {
  for (const Sign& sign : signs) {
    if (text.find(sign.text) != std::string_view::npos) return sign.code;
  }
  return std::nullopt;
}

// Of a worker that has ended: what ended it.
constexpr std::array kEnds{
    Sign{"memory limit", ErrorCode::out_of_memory},
    Sign{"SIGSYS", ErrorCode::forbidden_call},
};

// What a worker says of a solution that it has caught: whole beginnings behind a number, if there is one.
// What a solution throws has other words in front, so that none is accused for what it says.
constexpr std::array kCaught{
    Sign{"processes of the solution keep running", ErrorCode::work_outside_call},
    Sign{"pieces of work on the device were not launched by the call itself", ErrorCode::work_outside_call},
    Sign{"of the call's launches there is no record", ErrorCode::impossible_time},
    Sign{"the call records an event of the clock", ErrorCode::impossible_time},
    Sign{"the call leaves work of which no clock sees the end", ErrorCode::impossible_time},
    Sign{"an output lies in memory that is mapped more than once", ErrorCode::impossible_time},
    Sign{"an output is memory of fib's own, by another address", ErrorCode::impossible_time},
};

std::optional<ErrorCode> caught(std::string_view text) {
  if (text.starts_with("of ")) text.remove_prefix(3);
  text.remove_prefix(std::min(text.find_first_not_of("0123456789 "), text.size()));
  for (const Sign& sign : kCaught) {
    if (text.starts_with(sign.text)) return sign.code;
  }
  return std::nullopt;
}

// Of a launch that asks for more than its kernel may have: fib's words, and Triton's.
constexpr std::array kLargeLaunches{
    Sign{cuda::kMoreThreads, ErrorCode::too_many_threads},
    Sign{cuda::kMoreSharedMemory, ErrorCode::too_much_shared_memory},
    Sign{"out of resource: threads", ErrorCode::too_many_threads},
    Sign{"out of resource: shared memory", ErrorCode::too_much_shared_memory},
};

// Of an answer in words on CUDA: those of the driver, of Python, of fib's workers. On the CPU they would be
// the solution's own.
constexpr std::array kCudaAnswers{
    Sign{"CompilationError", ErrorCode::compile_error},  // of a compiler that runs in the first call
    Sign{"CUDA_ERROR_ILLEGAL_ADDRESS", ErrorCode::illegal_access},
    Sign{"CUDA_ERROR_MISALIGNED_ADDRESS", ErrorCode::illegal_access},
    Sign{"illegal memory access", ErrorCode::illegal_access},
    Sign{"misaligned address", ErrorCode::illegal_access},
    Sign{"CUDA_ERROR_OUT_OF_MEMORY", ErrorCode::out_of_memory},
    Sign{"CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", ErrorCode::bad_launch},
    Sign{"CUDA_ERROR_INVALID_VALUE", ErrorCode::bad_launch},
    Sign{"invalid configuration", ErrorCode::bad_launch},
    Sign{"too many resources requested", ErrorCode::bad_launch},
    Sign{"too many blocks in cooperative launch", ErrorCode::bad_launch},
    Sign{"OutOfResources", ErrorCode::bad_launch},
    Sign{"of shared memory", ErrorCode::bad_launch},
    Sign{"launch plan passes", ErrorCode::bad_launch},
    Sign{"launch of ", ErrorCode::bad_launch},
    Sign{"ECC_UNCORRECTABLE", ErrorCode::device_error},
    Sign{"NVLINK_UNCORRECTABLE", ErrorCode::device_error},
    Sign{"uncorrectable ECC", ErrorCode::device_error},
    Sign{"uncorrectable NVLink", ErrorCode::device_error},
    Sign{"CUDA_ERROR_DEVICE_UNAVAILABLE", ErrorCode::device_error},
    Sign{"CUDA_ERROR_", ErrorCode::cuda_error},
    Sign{"CUDA error", ErrorCode::cuda_error},
    Sign{"(cudaError", ErrorCode::cuda_error},  // that was returned
};

// Of one on any device.
constexpr std::array kAnswers{
    Sign{"out of memory", ErrorCode::out_of_memory},
    Sign{"OutOfMemoryError", ErrorCode::out_of_memory},
    Sign{"MemoryError", ErrorCode::out_of_memory},
    Sign{"not enough memory", ErrorCode::out_of_memory},  // torch's allocator on the CPU
    Sign{"bad_alloc", ErrorCode::out_of_memory},
    Sign{"returned the error code", ErrorCode::error_returned},
};

constexpr std::array kLoadAnswers{
    Sign{"has no symbol", ErrorCode::missing_symbol},
    Sign{"the module has no ", ErrorCode::missing_symbol},
    Sign{"ModuleNotFoundError", ErrorCode::missing_package},
    Sign{"No module named", ErrorCode::missing_package},
};

constexpr std::array kBuilds{
    Sign{"the library does not export ", ErrorCode::missing_symbol},
    Sign{"--build-timeout", ErrorCode::build_timeout},
    // Nothing is linked before everything compiles; what links says ": error:" too.
    Sign{"): undefined reference", ErrorCode::link_error},
    Sign{"cannot find -l", ErrorCode::link_error},
    // What a kernel declares itself; ptxas, by itself or within nvcc and NVRTC.
    Sign{"uses too much shared data", ErrorCode::too_much_shared_memory},
};

// NVRTC finds no fault with the source, but there is no kernel of the name that it was asked for; or fib saw
// that a Python source defines no such function.
bool lacks_entry_point(const std::string& log) {
  const auto messages = compile::diagnostics_of(log);
  const auto is_error = [](const auto& message) { return message.severity == "error"; };
  const auto is_of_name = [](const auto& message) { return message.file == "__nv_name_map"; };
  const auto is_of_python = [](const auto& message) {
    return message.line == 0 && !message.file.empty() && message.message.ends_with(" at module level");
  };
  return std::any_of(messages.begin(), messages.end(), is_of_python) ||
         (std::any_of(messages.begin(), messages.end(), is_of_name) &&
          std::all_of(messages.begin(), messages.end(),
                      [&](const auto& message) { return !is_error(message) || is_of_name(message); }));
}

}  // namespace

ErrorCode code_of_build(const std::string& log) {
  if (lacks_entry_point(log)) return ErrorCode::missing_symbol;
  return first_of(kBuilds, log).value_or(ErrorCode::compile_error);
}

ErrorCode code_of_launch_plan(const std::string& error) {
  return first_of(kLargeLaunches, error).value_or(ErrorCode::bad_launch);
}

namespace {

// On CUDA memory that is missing comes before what else an answer says.
std::optional<ErrorCode> code_of_answer(std::string_view text, bool on_cuda) {
  const auto of_any = first_of(kAnswers, text);
  if (!on_cuda || of_any == ErrorCode::out_of_memory) return of_any;
  auto of_cuda = first_of(kLargeLaunches, text);
  if (!of_cuda) of_cuda = first_of(kCudaAnswers, text);
  return of_cuda ? of_cuda : of_any;
}

ErrorCode code_of_run(const Failure& failure, bool on_cuda) {
  switch (failure.kind) {
    case Failure::Kind::kTimeout:
      return ErrorCode::timeout;
    case Failure::Kind::kProtocol:
      return ErrorCode::broken_protocol;
    case Failure::Kind::kDied:
      return first_of(kEnds, failure.text).value_or(ErrorCode::crash);
    case Failure::Kind::kRefused:
      break;
  }
  if (const auto code = caught(failure.text)) return *code;
  return code_of_answer(failure.text, on_cuda).value_or(ErrorCode::exception);
}

ErrorCode code_of_load(const Failure& failure, bool on_cuda) {
  if (failure.kind == Failure::Kind::kTimeout) return ErrorCode::load_timeout;
  if (failure.kind != Failure::Kind::kRefused) return code_of_run(failure, on_cuda);
  if (const auto code = first_of(kLoadAnswers, failure.text)) return *code;
  const auto code = code_of_answer(failure.text, on_cuda);
  const bool says_more = code == ErrorCode::bad_launch || code == ErrorCode::too_many_threads ||
                         code == ErrorCode::too_much_shared_memory || code == ErrorCode::out_of_memory;
  return says_more ? *code : ErrorCode::load_error;
}

constexpr std::size_t kLongestName = 64;

bool is_of_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// The word that begins with `start`, where it stands behind `before`.
std::string word_behind(std::string_view text, std::string_view before, std::string_view start) {
  const std::size_t at = text.find(std::string(before).append(start));
  if (at == std::string_view::npos) return "";
  text.remove_prefix(at + before.size());
  const auto end =
      std::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(start.size()), text.end(), is_of_name);
  return std::string(text.begin(), end);
}

// "torch.cuda.OutOfMemoryError" of "torch.cuda.OutOfMemoryError: no memory", or alone; empty: no such name.
std::string exception_name(std::string_view text) {
  const std::string_view name = text.substr(0, text.find_first_of(":\n"));
  const bool is_name =
      !name.empty() && std::isalpha(static_cast<unsigned char>(name.front())) != 0 &&
      std::all_of(name.begin(), name.end(), [](char c) { return is_of_name(c) || c == '.'; });
  return is_name ? std::string(name) : "";
}

FailureFacts named(ErrorCode code, const Failure& failure) {
  FailureFacts facts{code};
  facts.error = error_name(failure.text);
  return facts;
}

}  // namespace

FailureFacts facts_of_load(const Failure& failure, bool on_cuda) {
  return named(code_of_load(failure, on_cuda), failure);
}

FailureFacts facts_of_run(const Failure& failure, bool on_cuda) {
  return named(code_of_run(failure, on_cuda), failure);
}

std::string error_name(const std::string& text) {
  std::string name = word_behind(text, "", "CUDA_ERROR_");
  if (name.empty()) name = word_behind(text, "(", "cudaError");
  if (name.empty()) name = word_behind(text, "ended with ", "SIG");
  if (name.empty()) name = word_behind(text, "returned the error code ", "-");
  if (name.empty()) name = word_behind(text, "returned the error code ", "");
  if (name.empty()) name = exception_name(text);
  return name.substr(0, kLongestName);
}

namespace {

// Of an element's text; nothing where it is no finite number.
std::optional<double> number_in(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !std::isfinite(value)) return std::nullopt;
  return value;
}

model::RecordedMismatch recorded_mismatch(const eval::Mismatch& mismatch) {
  model::RecordedMismatch recorded;
  recorded.output = mismatch.output;
  recorded.index = mismatch.index;
  recorded.got = mismatch.got;
  recorded.expected = mismatch.expected;
  const auto got = number_in(mismatch.got);
  const auto expected = number_in(mismatch.expected);
  if (got && expected && mismatch.unwritten == 0) {
    recorded.absolute_error = std::abs(*got - *expected);
    recorded.relative_error = *recorded.absolute_error / (std::abs(*expected) + eval::kRelativeFloor);
  }
  recorded.wrong = mismatch.wrong;
  recorded.unwritten = mismatch.unwritten;
  recorded.elements = mismatch.elements;
  if (mismatch.elements > 0)
    recorded.matched_ratio =
        static_cast<double>(mismatch.elements - mismatch.wrong) / static_cast<double>(mismatch.elements);
  if (!mismatch.pattern.empty()) recorded.pattern = mismatch.pattern;
  return recorded;
}

}  // namespace

model::RecordedFailure failure_record(const FailureFacts& facts, model::Status status, const std::string& log,
                                      const std::vector<model::SourceFile>& sources) {
  const model::ErrorFacts& known = model::facts_of(facts.code);
  model::RecordedFailure record;
  record.code = known.name;
  record.stage = status == model::Status::COMPILE_ERROR ? "build" : known.stage;
  const bool is_of_device = facts.code == model::ErrorCode::device_error;
  record.fault = name_of(is_of_device ? model::Fault::machine : model::Fault::solution);
  record.retryable = known.retryable;
  record.violation = known.violation;
  if (!facts.error.empty()) record.error = facts.error;
  record.call = facts.call;
  record.skipped_after = facts.skipped_after;
  if (facts.mismatch) {
    record.mismatch = recorded_mismatch(*facts.mismatch);
  }
  constexpr std::size_t kMostDiagnostics = 10;
  auto messages = compile::diagnostics_of(log, sources, kMostDiagnostics + 1);
  if (messages.size() > kMostDiagnostics) {
    messages.resize(kMostDiagnostics);
    record.diagnostics_cut = true;
  }
  for (auto& one : messages) {
    model::RecordedDiagnostic recorded;
    recorded.severity = one.severity;
    if (!one.file.empty()) recorded.file = one.file;
    if (one.line > 0) recorded.line = one.line;
    if (one.column > 0) recorded.column = one.column;
    recorded.message = one.message;
    if (!one.source.empty()) recorded.source = one.source;
    if (!record.diagnostics) record.diagnostics.emplace();
    record.diagnostics->push_back(std::move(recorded));
  }
  return record;
}

}  // namespace fib::bench
