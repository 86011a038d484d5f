#include <catch2/catch.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "model/definition.h"
#include "model/workload.h"
#include "util/clock.h"
#include "util/unique_fd.h"
#include "worker/channel.h"
#include "worker/worker_loop.h"

// A worker's loop, as a thread that is asked by messages, on a stage and a target that write down what they
// are asked.
using namespace fib;
using worker::Clock;
using worker::MessageType;

namespace {

using Asked = std::vector<std::string>;

class RecordingStage : public worker::Stage {
 public:
  explicit RecordingStage(Asked& asked) : asked_(asked) {}
  void open(const eval::Layout& /*layout*/, worker::SharedBuffers /*shared*/) override {}
  worker::Buffers buffers() override { return {}; }
  void fill(Clock clock, std::uint32_t place) override {
    asked_.push_back("fill " + worker::name_of(clock) + " " + std::to_string(place));
  }
  void flush() override {}
  worker::Done run(worker::Target& target, Clock /*clock*/) override {
    target.call();
    return {};
  }
  void take_output(const eval::Slot& /*slot*/, std::uint64_t /*address*/) override {}
  void* allocate(std::uint64_t /*bytes*/) override { return nullptr; }
  void free(void* /*memory*/) noexcept override {}
  bool collect() override {
    asked_.emplace_back("collect");
    return false;
  }
  void wait() override { asked_.emplace_back("wait"); }

 private:
  Asked& asked_;
};

struct FailingTarget : public worker::Target {
  explicit FailingTarget(int at) : fails_at(at) {}
  void open(const worker::Open& /*workload*/, const worker::Buffers& /*buffers*/) override {}
  void prepare() override {}
  void call() override {
    if (++calls == fails_at) throw Error("no");
  }
  std::vector<eval::OutputClaim> collect() override { return {}; }
  int fails_at;
  int calls = 0;
};

struct RecordingLoader : public worker::Loader {
  explicit RecordingLoader(int at) : fails_at(at) {}
  void confine(const worker::Confine& /*request*/) override {}
  std::unique_ptr<worker::Stage> start(const worker::Start& /*request*/,
                                       const std::vector<util::UniqueFd>& /*fds*/) override {
    return std::make_unique<RecordingStage>(asked);
  }
  std::unique_ptr<worker::Target> load(const worker::Load& /*request*/,
                                       const std::vector<util::UniqueFd>& /*fds*/, worker::Stage& /*stage*/,
                                       worker::Loaded& /*answer*/) override {
    return std::make_unique<FailingTarget>(fails_at);
  }
  Asked asked;
  int fails_at;
};

// What the stage is asked for three calls from place 1 on, of which the one of this number fails; and the
// answer's type.
std::pair<Asked, MessageType> calls_of(int fails_at) {
  RecordingLoader loader(fails_at);
  auto channels = worker::Channel::make_pair();
  std::thread loop([&] {
    (void)worker::serve_worker(util::UniqueFd(::dup(channels.second.fd())), loader);
    channels.second.close();
  });
  worker::Message message;
  const auto receive = [&] {
    REQUIRE(channels.first.receive(message, util::monotonic_ns() + 20'000'000'000) ==
            worker::Channel::Result::kMessage);
    return message.type;
  };
  const auto ask = [&](MessageType type, const std::string& payload, const std::vector<int>& fds = {}) {
    REQUIRE(channels.first.send(type, 1, payload, fds));
    return receive();
  };
  const auto layout =
      eval::make_layout(model::parse_definition(
                            R"({"name": "d", "op_type": "o", "axes": {"n": {"type": "const", "value": 3}},
          "inputs": {"x": {"shape": ["n"], "dtype": "float32"}}, "outputs": {"y": {"shape": ["n"], "dtype": "float32"}},
          "reference": "def run(x): pass"})"),
                        model::parse_workload(R"({"axes": {}, "inputs": {}, "uuid": "w"})"));
  CHECK(receive() == MessageType::kHello);
  CHECK(ask(MessageType::kStart, worker::Start{}.encode()) == MessageType::kStarted);
  CHECK(ask(MessageType::kLoad, worker::Load{}.encode()) == MessageType::kLoaded);
  CHECK(ask(MessageType::kOpen, worker::Open{layout, {}, true, 4}.encode(), {0, 0}) == MessageType::kOpened);
  const auto answer = ask(MessageType::kCalls, worker::CallsRequest{Clock::kNone, 1, 3}.encode());
  channels.first.close();
  loop.join();
  return {loader.asked, answer};
}

}  // namespace

TEST_CASE("calls that nobody times are waited for once, at their end") {
  CHECK(calls_of(0) ==
        std::pair{Asked{"fill none 1", "collect", "fill none 2", "collect", "fill none 3", "collect", "wait"},
                  MessageType::kCalled});
}

TEST_CASE("what calls before one that fails have queued is waited for, too") {
  CHECK(calls_of(2) ==
        std::pair{Asked{"fill none 1", "collect", "fill none 2", "wait"}, MessageType::kError});
}
