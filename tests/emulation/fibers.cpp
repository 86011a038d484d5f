#include "emulation/fibers.h"

#include <dlfcn.h>
#include <ucontext.h>

#include <memory>
#include <string>
#include <vector>

namespace fib::emulation {
namespace {

constexpr std::size_t kStack = 128 * 1024;

struct Fiber {
  ucontext_t context{};
  std::unique_ptr<char[]> stack{new char[kStack]};
  bool done = false;
};

// The block that runs now: there is one at a time.
struct Block {
  const Kernel* kernel = nullptr;
  void** arguments = nullptr;
  std::vector<Fiber> fibers;
  ucontext_t scheduler{};
  std::size_t current = 0;
};
Block block;

void wait() { swapcontext(&block.fibers[block.current].context, &block.scheduler); }

void body() {
  block.kernel->call(block.arguments);
  block.fibers[block.current].done = true;
}

void start(Fiber& fiber) {
  fiber.done = false;
  getcontext(&fiber.context);
  fiber.context.uc_stack.ss_sp = fiber.stack.get();
  fiber.context.uc_stack.ss_size = kStack;
  fiber.context.uc_link = &block.scheduler;
  makecontext(&fiber.context, body, 0);
}

// From barrier to barrier, until all have ended.
void run_block() {
  for (Fiber& fiber : block.fibers) start(fiber);
  for (bool running = true; running;) {
    running = false;
    for (block.current = 0; block.current < block.fibers.size(); ++block.current) {
      Fiber& fiber = block.fibers[block.current];
      if (fiber.done) continue;
      block.kernel->enter(static_cast<unsigned>(block.current));
      swapcontext(&block.scheduler, &fiber.context);
      running = true;
    }
  }
}

template <typename Function>
void find(void* library, const std::string& name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name.c_str()));
}

}  // namespace

Kernel* find_kernel(void* library, const char* name) {
  static std::vector<std::unique_ptr<Kernel>> kernels;
  auto kernel = std::make_unique<Kernel>();
  find(library, std::string("fib_emulated_call_") + name, kernel->call);
  find(library, "fib_emulated_prepare", kernel->prepare);
  find(library, "fib_emulated_enter", kernel->enter);
  if (kernel->call == nullptr) return nullptr;
  return kernels.emplace_back(std::move(kernel)).get();
}

void run_grid(const Kernel& kernel, const std::array<unsigned, 3>& grid, unsigned threads, void** arguments) {
  block.kernel = &kernel;
  block.arguments = arguments;
  while (block.fibers.size() < threads) block.fibers.emplace_back();
  std::array<unsigned, 3> at{};
  for (at[2] = 0; at[2] < grid[2]; ++at[2]) {
    for (at[1] = 0; at[1] < grid[1]; ++at[1]) {
      for (at[0] = 0; at[0] < grid[0]; ++at[0]) {
        kernel.prepare(at.data(), grid.data(), threads, wait);
        run_block();
      }
    }
  }
}

}  // namespace fib::emulation
