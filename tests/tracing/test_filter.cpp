#include <catch2/catch.hpp>

#include "tracing/filter.h"

using namespace fib;
using arguments::Case;
using arguments::Signature;
using tracing::Filter;
using Kind = tracing::FilterPolicy::Kind;

namespace {

// A definition whose inputs are one vector for each of these axes.
Signature signature_of(const std::vector<std::string>& axes) {
  std::string axes_text, inputs;
  for (const auto& axis : axes) {
    const std::string comma = axes_text.empty() ? "" : ",";
    axes_text += comma + "\"" + axis + R"(":{"type":"var"})";
    inputs += comma + "\"x_" + axis + R"(":{"shape":[")" + axis + R"("],"dtype":"float32"})";
  }
  return Signature(
      model::parse_definition(R"({"name":"d","op_type":"t","axes":{)" + axes_text + R"(},"inputs":{)" +
                              inputs + R"(},"outputs":{"y":{"shape":[")" + axes[0] +
                              R"("],"dtype":"float32"}},"reference":"def run():\n    pass\n"})"));
}

Case sizes(const std::vector<std::int64_t>& values) {
  Case found;
  std::copy(values.begin(), values.end(), found.axes.begin());
  return found;
}

}  // namespace

TEST_CASE("all calls are kept, or none") {
  const auto signature = signature_of({"n"});
  Filter all({Kind::all, 1}, signature);
  Filter none({Kind::none, 1}, signature);
  for (int i = 0; i < 3; ++i) {
    CHECK(all.take(sizes({4})));
    CHECK_FALSE(none.take(sizes({4})));
  }
}

TEST_CASE("the first k calls are kept, whatever their sizes") {
  Filter filter({Kind::first, 2}, signature_of({"n"}));
  CHECK(filter.take(sizes({4})));
  CHECK(filter.take(sizes({5})));
  CHECK_FALSE(filter.take(sizes({6})));
  filter.give_back(sizes({5}));
  CHECK(filter.take(sizes({6})));
  CHECK_FALSE(filter.take(sizes({6})));
}

TEST_CASE("the first k calls of each combination of axes are kept") {
  Filter filter({Kind::first_by_axes, 2}, signature_of({"m", "n"}));
  CHECK(filter.take(sizes({1, 2})));
  CHECK(filter.take(sizes({2, 1})));
  CHECK(filter.take(sizes({1, 2})));
  CHECK_FALSE(filter.take(sizes({1, 2})));
  CHECK(filter.take(sizes({2, 1})));
  filter.give_back(sizes({1, 2}));
  CHECK(filter.take(sizes({1, 2})));
  CHECK_FALSE(filter.take(sizes({1, 2})));
  Case elsewhere = sizes({1, 2});
  elsewhere.device_type = 2;
  elsewhere.device_id = 1;
  CHECK_FALSE(filter.take(elsewhere));  // the device does not count
}

TEST_CASE("attention over pages is told apart by average lengths") {
  // Axes: batch_size, num_pages, len_indptr, num_kv_indices.
  Filter filter({Kind::attention, 1},
                signature_of({"batch_size", "num_pages", "len_indptr", "num_kv_indices"}));
  CHECK(filter.take(sizes({4, 1000, 5, 40})));
  CHECK_FALSE(filter.take(sizes({4, 2000, 5, 40})));  // the size of the cache does not count
  CHECK_FALSE(filter.take(sizes({4, 1000, 5, 41})));  // 10.25 is 10
  CHECK_FALSE(filter.take(sizes({4, 1000, 5, 42})));  // 10.5 is 10, the even one
  CHECK(filter.take(sizes({4, 1000, 5, 43})));        // 10.75 is 11
  CHECK_FALSE(filter.take(sizes({4, 1000, 5, 45})));  // 11.25
  CHECK(filter.take(sizes({4, 1000, 5, 46})));        // 11.5 is 12, the even one
  CHECK(filter.take(sizes({8, 1000, 9, 80})));        // another batch size
  CHECK(filter.take(sizes({0, 1000, 1, 0})));         // no sequences: averages of 0
  CHECK_FALSE(filter.take(sizes({0, 1000, 1, 7})));
}

TEST_CASE("attention of prefills is told apart by queries too") {
  Filter filter({Kind::attention, 2}, signature_of({"len_indptr", "total_q", "num_kv_indices", "num_pages"}));
  CHECK(filter.take(sizes({3, 20, 60, 100})));
  CHECK(filter.take(sizes({5, 40, 120, 100})));  // other sequences, the same averages
  CHECK_FALSE(filter.take(sizes({3, 20, 60, 100})));
  CHECK(filter.take(sizes({3, 40, 60, 100})));
}

TEST_CASE("attention over ragged sequences is traced") {
  Filter filter({Kind::attention, 1}, signature_of({"total_q", "total_kv", "len_indptr"}));
  CHECK(filter.take(sizes({8, 80, 3})));
  CHECK_FALSE(filter.take(sizes({8, 81, 3})));  // 40.5 is 40
  CHECK(filter.take(sizes({8, 90, 3})));
  CHECK(filter.take(sizes({10, 80, 3})));
}

TEST_CASE("attention without lengths is told apart by all axes") {
  Filter filter({Kind::attention, 1}, signature_of({"num_pages", "total_kv"}));
  CHECK(filter.take(sizes({1, 2})));
  CHECK(filter.take(sizes({2, 2})));
  CHECK_FALSE(filter.take(sizes({1, 2})));
}
