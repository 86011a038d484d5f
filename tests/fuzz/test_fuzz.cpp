#include <sys/resource.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "fuzz/targets.h"

using namespace fib;

namespace {

constexpr int kInputs = 100'000;  // a target
constexpr std::size_t kLongest = 4096;

using Random = std::mt19937_64;

std::size_t below(Random& random, std::size_t limit) { return limit == 0 ? 0 : random() % limit; }

void mutate(std::string& input, const fuzz::Target& target, Random& random) {
  const std::size_t at = below(random, input.size() + 1);
  const std::size_t length = 1 + below(random, 16);
  switch (random() % 7) {
    case 0:
      if (at < input.size()) input[at] = static_cast<char>(input[at] ^ (1U << (random() % 8)));
      break;
    case 1:
      if (at < input.size()) input[at] = static_cast<char>(random());
      break;
    case 2:
      input.erase(at, length);
      break;
    case 3:
      input.insert(at, target.fragments[below(random, target.fragments.size())]);
      break;
    case 4:
      input.insert(at, input.substr(below(random, input.size() + 1), length));
      break;
    case 5:
      input.resize(at);
      break;
    default: {
      const std::string& other = target.seeds[below(random, target.seeds.size())];
      input = input.substr(0, at) + other.substr(below(random, other.size() + 1));
    }
  }
  if (input.size() > kLongest) input.resize(kLongest);
}

std::string as_hex(const std::string& input) {
  std::string text;
  for (const char c : input) {
    const char* digits = "0123456789abcdef";
    text += digits[static_cast<unsigned char>(c) >> 4U];
    text += digits[static_cast<unsigned char>(c) & 15U];
  }
  return text;
}

// What is wrong with reading `input`; empty when nothing is.
std::string problem_of(const fuzz::Target& target, const std::string& input) {
  try {
    target.read(input);
    return "";
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "something that is no std::exception";
  }
}

// Four times what these tests need: an input that allocates without bound fails with std::bad_alloc.
void limit_memory() {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  constexpr rlim_t kBytes = rlim_t{512} << 20U;
  const rlimit limit{kBytes, kBytes};
  REQUIRE(::setrlimit(RLIMIT_DATA, &limit) == 0);
#endif
}

}  // namespace

TEST_CASE("whatever bytes come in, readers refuse or accept, and agree with what they write") {
  limit_memory();
  for (const auto& target : fuzz::targets()) {
    Random random(20260101);
    int failures = 0;
    for (const auto& seed : target.seeds) CHECK(problem_of(target, seed).empty());
    for (int i = 0; i < kInputs && failures < 3; ++i) {
      std::string input = target.seeds[below(random, target.seeds.size())];
      for (std::size_t rounds = 1 + below(random, 6); rounds > 0; --rounds) mutate(input, target, random);
      const std::string problem = problem_of(target, input);
      if (problem.empty()) continue;
      ++failures;
      INFO(target.name << ", input " << i << ", as hex: " << as_hex(input));
      CHECK(problem == "");
    }
  }
}
