#include "worker/judge_main.h"

#include <sys/prctl.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "eval/difference.h"
#include "eval/evaluator.h"
#include "eval/host_evaluator.h"
#include "synthesis/input_sets.h"
#include "synthesis/inputs.h"
#include "util/files.h"
#include "util/hash.h"
#include "util/machine.h"
#include "worker/channel.h"
#include "worker/cuda_queues.h"
#include "worker/doors.h"
#include "worker/expected_store.h"
#include "worker/judge.h"
#include "worker/judge_document.h"
#include "worker/judge_messages.h"
#include "worker/messages.h"
#include "worker/output_sample.h"
#include "worker/serve.h"

namespace fib::worker {
namespace {

constexpr std::size_t kMaxJudgeDocument = 64 * 1024 * 1024;

// One workload: its layout, and how its sets are made.
struct OpenWorkload {
  JudgeDocument document;
  eval::Layout layout;
  std::unique_ptr<synthesis::InputSets> sets;
  ExpectedStore::Place expected{};  // where calls of solutions are compared
  // Outputs in whose place zeros are right; nothing: none was compared yet.
  std::optional<std::vector<std::string>> zeros_pass{};
};

// One pair of shared buffers, attached to one worker.
struct AttachedDoor {
  std::uint32_t workload = 0;
  std::unique_ptr<Door> buffers;
  std::vector<eval::PoisonElement> poison;  // at the place that was filled last
  // Of rules that need one; of solutions' doors only. Those of one workload at one time share it.
  std::shared_ptr<eval::HostEvaluator> evaluator;
  std::optional<SetId> judged{};  // by it, in the call before
  std::vector<SetId> filled{};    // of a reference's door: the sets at its first places
  bool on_device = false;
  bool has_private = false;  // the last place is the worker's private one
  bool of_solution = false;
  OutputSample sample{};  // of the private outputs, after a call
};

class JudgeProcess {
 public:
  JudgeProcess(util::UniqueFd socket, MakeJudgeDevice make_device)
      : channel_(std::move(socket)),
        make_device_(std::move(make_device)),
        host_(make_cpu_judge_device(util::usable_cores())),
        expected_(*host_) {}

  int run() {
    return serve(
        channel_, [this](Message& message) { return answer_or_end(message); },
        [this](MessageType) { return awake_ns_; });
  }

 private:
  // Where the device has failed no request is at fault and all later ones would fail: the judge ends, so that
  // another one takes its place.
  bool answer_or_end(const Message& message) {
    try {
      return answer(message);
    } catch (const std::exception& error) {
      if (!device().has_failed()) throw;
      std::fprintf(stderr, "%s\n", error.what());
      return false;
    }
  }

  bool answer(const Message& message) {
    const auto reply = [&](MessageType type, const std::string& payload, const std::vector<int>& fds = {}) {
      return channel_.send(type, message.ticket, payload, fds);
    };
    switch (message.type) {
      case MessageType::kUseDevice:
        use(UseDevice::decode(message.payload));
        return reply(MessageType::kDeviceReady, {});
      case MessageType::kJudgeOpen:
        return reply(MessageType::kJudgeOpened, open(message).encode());
      case MessageType::kDescribe:
        return reply(MessageType::kDescribed, device().describe().encode());
      case MessageType::kAttach: {
        const auto attach = Attach::decode(message.payload);
        const std::uint32_t door = open_door(attach);
        const Door& buffers = *doors_.at(door).buffers;
        return reply(MessageType::kAttached, attached(door).encode(), buffers.fds());
      }
      case MessageType::kDetach:
        detach(Number::decode(message.payload).value);
        return reply(MessageType::kDetached, {});
      case MessageType::kDiffer:
        return reply(MessageType::kDiffered, differ(DifferRequest::decode(message.payload)).encode());
      case MessageType::kKnows:
        return reply(MessageType::kKnown, knows(SetRequest::decode(message.payload)).encode());
      case MessageType::kLookAround:
        return reply(MessageType::kLookedAround, LookedAround{device().is_idle()}.encode());
      case MessageType::kAskCounters:
        return reply(MessageType::kCounted, Counted{device().counter_problem()}.encode());
      case MessageType::kBeginCount:
        return reply(MessageType::kCounted, Counted{device().begin_count()}.encode());
      case MessageType::kEndCount:
        return reply(MessageType::kCounted, device().end_count().encode());
      case MessageType::kSample:
        sample(Number::decode(message.payload).value);
        return reply(MessageType::kSampled, {});
      case MessageType::kTimeCopies:
        return reply(MessageType::kCopiesTimed, time_copies(Number::decode(message.payload).value).encode());
      case MessageType::kFill:
        fill(SetsRequest::decode(message.payload));
        return reply(MessageType::kFilled, {});
      case MessageType::kKeep:
        keep(SetsRequest::decode(message.payload));
        return reply(MessageType::kKept, {});
      case MessageType::kCompare:
        return reply(MessageType::kVerdict, compare(CompareRequest::decode(message.payload)).encode());
      case MessageType::kConclude:
        return reply(MessageType::kConcluded, conclude(Number::decode(message.payload).value).encode());
      default:
        throw ProtocolError("the judge does not know this request");
    }
  }

  void use(const UseDevice& device) {
    awake_ns_ = std::int64_t{device.awake_us} * 1000;
    device_ = make_device_(device);
    expected_.emplace(*device_);
  }

  // The device that solutions run on.
  JudgeDevice& device() { return device_ ? *device_ : *host_; }

  JudgeOpened open(const Message& message) {
    if (message.fds.size() != 1) throw ProtocolError("a workload comes as one document");
    auto opened = std::make_unique<OpenWorkload>();
    opened->document = JudgeDocument::parse(util::read_document(message.fds[0].get(), kMaxJudgeDocument));
    const auto& document = opened->document;
    opened->layout = eval::make_layout(document.definition, document.workload);
    const std::uint64_t bytes = opened->layout.input_bytes + opened->layout.output_bytes;
    if (bytes > std::min(host_->memory_limit(), device().memory_limit())) {
      throw Error("its inputs and outputs take {} MiB, {}", bytes >> 20U, kTooLarge);
    }
    auto made = synthesis::make_inputs(document.definition, document.workload, document.made, document.blobs);
    opened->sets = std::make_unique<synthesis::InputSets>(
        document.definition, made.workload, opened->layout, document.blobs,
        synthesis::Replacements{std::move(made.tensors), std::move(made.exponents)});
    const auto evaluator = make_evaluator(*opened);  // throws where the definition does not fit its rule
    opened->expected = evaluator || eval::is_small(opened->layout) ? ExpectedStore::Place::kHost
                                                                   : ExpectedStore::Place::kDevice;
    const std::uint32_t number = next_number_++;
    const JudgeOpened answer{number, opened->layout, opened->sets->fixed(),
                             evaluator ? evaluator->calls_wanted() : 0,
                             evaluator ? evaluator->repeats_wanted() : 0};
    workloads_.emplace(number, std::move(opened));
    return answer;
  }

  static std::unique_ptr<eval::HostEvaluator> make_evaluator(const OpenWorkload& workload) {
    const auto& document = workload.document;
    util::Sha256 seed;
    seed.add("evaluator").add(document.secret).add(document.workload.uuid);
    return eval::make_host_evaluator(document.rule, document.definition, workload.layout, document.tolerance,
                                     seed.hex(), util::usable_cores());
  }

  std::uint32_t open_door(const Attach& request) {
    const OpenWorkload& workload = workload_of(request.workload);
    if (request.places == 0 || (request.of_solution && request.places != 1))
      throw ProtocolError("a door has a place at least, a solution's no more");
    const bool on_device = device_ && request.on_device;
    if (request.has_private && !(request.of_solution && on_device))
      throw ProtocolError("the judge makes private buffers of solutions alone, on a device");
    const std::uint32_t number = next_number_++;
    AttachedDoor door{request.workload, nullptr, {}, nullptr};
    door.of_solution = request.of_solution;
    if (request.of_solution) door.evaluator = evaluator_for(request.workload);
    DoorUse use = request.of_solution ? DoorUse::kSolutionCalls : DoorUse::kCalls;
    if (request.of_solution && !door.evaluator) use = DoorUse::kComparedCalls;
    const std::uint32_t places = request.places + (request.has_private ? 1U : 0U);
    door.buffers = (on_device ? *device_ : *host_).make_door(workload.layout, use, places);
    door.on_device = on_device;
    door.has_private = request.has_private && door.buffers->places() == places;
    doors_.emplace(number, std::move(door));
    return number;
  }

  std::shared_ptr<eval::HostEvaluator> evaluator_for(std::uint32_t workload) {
    for (const auto& [number, door] : doors_) {
      if (door.of_solution && door.workload == workload) return door.evaluator;
    }
    return make_evaluator(workload_of(workload));
  }

  [[nodiscard]] Attached attached(std::uint32_t number) {
    const AttachedDoor& door = door_of(number);
    const std::uint32_t places = door.buffers->places() - (door.has_private ? 1U : 0U);
    return {number, door.on_device, places, door.has_private};
  }

  OpenWorkload& workload_of(std::uint32_t number) {
    const auto found = workloads_.find(number);
    if (found == workloads_.end()) throw ProtocolError("no workload has the number {}", number);
    return *found->second;
  }

  AttachedDoor& door_of(std::uint32_t number) {
    const auto found = doors_.find(number);
    if (found == doors_.end()) throw ProtocolError("no door has the number {}", number);
    return found->second;
  }

  KnowsAnswer knows(const SetRequest& request) {
    return {expected_->find({door_of(request.door).workload, request.set}) != nullptr};
  }

  static std::string seed_of(const JudgeDocument& document, const SetId& set) {
    util::Sha256 seed;
    return seed.add(document.secret)
        .add(document.definition.name)
        .add(document.workload.uuid)
        .add(set.owner)
        .add(set.call)
        .hex();
  }

  static synthesis::Scale scale_of(const SetId& set) {
    return set.is_scaled ? synthesis::Scale::smaller : synthesis::Scale::usual;
  }

  // With as many sets as it has places, at most.
  AttachedDoor& door_for(const SetsRequest& request) {
    AttachedDoor& door = door_of(request.door);
    if (request.sets.size() > (request.in_private ? 1 : attached(request.door).places))
      throw ProtocolError("the door has not so many places");
    return door;
  }

  void fill(const SetsRequest& request) {
    AttachedDoor& door = door_for(request);
    if (request.in_private) return fill_private(door, request.sets.at(0));
    door.filled.clear();
    for (std::uint32_t place = 0; place < request.sets.size(); ++place)
      begin_fill(door, place, request.sets[place]);
    door.buffers->wait();
    if (!door.of_solution) door.filled = request.sets;
  }

  static std::uint32_t private_place(const AttachedDoor& door) {
    if (!door.has_private) throw ProtocolError("the judge does not reach the private buffers of this worker");
    return door.buffers->places() - 1;
  }

  // All that a worker does before a call, too.
  void fill_private(AttachedDoor& door, const SetId& set) {
    begin_fill(door, private_place(door), set);
    device().flush();
    door.buffers->wait();
  }

  // The place is filled when the door has been waited for. On a device a set that lies at a reference's door
  // is copied from there, which takes less than to draw it once more.
  void begin_fill(AttachedDoor& door, std::uint32_t place, const SetId& set) {
    const OpenWorkload& workload = workload_of(door.workload);
    const std::uint64_t made = door.of_solution ? made_inputs(door, set) : 0;
    if (made != 0) {
      door.buffers->copy_inputs(place, made);
    } else {
      door.buffers->fill(place, *workload.sets, seed_of(workload.document, set), scale_of(set));
    }
    poison(door, place, workload.layout, workload.document.secret);
  }

  // Where they lie on the device; 0: they do not.
  [[nodiscard]] std::uint64_t made_inputs(const AttachedDoor& door, const SetId& set) const {
    for (const auto& [number, other] : doors_) {
      if (other.workload != door.workload || !other.on_device || !door.on_device) continue;
      const auto found = std::find(other.filled.begin(), other.filled.end(), set);
      if (found != other.filled.end())
        return other.buffers->device_inputs(static_cast<std::uint32_t>(found - other.filled.begin()));
    }
    return 0;
  }

  // New for every fill, so that no worker can tell a poisoned element from one it wrote in an earlier call.
  void poison(AttachedDoor& door, std::uint32_t place, const eval::Layout& layout,
              const std::string& secret) {
    door.poison.clear();
    for (const auto& slot : layout.outputs) {
      util::Sha256 hash;
      const std::string digest = hash.add("poison").add(secret).add(++randoms_).hex();
      const std::uint64_t random = std::stoull(digest.substr(0, 16), nullptr, 16);
      door.poison.push_back(eval::make_poison(slot.dtype, random));
    }
    door.buffers->poison(place, door.poison);
  }

  void keep(const SetsRequest& request) {
    const AttachedDoor& door = door_for(request);
    const OpenWorkload& workload = workload_of(door.workload);
    for (std::uint32_t place = 0; place < request.sets.size(); ++place) {
      const ExpectedStore::Key key{door.workload, request.sets[place]};
      if (expected_->find(key) != nullptr) continue;
      expected_->keep(key, door.buffers->outputs(place), workload.layout.output_bytes, workload.expected,
                      workload.document.memory_budget_bytes);
    }
  }

  // Where no solution has a door of this workload any more its evaluation is over: sets of one solution's own
  // are never asked for again.
  void detach(std::uint32_t number) {
    const auto door = doors_.find(number);
    if (door == doors_.end()) return;
    const std::uint32_t workload = door->second.workload;
    doors_.erase(door);
    const auto is_open = [&](const auto& other) {
      return other.second.of_solution && other.second.workload == workload;
    };
    if (std::none_of(doors_.begin(), doors_.end(), is_open)) expected_->drop_own_sets(workload);
  }

  // Of copies that no worker can reach.
  Differed differ(const DifferRequest& request) {
    const AttachedDoor& door = door_of(request.door);
    const AttachedDoor& other = door_of(request.expected);
    if (door.workload != other.workload) throw ProtocolError("the doors are of different workloads");
    const OpenWorkload& workload = workload_of(door.workload);
    const auto got = copy_of_outputs(door);
    const auto expected = copy_of_outputs(other);
    Differed differed;
    for (const auto& slot : workload.layout.outputs) {
      const auto rule = eval::agreement_of(workload.document.definition, slot.name);
      differed.outputs.push_back(eval::difference(slot, rule, got->at().host + slot.offset,
                                                  expected->at().host + slot.offset, util::usable_cores()));
    }
    return differed;
  }

  std::unique_ptr<OutputsCopy> copy_of_outputs(const AttachedDoor& door, std::uint32_t place = 0) {
    auto copy = device().on_host(workload_of(door.workload).layout.output_bytes);
    copy->take(door.buffers->outputs(place));
    return copy;
  }

  Verdict compare(const CompareRequest& request) {
    AttachedDoor& door = door_of(request.set.door);
    OpenWorkload& workload = workload_of(door.workload);
    if (request.outputs > workload.layout.outputs.size())
      throw ProtocolError("there are not so many outputs");
    const ExpectedStore::Key key{door.workload, request.set.set};
    const OutputsCopy* kept = expected_->find(key);
    if (kept == nullptr && eval::needs_expected(workload.document.rule))
      throw ProtocolError("the set's expected outputs are not kept");
    const OutputsAt expected = kept == nullptr ? OutputsAt{} : kept->at();
    const std::uint32_t place = request.in_private ? private_place(door) : 0;
    Verdict verdict;
    if (door.evaluator) {
      const std::byte* inputs = host_inputs(door, workload, request.set.set);
      const auto got = copy_of_outputs(door, place);
      const bool repeated = std::exchange(door.judged, request.set.set) == request.set.set;
      verdict.judgement =
          door.evaluator->judge({inputs, got->at().host, expected.host, door.poison, repeated});
      if (request.fills_next) begin_fill(door, 0, request.next);
    } else {
      door.buffers->take_outputs(place);
      const auto poison = door.poison;  // of these outputs
      // Before the comparison: a device is waited for once.
      if (request.fills_next) begin_fill(door, 0, request.next);
      verdict.judgement =
          door.buffers->judge_taken(expected, poison, workload.document.tolerance, request.outputs);
      if (!workload.zeros_pass) workload.zeros_pass = zeros_that_pass(*door.buffers, expected, workload);
    }
    if (request.fills_next) door.buffers->wait();
    if (request.in_private && door.sample.differs(*door.buffers, place))
      verdict.judgement = {false, 0, 0, 0, "the outputs have changed since the call returned"};
    // Nobody asks for a set of a solution's own twice.
    if (!request.set.set.owner.empty()) expected_->drop(key);
    return verdict;
  }

  static std::vector<std::string> zeros_that_pass(Door& buffers, const OutputsAt& expected,
                                                  const OpenWorkload& workload) {
    const auto right = buffers.judge_zeros(expected, workload.document.tolerance);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < right.size(); ++i) {
      if (right[i]) names.push_back(workload.layout.outputs[i].name);
    }
    return names;
  }

  // A worker can reach what lies on a device: there the set is made once more.
  const std::byte* host_inputs(const AttachedDoor& door, const OpenWorkload& workload, const SetId& set) {
    if (const std::byte* shared = door.buffers->host_inputs()) return shared;
    inputs_.resize(workload.layout.input_bytes);
    workload.sets->fill(seed_of(workload.document, set), inputs_.data(), util::usable_cores(), scale_of(set));
    return inputs_.data();
  }

  void sample(std::uint32_t number) {
    AttachedDoor& door = door_of(number);
    const std::uint32_t place = private_place(door);
    const OpenWorkload& workload = workload_of(door.workload);
    util::Sha256 hash;
    const std::string seed = hash.add("sample").add(workload.document.secret).add(++randoms_).hex();
    door.sample = OutputSample(*door.buffers, place, workload.layout, seed);
  }

  CopiesTimed time_copies(std::uint32_t number) {
    AttachedDoor& door = door_of(number);
    return {door.buffers->time_copies(private_place(door))};
  }

  Concluded conclude(std::uint32_t number) {
    const AttachedDoor& door = door_of(number);
    if (!door.evaluator)
      return {{true, 0, 0, 1, {}},
              {},
              workload_of(door.workload).zeros_pass.value_or(std::vector<std::string>{})};
    auto conclusion = door.evaluator->conclude();
    return {std::move(conclusion.judgement), std::move(conclusion.extra)};
  }

  Channel channel_;
  MakeJudgeDevice make_device_;
  std::unique_ptr<JudgeDevice> host_;    // where references run
  std::unique_ptr<JudgeDevice> device_;  // where solutions run, if that is another one
  std::int64_t awake_ns_ = 0;
  std::uint32_t next_number_ = 1;
  std::uint64_t randoms_ = 0;
  std::map<std::uint32_t, std::unique_ptr<OpenWorkload>> workloads_;
  std::map<std::uint32_t, AttachedDoor> doors_;
  std::optional<ExpectedStore> expected_;
  std::vector<std::byte> inputs_;  // of the call that is judged, where they lie on a device
};

}  // namespace

int run_judge(util::UniqueFd channel) {
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  use_one_cuda_queue();
  return run_judge(std::move(channel),
                   [](const UseDevice& device) { return make_cuda_judge_device(device); });
}

int run_judge(util::UniqueFd channel, MakeJudgeDevice make_device) {
  return JudgeProcess(std::move(channel), std::move(make_device)).run();
}

}  // namespace fib::worker
