#pragma once

#include <atomic>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "compile/python_interpreter.h"
#include "worker/clients.h"

namespace fib::bench {

// Compiled modules (.pyc) of the packages that guests import, for interpreters whose packages have none
// beside their sources. Many container images are built so, and importing torch then compiles a thousand
// modules anew in each process: 3.6 s instead of 1.9 on an H200 machine. They are kept in <cache>/bytecode, a
// folder for each interpreter and its packages' versions, as Python keeps its own (sys.pycache_prefix), and
// made by a process that imports the packages and runs nothing of a dataset. Guests read them where they
// cannot write there (guest.py). Folders that other users could have written to are not used.
class PackageBytecode {
 public:
  PackageBytecode(const compile::PythonInterpreter& python, const std::vector<std::string>& packages,
                  const std::filesystem::path& cache);
  ~PackageBytecode();
  PackageBytecode(const PackageBytecode&) = delete;
  PackageBytecode& operator=(const PackageBytecode&) = delete;

  // Begins to make what is missing, in a process on these cores (empty: on all), once; does nothing where
  // nothing is. Whether that works shows in folder(): where it does not, guests compile for themselves.
  // `spawner` must outlive this. Any thread.
  void make(worker::Spawner& spawner, const worker::ChildSetup& children, const std::vector<unsigned>& cores);

  // Until what make() began has ended. Any thread.
  void wait();

  // What guests may read; empty: they need nothing, or it is not all there yet. Any thread.
  [[nodiscard]] std::filesystem::path folder() const;

 private:
  void run(worker::Spawner& spawner, const worker::ChildSetup& children, const std::vector<unsigned>& cores);

  std::filesystem::path python_;
  std::vector<std::string> packages_;
  std::filesystem::path folder_;  // empty: each package has its own
  std::atomic<bool> stopped_ = false;
  std::mutex mutex_;  // for the rest
  bool begun_ = false;
  std::thread thread_;
};

}  // namespace fib::bench
