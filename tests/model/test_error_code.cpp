#include <catch2/catch.hpp>
#include <fstream>
#include <set>
#include <sstream>

#include "model/error_code.h"
#include "support/places.h"

using namespace fib::model;

TEST_CASE("every error code has its facts at its place, and a name of its own") {
  std::set<std::string_view> names;
  const auto& all = all_error_facts();
  for (std::size_t i = 0; i < all.size(); ++i) {
    CHECK(all[i].code == static_cast<ErrorCode>(i));
    CHECK(&facts_of(all[i].code) == &all[i]);
    CHECK(find_error_facts(all[i].name) == &all[i]);
    CHECK(names.insert(all[i].name).second);
    CHECK(all[i].meaning.ends_with('.'));
    CHECK(all[i].advice.ends_with('.'));
  }
  CHECK(all.back().code == ErrorCode::clocks_disagree);
  CHECK(find_error_facts("none") == nullptr);
}

TEST_CASE("docs/error-codes.md has every code as it is, and no other") {
  std::ifstream file(fib::testing::source_folder() / "docs/error-codes.md");
  std::set<std::string> documented;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("## No verdict")) break;  // test_obstacle.cpp
    if (line.starts_with("| `")) documented.insert(line);
  }
  std::set<std::string> known;
  for (const ErrorFacts& facts : all_error_facts()) {
    std::ostringstream row;
    row << "| `" << facts.name << "` | " << facts.stage << " | " << (facts.violation ? "yes" : "") << " | "
        << (facts.retryable ? "yes" : "") << " | " << facts.meaning << " |";
    known.insert(row.str());
  }
  CHECK(documented == known);
}
