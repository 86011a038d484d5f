#include "tracing/writer.h"

#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <map>

#include "dataset/add_blob.h"
#include "dataset/append.h"
#include "dataset/paths.h"
#include "util/error.h"

namespace fib::tracing {
namespace {

constexpr std::size_t kMostAtOnce = 64;

// A random UUID (version 4).
std::string make_uuid() {
  std::array<unsigned char, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw Error("the system has no random numbers");
  bytes[6] = static_cast<unsigned char>((bytes[6] & 0x0fU) | 0x40U);
  bytes[8] = static_cast<unsigned char>((bytes[8] & 0x3fU) | 0x80U);
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    text += fmt::format("{}{:02x}", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", bytes[i]);
  return text;
}

// Signals belong to the program's threads.
class NoSignals {
 public:
  NoSignals() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~NoSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  NoSignals(const NoSignals&) = delete;
  NoSignals& operator=(const NoSignals&) = delete;

 private:
  sigset_t before_{};
};

// Records of one definition, and what they name.
struct Batch {
  std::vector<std::string> lines;
  std::vector<std::string> blobs;
};

}  // namespace

Writer::Writer(std::filesystem::path root) : root_(std::move(root)), process_(::getpid()) {
  const NoSignals blocked;
  thread_ = std::thread([this] { run(); });
}

Writer::~Writer() {
  if (::getpid() != process_) {
    thread_.detach();
    (void)
        shared_.release();  // may be in any state; destroying it could wait for the thread that is not there
    return;
  }
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->is_closing = true;
  }
  shared_->wake.notify_all();
  thread_.join();
}

void Writer::expect_own_process() const {
  if (::getpid() != process_)
    throw Error("this process was forked from one that traces; it has to open a tracing of its own");
}

void Writer::add(std::unique_ptr<KeptCall> call) {
  expect_own_process();
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->queue.push_back(std::move(call));
    ++shared_->added;
  }
  shared_->wake.notify_one();
}

void Writer::flush() {
  expect_own_process();
  std::unique_lock lock(shared_->mutex);
  const std::uint64_t target = shared_->added;
  shared_->done.wait(lock, [&] { return shared_->finished >= target; });
  if (shared_->lost == 0) return;
  const std::uint64_t lost = std::exchange(shared_->lost, 0);
  throw Error("{} kept calls could not be written: {}", lost, std::exchange(shared_->first_error, ""));
}

std::string Writer::last_error() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->last_error;
}

// Records of calls without values are appended together. A call with values goes alone, so that a process
// that is killed leaves one blob without a record at most.
void Writer::take_next(Calls& calls) {
  do {
    calls.push_back(std::move(shared_->queue.front()));
    shared_->queue.pop_front();
  } while (calls.back()->tensors.empty() && !shared_->queue.empty() &&
           shared_->queue.front()->tensors.empty() && calls.size() < kMostAtOnce);
}

void Writer::run() {
  while (true) {
    Calls calls;
    {
      std::unique_lock lock(shared_->mutex);
      shared_->wake.wait(lock, [&] { return shared_->is_closing || !shared_->queue.empty(); });
      if (shared_->queue.empty()) return;
      take_next(calls);
    }
    const std::size_t count = calls.size();
    try {
      write(calls);
    } catch (const std::bad_alloc&) {  // there is no memory for a sentence; the program goes on
      calls.front()->site->lost += count;
    }
    calls.clear();  // their memory is free again before flush() returns
    {
      const std::lock_guard lock(shared_->mutex);
      shared_->finished += count;
    }
    shared_->done.notify_all();
  }
}

std::string Writer::write_blob(const KeptCall& call, const std::string& uuid) const {
  if (call.tensors.empty()) return "";
  std::vector<std::byte> together;
  if (call.copy != nullptr) {
    together.resize(call.bytes);
    std::copy(call.values.begin(), call.values.end(), together.begin());
    call.copy->download(together.data() + call.host_bytes);
  }
  const std::byte* values = call.copy != nullptr ? together.data() : call.values.data();
  const Site& site = *call.site;
  return dataset::add_blob(root_, site.op_type(), site.name(), uuid, [&](int fd) {
    tensor::write_safetensors(fd, "a workload's values", tensors_of(call, values));
  });
}

void Writer::write(const Calls& calls) {
  std::map<Site*, Batch> batches;
  for (const auto& call : calls) {
    try {
      Batch& batch = batches[call->site];
      const std::string uuid = make_uuid();
      const std::string blob = write_blob(*call, uuid);
      batch.lines.push_back(model::to_json(record_of(*call, uuid, blob)));
      if (!blob.empty()) batch.blobs.push_back(blob);
    } catch (const std::exception& error) {
      lose(*call->site, 1, error.what());
    }
  }
  for (const auto& [site, batch] : batches) {
    try {
      (void)dataset::append_lines(root_, dataset::workloads_file(root_, site->op_type(), site->name()),
                                  batch.lines);
      site->written += batch.lines.size();
    } catch (const std::exception& error) {
      for (const auto& blob : batch.blobs) dataset::remove_blob(root_, blob);
      lose(*site, batch.lines.size(), error.what());
    }
  }
}

void Writer::lose(Site& site, std::uint64_t calls, const std::string& reason) {
  site.lost += calls;
  const std::lock_guard lock(shared_->mutex);
  shared_->lost += calls;
  if (shared_->first_error.empty()) shared_->first_error = reason;
  shared_->last_error = reason;
}

}  // namespace fib::tracing
