#include <catch2/catch.hpp>

#include "report/hardware.h"
#include "report/sample_dataset.h"

using namespace fib;
using testing::SampleTrace;

namespace {

std::string name_of(std::size_t i) { return "H" + std::to_string(1000 + i); }

// One trace of each of `count` kinds of hardware, and one more of the last.
dataset::Dataset with_hardware(std::size_t count) {
  const testing::TemporaryDataset files;
  files.write("definitions/d.json", testing::definition_text("d"));
  std::string text;
  for (std::size_t i = 0; i < count; ++i)
    text += SampleTrace{.definition = "d", .solution = "s", .hardware = name_of(i)}.line();
  text +=
      SampleTrace{.definition = "d", .solution = "s", .uuid = "w2", .hardware = name_of(count - 1)}.line();
  files.write("traces/t.jsonl", text);
  return dataset::load(files.root());
}

}  // namespace

TEST_CASE("as many kinds of hardware as machines have are all shown") {
  const auto shown = report::shown_hardware(with_hardware(report::kMostHardware), {});
  CHECK(shown.names.size() == report::kMostHardware);
  CHECK(shown.left_out == 0);
  CHECK(shown.left_out_text() == "");
}

TEST_CASE("of more the ones with the most traces are shown, sorted, and the others told") {
  const auto loaded = with_hardware(report::kMostHardware + 3);
  const auto shown = report::shown_hardware(loaded, {});
  REQUIRE(shown.names.size() == report::kMostHardware);
  CHECK(shown.left_out == 3);
  CHECK(shown.names.front() == name_of(0));
  CHECK(shown.names.back() == name_of(report::kMostHardware + 2));
  CHECK(shown.names[report::kMostHardware - 2] == name_of(report::kMostHardware - 2));
  CHECK(shown.left_out_text() ==
        "Of 67 kinds of hardware the 64 with the most traces are shown; --hardware NAME shows others");
  CHECK(report::shown_hardware(loaded, {.definition = "other"}).names.empty());
}
