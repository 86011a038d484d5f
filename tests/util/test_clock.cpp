#include <catch2/catch.hpp>

#include "util/clock.h"

using fib::util::parse_timestamp;

TEST_CASE("times are read with and without seconds, fractions and offsets") {
  const std::int64_t day = 1'773'705'600'000'000;  // 2026-03-17 in UTC
  CHECK(parse_timestamp("1970-01-01") == 0);
  CHECK(parse_timestamp("2026-03-17") == day);
  CHECK(parse_timestamp("2026-03-17T14:18") == day + (14 * 60 + 18) * 60'000'000LL);
  const std::int64_t time = day + ((14 * 60 + 18) * 60 + 19) * 1'000'000LL;
  CHECK(parse_timestamp("2026-03-17 14:18:19") == time);
  CHECK(parse_timestamp("2026-03-17T14:18:19.827915+00:00") == time + 827'915);
  CHECK(parse_timestamp("2026-03-17T14:18:19.5Z") == time + 500'000);
  CHECK(parse_timestamp("2026-03-17T14:18:19.827915999") == time + 827'915);
  CHECK(parse_timestamp("2026-03-17T16:18:19+02:00") == time);
  CHECK(parse_timestamp("2026-03-17T12:48:19-0130") == time);
  CHECK(parse_timestamp("2026-03-17T14:18:19.000001") == time + 1);
  CHECK(parse_timestamp("2026-03-17T16:18+02:00") == time - 19'000'000);
}

TEST_CASE("what is no time is none") {
  for (const char* text : {"",
                           "t",
                           "2026",
                           "2026-02-30",
                           "2026-13-01",
                           "2026-03-17T24:00",
                           "2026-03-17T10:60",
                           "2026-03-17T10:00:00+",
                           "2026-03-17x",
                           "17.3.2026",
                           "2026-03-17T",
                           "2026-03-17T10",
                           "2026-03-17T10:00:",
                           "2026-03-17T10:00:00.",
                           "2026-03-17T10:00:61",
                           "2026-03-17T10:00:00.1234567890",
                           "2026-03-17T10:00:00+01:0",
                           "2026-03-17Z",
                           "2026-03-17T10:00:00Zx",
                           "2026-03-17T-1:00",
                           "2026-0-117"}) {
    INFO(text);
    CHECK_FALSE(parse_timestamp(text).has_value());
  }
}
