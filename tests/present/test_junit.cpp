#include <catch2/catch.hpp>

#include "present/junit.h"

using namespace fib::present;

TEST_CASE("times of JUnit are decimals without exponents") {
  const auto text = [](double seconds) {
    JUnitCase one{"a"};
    one.seconds = seconds;
    return junit_document("fib", {{"s", {one}}});
  };
  CHECK_THAT(text(2.1e-6), Catch::Contains("time=\"0.0000021\""));
  CHECK_THAT(text(1e-11), Catch::Contains("time=\"0.00000000001\""));
  CHECK_THAT(text(0.5), Catch::Contains("time=\"0.5\""));
}

TEST_CASE("a JUnit document counts its cases") {
  JUnitCase failed{"second"};
  failed.failure = "first line\nsecond <line>";
  failed.seconds = 0.5;
  JUnitCase skipped{"third"};
  skipped.skipped = "";
  skipped.output = "a & b\x01\xEF\xBF\xBE";
  CHECK(junit_document("fib", {{"suite \"1\"", {{"first"}, failed, skipped}}, {"empty", {}}}) ==
        R"(<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="fib" tests="3" failures="1" errors="0" skipped="1">
  <testsuite name="suite &quot;1&quot;" tests="3" failures="1" errors="0" skipped="1">
    <testcase classname="suite &quot;1&quot;" name="first">
    </testcase>
    <testcase classname="suite &quot;1&quot;" name="second" time="0.5">
      <failure message="first line">first line&#10;second &lt;line&gt;</failure>
    </testcase>
    <testcase classname="suite &quot;1&quot;" name="third">
      <skipped/>
      <system-out>a &amp; b��</system-out>
    </testcase>
  </testsuite>
  <testsuite name="empty" tests="0" failures="0" errors="0" skipped="0">
  </testsuite>
</testsuites>
)");
}
