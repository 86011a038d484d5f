#include <catch2/catch.hpp>
#include <fstream>
#include <set>
#include <sstream>

#include "model/obstacle.h"
#include "support/places.h"

using namespace fib::model;

TEST_CASE("every reason why an evaluation was not made has its facts at its place, and a name of its own") {
  std::set<std::string_view> names;
  for (const ErrorFacts& facts : all_error_facts()) names.insert(facts.name);
  const auto& all = all_obstacle_facts();
  for (std::size_t i = 0; i < all.size(); ++i) {
    CHECK(all[i].code == static_cast<ObstacleCode>(i));
    CHECK(&facts_of(all[i].code) == &all[i]);
    CHECK(find_obstacle_facts(all[i].name) == &all[i]);
    CHECK(names.insert(all[i].name).second);  // error codes have other names
    CHECK(all[i].meaning.ends_with('.'));
    CHECK(all[i].advice.ends_with('.'));
  }
  CHECK(all.back().code == ObstacleCode::unclear_work);
  CHECK(find_obstacle_facts("none") == nullptr);
}

TEST_CASE("an obstacle is for programs what its code says, and for people its text") {
  CHECK(json_of({ObstacleCode::busy_device, "the GPU is busy \xff"}).dump() ==
        R"({"code":"busy_device","stage":"time","fault":"machine","retryable":true,)"
        "\"reason\":\"the GPU is busy \xef\xbf\xbd\"}");
}

TEST_CASE("docs/error-codes.md has every reason why an evaluation was not made as it is, and no other") {
  std::ifstream file(fib::testing::source_folder() / "docs/error-codes.md");
  std::set<std::string> documented;
  bool is_there = false;
  for (std::string line; std::getline(file, line);) {
    is_there = is_there || line.starts_with("## No verdict");
    if (is_there && line.starts_with("| `")) documented.insert(line);
  }
  std::set<std::string> known;
  for (const ObstacleFacts& facts : all_obstacle_facts()) {
    std::ostringstream row;
    row << "| `" << facts.name << "` | " << facts.stage << " | " << name_of(facts.fault) << " | "
        << (facts.retryable ? "yes" : "") << " | " << facts.meaning << " |";
    known.insert(row.str());
  }
  CHECK(documented == known);
}
