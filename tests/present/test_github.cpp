#include <catch2/catch.hpp>

#include "present/github.h"

using namespace fib::present;

TEST_CASE("annotations are workflow commands") {
  CHECK(annotation(Annotation::notice, "", "all good") == "::notice::all good\n");
  CHECK(annotation(Annotation::error, "slower", "a\nb 5%") == "::error title=slower::a%0Ab 5%25\n");
  CHECK(annotation(Annotation::error, "a\x1b[31m", "b\x1b[0m\x7f\x01\n") ==
        "::error title=a?[31m::b?[0m??%0A\n");
  CHECK(annotation(Annotation::error,
                   "a\xc2\x9b"
                   "31m",
                   "b\xe2\x80\xae"
                   "c\td") == "::error title=a?31m::b?c\td\n");
  CHECK(annotation(Annotation::warning, "a, b: c", "x", {"dir/f.json", 3}) ==
        "::warning file=dir/f.json,line=3,title=a%2C b%3A c::x\n");
}

TEST_CASE("of many annotations of a kind the first ten are written, and how many more there are") {
  FirstAnnotations errors;
  for (int i = 0; i < 10; ++i) errors.add(annotation(Annotation::error, "", std::to_string(i)));
  CHECK_THAT(errors.text("error"), Catch::EndsWith("::error::9\n"));
  errors.add(annotation(Annotation::error, "", "10"));
  CHECK_THAT(errors.text("error"), Catch::EndsWith("::error::9\n... and 1 more error\n"));
}
