#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <set>

#include "bench/held_results.h"

// Which of a solution's results are counted before they stand.
using namespace fib;
using bench::HeldResult;
using bench::HeldResults;
using model::Status;

namespace {

constexpr std::int64_t kSecondNs = 1'000'000'000;

// Results of one solution on five workloads.
struct Held {
  explicit Held(const std::string& name = "s") {
    solution.name = name;
    for (std::size_t i = 0; i < workloads.size(); ++i) {
      workloads[i].uuid = std::to_string(i);
      planned[i].solution = &solution;
      planned[i].workload = &workloads[i];
      HeldResult result;
      result.planned = &planned[i];
      result.measurement.status = Status::PASSED;
      result.measurement.counted.emplace().tells = true;
      results.add(result, 0);
    }
  }
  std::vector<HeldResult> count(
      const std::string& secret, const std::function<void(HeldResult&)>& change = [](auto&) {}) {
    return results.counted(secret, [&](HeldResult& result) {
      counted.push_back(static_cast<std::size_t>(result.planned - planned.data()));
      change(result);
      return counted.size() != interrupted_at;
    });
  }

  model::Solution solution;
  std::array<model::Workload, 5> workloads;
  std::array<bench::PlannedEvaluation, 5> planned;
  HeldResults results;
  std::vector<std::size_t> counted;
  std::size_t interrupted_at = 0;
};

}  // namespace

TEST_CASE("one result is counted for all, on a workload that the run's secret and the solution choose") {
  std::set<std::size_t> chosen;
  int differ = 0;
  for (int run = 0; run < 40; ++run) {
    const std::string secret = std::to_string(run);
    Held held;
    const auto results = held.count(secret);
    REQUIRE(held.counted.size() == 1);
    chosen.insert(held.counted[0]);
    REQUIRE(results.size() == 5);
    for (std::size_t i = 0; i < results.size(); ++i) CHECK(results[i].planned == &held.planned.at(i));
    CHECK(held.count(secret).empty());  // they are given back once

    Held same;
    same.count(secret);
    CHECK(same.counted == held.counted);
    Held other("another");
    other.count(secret);
    differ += other.counted == held.counted ? 0 : 1;
  }
  CHECK(chosen.size() == 5);
  CHECK(differ > 10);
}

TEST_CASE("each result is counted where the first count finds something, or comes to nothing") {
  const auto fail = [](HeldResult& result) { result.measurement.status = Status::RUNTIME_ERROR; };
  const auto leave_out = [](HeldResult& result) {
    result.obstacle = model::Obstacle{model::ObstacleCode::busy_device, "the GPU is busy"};
  };
  using Change = std::function<void(HeldResult&)>;
  for (const auto& change : {Change(fail), Change(leave_out)}) {
    Held held;
    const auto results = held.count("secret", [&](HeldResult& result) {
      if (held.counted.size() == 1) change(result);
    });
    CHECK(std::set<std::size_t>(held.counted.begin(), held.counted.end()).size() == 5);
    REQUIRE(results.size() == 5);
    for (std::size_t i = 0; i < results.size(); ++i) {
      CHECK(results[i].planned == &held.planned.at(i));
      CHECK(results[i].passed() == (i != held.counted.front()));
    }
  }
}

TEST_CASE("each result is counted where the median of the first says too little") {
  Held held;
  const auto results = held.count(
      "secret", [&](HeldResult& result) { result.measurement.latency_is_mean = held.counted.size() == 1; });
  CHECK(held.counted.size() == 5);
  CHECK(std::all_of(results.begin(), results.end(), [](const auto& result) { return result.passed(); }));
}

TEST_CASE("a second result is counted where the first one's work was so little that it tells of no other") {
  for (const bool second_tells : {false, true}) {
    Held held;
    const auto results = held.count("secret", [&](HeldResult& result) {
      result.measurement.counted->tells = held.counted.size() > 1 && second_tells;
    });
    CHECK(held.counted.size() == 2);
    CHECK(results.size() == 5);
  }
}

TEST_CASE("an interrupted count gives no result back") {
  Held held;
  held.interrupted_at = 1;
  CHECK(held.count("secret").empty());
  CHECK(held.counted.size() == 1);
}

TEST_CASE("results of another solution are told from those that are held") {
  Held held;
  model::Solution other;
  other.name = held.solution.name;
  CHECK_FALSE(held.results.are_of_another(held.solution));
  CHECK(held.results.are_of_another(other));
  held.count("secret");
  CHECK_FALSE(held.results.are_of_another(other));
}

TEST_CASE("results are held for a minute, and 64 of them, at most") {
  HeldResults results;
  CHECK_FALSE(results.are_due(1000 * kSecondNs));
  results.add({}, 5 * kSecondNs);
  results.add({}, 50 * kSecondNs);
  CHECK_FALSE(results.are_due(64 * kSecondNs));
  CHECK(results.are_due(65 * kSecondNs));
  for (int i = 0; i < 61; ++i) results.add({}, 50 * kSecondNs);
  CHECK_FALSE(results.are_due(50 * kSecondNs));
  results.add({}, 50 * kSecondNs);
  CHECK(results.are_due(50 * kSecondNs));
}
