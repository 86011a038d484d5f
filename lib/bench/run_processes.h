#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/cores.h"
#include "bench/guest_pool.h"
#include "bench/package_bytecode.h"
#include "bench/run_folder.h"
#include "worker/spawner.h"

namespace fib::bench {

// What runs of this process share, one run after the other: the keeper of all children, the folder of their
// temporary files, and interpreters that have imported torch and wait for something to run. One run alone has
// one of its own; who makes several keeps it between them, and the next run need not wait for torch. No
// process that has run code of a solution or a reference is kept. One thread.
class RunProcesses {
 public:
  // `program` is the fib binary, `cache` the folder that is swept when all ends. `timeline` (may be null)
  // must outlive this.
  RunProcesses(std::string program, std::filesystem::path cache, util::Timeline* timeline);

  ~RunProcesses();
  RunProcesses(const RunProcesses&) = delete;
  RunProcesses& operator=(const RunProcesses&) = delete;

  // To be called as a run begins: where the keeper is lost, all is made anew. Throws Error.
  void begin();

  [[nodiscard]] worker::Spawner& spawner() { return *spawner_; }
  [[nodiscard]] const std::filesystem::path& temporary() const { return folder_->path(); }

  // Which cores prepare and which ones measure on so many devices. Decided once.
  [[nodiscard]] const std::optional<CoreShares>& share(unsigned lanes);

  // From now on this process, and what the keeper starts, have the cores that measure alone, where share()
  // has decided which ones.
  void keep_to_measuring_cores();

  // The interpreters for a device; those that wait already, where they were made with the same packages on
  // the same cores. `python` is what they run.
  [[nodiscard]] GuestPool& guests(const std::string& device_uuid, const worker::ChildSetup& children,
                                  const worker::GuestSetup& guest, const compile::PythonInterpreter& python);

  // To be called between two runs: begins to prepare as many interpreters as the last one took.
  void prepare_next();

 private:
  std::string program_;
  std::filesystem::path cache_;
  util::Timeline* timeline_;
  std::unique_ptr<worker::Spawner> spawner_;
  std::optional<RunFolder> folder_;
  std::optional<std::optional<CoreShares>> shares_;
  std::map<std::vector<std::string>, std::unique_ptr<PackageBytecode>> bytecode_;  // by packages
  struct Guests {
    worker::GuestSetup setup;
    std::unique_ptr<GuestPool> pool;
  };
  std::map<std::string, Guests> guests_;  // by device
};

}  // namespace fib::bench
