#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "feedback/digests.h"

using namespace fib;
using feedback::Circumstances;
using feedback::environment_digest;
using feedback::joint_digest;
using feedback::request_digest;

namespace {

model::MeasurementRecord record_on(const std::string& device) {
  model::MeasurementRecord record;
  record.solution_sha256 = "aa";
  record.definition_sha256 = "bb";
  record.version = "1";
  record.build_id = "cc";
  record.config = {{"rtol", 0.01}};
  record.device.emplace().kind = device;
  record.sandbox.emplace().mode = "auto";
  return record;
}

model::Workload workload(const std::string& uuid) {
  model::Workload made;
  made.uuid = uuid;
  return made;
}

std::string digest(const model::MeasurementRecord& record, const Circumstances& circumstances = {}) {
  return request_digest(record, workload("w"), circumstances);
}

}  // namespace

TEST_CASE("another source, definition, workload or option is another question") {
  const auto usual = record_on("cpu");
  CHECK(digest(usual) == digest(record_on("cpu")));
  auto other = usual;
  other.solution_sha256 = "ab";
  CHECK(digest(other) != digest(usual));
  other = usual;
  other.definition_sha256 = "ab";
  CHECK(digest(other) != digest(usual));
  other = usual;
  other.config["rtol"] = 0.02;
  CHECK(digest(other) != digest(usual));
  CHECK(request_digest(usual, workload("v"), {}) != digest(usual));
  other = usual;
  other.latency_is = "mean";  // an answer
  CHECK(digest(other) == digest(usual));
}

TEST_CASE("a try in an open sandbox is another question than one in a closed one") {
  auto open = record_on("cpu");
  open.sandbox->mode = "off";
  CHECK(digest(open) != digest(record_on("cpu")));
}

TEST_CASE("a try whose builds and calls may read more folders is another question") {
  CHECK(digest(record_on("cpu"), {.readable = {"/opt/lib"}}) != digest(record_on("cpu")));
  CHECK(digest(record_on("cpu"), {.readable = {"/opt/lib"}}) !=
        digest(record_on("cpu"), {.readable = {"/opt/other"}}));
}

TEST_CASE("a try on the inputs of a seed is another question than one on those of another seed, or of none") {
  const auto seeded = [](const std::string& seed) { return digest(record_on("cpu"), {.seed = seed}); };
  CHECK(seeded("5") == seeded("5"));
  CHECK(seeded("5") != seeded("6"));
  CHECK(seeded("5") != seeded(""));
}

TEST_CASE("on a GPU a try whose work may be counted is another question, and on a CPU nothing can be") {
  const auto counted = [](const std::string& device, const std::string& count_work) {
    return digest(record_on(device), {.count_work = count_work});
  };
  CHECK(counted("cuda", "one") != counted("cuda", "none"));
  CHECK(counted("cuda", "one") != counted("cuda", "each"));
  CHECK(counted("cpu", "one") == counted("cpu", "each"));
}

TEST_CASE("several requests are another question than one of them, or than the same in another order") {
  CHECK(joint_digest({"a", "b"}) == joint_digest({"a", "b"}));
  CHECK(joint_digest({"a", "b"}) != joint_digest({"a"}));
  CHECK(joint_digest({"a", "b"}) != joint_digest({"b", "a"}));
  CHECK(joint_digest({"a", "b"}) != joint_digest({"ab"}));
}

TEST_CASE("another device, driver, compiler, package or build of fib is another environment") {
  const auto record = record_on("cuda");
  const model::Environment h200{"H200", {{"torch", "2.11"}}, {}};
  const auto usual = environment_digest(record, h200, {.tools = "driver 580"});
  CHECK(usual == environment_digest(record, h200, {.tools = "driver 580"}));
  CHECK(usual != environment_digest(record, h200, {.tools = "driver 581"}));
  CHECK(usual != environment_digest(record, {"H100", {{"torch", "2.11"}}, {}}, {.tools = "driver 580"}));
  CHECK(usual != environment_digest(record, {"H200", {{"torch", "2.12"}}, {}}, {.tools = "driver 580"}));
  auto other = record;
  other.build_id = "dd";
  CHECK(usual != environment_digest(other, h200, {.tools = "driver 580"}));
}
