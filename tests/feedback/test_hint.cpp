#include <catch2/catch.hpp>

#include "feedback/hint.h"
#include "model/error_code.h"

using namespace fib;
using feedback::hint_of;

namespace {

model::MeasurementRecord with_kernel(std::optional<std::uint64_t> local_bytes,
                                     std::optional<double> occupancy, bool own = true) {
  model::MeasurementRecord record;
  model::RecordedKernel kernel;
  kernel.name = "norm";
  kernel.own = own;
  kernel.share = 0.5;
  kernel.local_bytes = local_bytes;
  kernel.occupancy = occupancy;
  kernel.occupancy_limits = {"registers"};
  record.resources = {{kernel}};
  return record;
}

std::optional<roofline::Reached> at(double share, roofline::Binds binds = roofline::Binds::memory) {
  return roofline::Reached{{}, roofline::Bound{1, binds}, {}, {}, share};
}

}  // namespace

TEST_CASE("a failure's hint is the advice of its code") {
  model::MeasurementRecord record;
  record.failure.emplace().code = "timeout";
  CHECK(hint_of(record, std::nullopt) == std::string(model::find_error_facts("timeout")->advice));
  record.failure->code = "cuda_error";
  CHECK(hint_of(record, std::nullopt) == std::string(model::find_error_facts("cuda_error")->advice));
  for (const char* error :
       {"cudaErrorInvalidValue", "cudaErrorInvalidConfiguration", "CUDA_ERROR_INVALID_VALUE"}) {
    record.failure->error = error;
    CHECK_THAT(*hint_of(record, std::nullopt), Catch::Contains("its threads a block"));
  }
  record.failure->code = "too_many_threads";  // which says more than its error
  CHECK(hint_of(record, std::nullopt) == std::string(model::find_error_facts("too_many_threads")->advice));
  record.failure.emplace().code = "of a later version";
  CHECK_FALSE(hint_of(record, std::nullopt));
}

TEST_CASE("of a result that passed the hint says what its kernels' resources and the bound suggest") {
  CHECK_THAT(*hint_of(with_kernel(96, 0.1), at(0.2)),
             Catch::Contains("Each thread of norm keeps 96 bytes in local memory"));
  CHECK(*hint_of(with_kernel(0, 0.12), at(0.2)) ==
        "norm keeps a multiprocessor at 12 % of its warps, limited by registers.");
  CHECK(*hint_of(with_kernel(0, 0.9), at(0.2, roofline::Binds::compute)) ==
        "It is at 20 % of what the device's arithmetic allows: `fib profile` says what keeps its kernels "
        "from more.");
  CHECK(*hint_of(with_kernel(0, 0.12), at(0.9)) ==
        "It is at 90 % of what the device's memory allows: little is left to gain.");
  CHECK_FALSE(hint_of(with_kernel(0, 0.9), at(0.7)));
  CHECK_FALSE(hint_of(with_kernel(0, 0.9), at(1.3)));
  // Near the bound spills cost nothing that matters, nor do they in a kernel of next to no time.
  CHECK_THAT(*hint_of(with_kernel(96, 0.9), at(0.9)), Catch::Contains("little is left to gain"));
  auto short_one = with_kernel(96, 0.1);
  short_one.resources->front().share = 0.01;
  CHECK_THAT(*hint_of(short_one, at(0.2)), Catch::StartsWith("It is at 20 %"));
}

TEST_CASE("there is no hint where nothing is known, and none about a library's kernels") {
  CHECK_FALSE(hint_of({}, std::nullopt));
  CHECK_FALSE(hint_of(with_kernel(0, 0.9), std::nullopt));
  CHECK_FALSE(hint_of(with_kernel(96, 0.1, false), std::nullopt));
  // Of several kernels the one that takes the most time.
  auto record = with_kernel(96, 0.9);
  record.resources->push_back(record.resources->front());
  record.resources->back().name = "longer";
  record.resources->back().share = 0.9;
  CHECK_THAT(*hint_of(record, std::nullopt), Catch::Contains("Each thread of longer"));
}
