#include <sys/mman.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <optional>
#include <thread>

#include "emulation/emulation.h"
#include "util/clock.h"
#include "util/files.h"
#include "worker/channel.h"
#include "worker/cuda_doors.h"
#include "worker/judge_document.h"
#include "worker/judge_main.h"
#include "worker/judge_messages.h"

// The judge's process on a GPU, on the emulated one (tests/emulation), as a thread that is asked by messages.
using namespace fib;
using worker::MessageType;

namespace {

class Judge {
 public:
  Judge() {
    CHECK(receive().type == MessageType::kHello);
    static const auto kernels = emulation::kernels();
    const worker::UseDevice use{emulation::uuid(), kernels.string(), worker::Flush::kClean, 0};
    CHECK(ask(MessageType::kUseDevice, use.encode()).type == MessageType::kDeviceReady);
  }
  ~Judge() {
    channels_.first.close();
    thread_.join();
  }
  Judge(const Judge&) = delete;
  Judge& operator=(const Judge&) = delete;

  worker::Message ask(MessageType type, const std::string& payload, const std::vector<int>& fds = {}) {
    REQUIRE(channels_.first.send(type, ++ticket_, payload, fds));
    return receive();
  }

 private:
  worker::Message receive() {
    worker::Message message;
    REQUIRE(channels_.first.receive(message, util::monotonic_ns() + 20'000'000'000) ==
            worker::Channel::Result::kMessage);
    return message;
  }
  void serve() {
    (void)worker::run_judge(util::UniqueFd(::dup(channels_.second.fd())), [](const worker::UseDevice& use) {
      return worker::make_cuda_judge_device(use, emulation::driver());
    });
    channels_.second.close();
  }

  std::pair<worker::Channel, worker::Channel> channels_ = worker::Channel::make_pair();
  std::uint64_t ticket_ = 0;
  std::thread thread_{[this] { serve(); }};
};

// The inputs of one of its doors, as a worker that has them in its memory sees them.
class Door {
 public:
  Door(Judge& judge, const worker::JudgeOpened& opened, bool of_solution, std::uint32_t places)
      : judge_(judge), stride_(opened.layout.input_stride()), bytes_(opened.layout.input_bytes) {
    auto answer =
        judge.ask(MessageType::kAttach, worker::Attach{opened.workload, true, of_solution, places}.encode());
    REQUIRE(answer.type == MessageType::kAttached);
    number_ = worker::Attached::decode(answer.payload).door;
    inputs_ = std::move(answer.fds.at(0));
    data_ = static_cast<std::byte*>(
        mmap(nullptr, places * stride_, PROT_READ | PROT_WRITE, MAP_SHARED, inputs_.get(), 0));
    size_ = places * stride_;
    REQUIRE(data_ != MAP_FAILED);
  }
  ~Door() { munmap(data_, size_); }
  Door(const Door&) = delete;
  Door& operator=(const Door&) = delete;

  void fill(const std::vector<worker::SetId>& sets) {
    CHECK(judge_.ask(MessageType::kFill, worker::SetsRequest{number_, sets}.encode()).type ==
          MessageType::kFilled);
  }
  [[nodiscard]] std::byte* at(std::uint32_t place) const { return data_ + place * stride_; }
  [[nodiscard]] std::string inputs(std::uint32_t place = 0) const {
    return {reinterpret_cast<const char*>(at(place)), bytes_};
  }

 private:
  Judge& judge_;
  std::uint64_t stride_;
  std::uint64_t bytes_;
  std::uint32_t number_ = 0;
  util::UniqueFd inputs_;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

worker::JudgeOpened open_workload(Judge& judge) {
  worker::JudgeDocument document;
  document.definition = model::parse_definition(
      R"({"name": "d", "op_type": "o", "axes": {"n": {"type": "const", "value": 300}},
        "inputs": {"x": {"shape": ["n"], "dtype": "float32"}, "scale": {"shape": null, "dtype": "float32"}},
        "outputs": {"y": {"shape": ["n"], "dtype": "float32"}}, "reference": "def run(x, scale): pass"})");
  document.workload = model::parse_workload(
      R"({"axes": {}, "inputs": {"scale": {"type": "scalar", "value": 2.5}}, "uuid": "w"})");
  document.secret = "secret";
  const util::UniqueFd file(::memfd_create("document", MFD_CLOEXEC));
  util::write_all(file.get(), document.to_json(), "cannot write the document");
  const auto answer = judge.ask(MessageType::kJudgeOpen, {}, {file.get()});
  INFO(answer.payload);
  REQUIRE(answer.type == MessageType::kJudgeOpened);
  return worker::JudgeOpened::decode(answer.payload);
}

}  // namespace

TEST_CASE("a set that lies at the reference's door on a device is copied from there to a solution's") {
  Judge judge;
  const auto opened = open_workload(judge);
  Door reference(judge, opened, false, 2);
  Door solution(judge, opened, true, 1);
  reference.fill({{"own", 0}, {"own", 1}});
  solution.fill({{"own", 1}});
  CHECK(solution.inputs() == reference.inputs(1));
  CHECK(solution.inputs() != reference.inputs(0));

  // Where it comes from is seen by what nobody but the reference's worker could have left there.
  *reference.at(1) ^= std::byte{1};
  solution.fill({{"own", 1}});
  CHECK(solution.inputs() == reference.inputs(1));
  // Other sets are made, smaller ones of the same number too, and so are all at the reference's door.
  const std::string second = reference.inputs(1);
  solution.fill({{"own", 1, true}});
  CHECK(solution.inputs() != second);
  solution.fill({{"own", 2}});
  const std::string third = solution.inputs();
  reference.fill({{"own", 2}});
  CHECK(reference.inputs() == third);
  // What lay there before the last request to fill is not looked for.
  solution.fill({{"own", 1}});
  CHECK(solution.inputs() != second);
  *reference.at(1) ^= std::byte{1};
  CHECK(solution.inputs() == reference.inputs(1));
}

TEST_CASE("no solution's inputs are copied from those of another door of a solution") {
  Judge judge;
  const auto opened = open_workload(judge);
  Door first(judge, opened, true, 1);
  Door second(judge, opened, true, 1);
  first.fill({{"own", 0}});
  const std::string made = first.inputs();
  *first.at(0) ^= std::byte{1};
  second.fill({{"own", 0}});
  CHECK(second.inputs() == made);
}
