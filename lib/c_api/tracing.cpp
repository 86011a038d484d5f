#include "tracing/tracing.h"

#include <unistd.h>

#include <cstdio>
#include <map>
#include <mutex>

#include "c_api/environment.h"
#include "c_api/errors.h"
#include "c_api/handles.h"
#include "c_api/stack.h"

using namespace fib;
using c_api::expect;

// A definition of a tracing, to be called.
struct fib_site {
  tracing::Tracing* tracing = nullptr;
  tracing::Site* site = nullptr;
};

struct fib_tracing {
  tracing::Tracing tracing;
  std::mutex mutex = {};                                    // of the next
  std::map<std::string, fib_site, std::less<>> sites = {};  // that were looked for
};

static_assert(static_cast<std::size_t>(FIB_NOT_COPIED) + 1 == tracing::kOutcomes);
static_assert(static_cast<int>(tracing::Outcome::kept) == FIB_KEPT &&
              static_cast<int>(tracing::Outcome::wrong_arguments) == FIB_TRACED_WRONG_ARGUMENTS &&
              static_cast<int>(tracing::Outcome::no_room) == FIB_NO_ROOM);

namespace {

fib_traced told(tracing::Outcome outcome) { return static_cast<fib_traced>(outcome); }

c_api::Stack<fib_tracing>& tracing_stack() {
  static auto& tracings = *new c_api::Stack<fib_tracing>;  // other threads may call while the process exits
  return tracings;
}

// What the environment asked for. It is flushed when the process exits, unless the program has closed it;
// other threads may call it until the end.
struct FromEnvironment {
  std::mutex mutex = {};
  fib_tracing* opened = nullptr;
  pid_t process = ::getpid();

  ~FromEnvironment() {
    if (opened == nullptr || ::getpid() != process) return;  // a forked child has nothing to write
    tracing_stack().remove(opened);
    try {  // without the thread's last error, which is gone by now
      opened->tracing.flush();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "fib: FIB_ENABLE_TRACING: %s\n", error.what());
    }
  }
};

FromEnvironment& from_environment() {
  static FromEnvironment opened;
  return opened;
}

// Once a process.
void push_from_environment() {
  auto* opened =
      c_api::open_by("FIB_ENABLE_TRACING", tracing_stack().top(), fib_tracing_open, fib_tracing_push);
  const std::lock_guard lock(from_environment().mutex);
  from_environment().opened = opened;
}

}  // namespace

extern "C" {

const char* fib_traced_name(fib_traced traced) {
  const auto number = static_cast<std::size_t>(traced);
  return number < tracing::kOutcomes ? tracing::name_of(static_cast<tracing::Outcome>(traced)) : "unknown";
}

fib_status fib_tracing_open(const fib_dataset* dataset, const char* config, fib_tracing** tracing) {
  return c_api::guarded([&] {
    expect(dataset, "dataset");
    expect(tracing, "tracing");
    try {
      *tracing = new fib_tracing{{dataset->dataset, tracing::parse_config(config == nullptr ? "" : config)}};
    } catch (const Error& error) {
      throw c_api::Invalid("{}", error.what());
    }
  });
}

void fib_tracing_close(fib_tracing* tracing) {
  if (tracing == nullptr) return;
  tracing_stack().remove(tracing);
  {
    const std::lock_guard lock(from_environment().mutex);
    if (from_environment().opened == tracing) from_environment().opened = nullptr;
  }
  delete tracing;
}

fib_status fib_tracing_push(fib_tracing* tracing) {
  return c_api::guarded([&] { tracing_stack().push(expect(tracing, "tracing")); });
}

fib_status fib_tracing_pop(fib_tracing* tracing) {
  return c_api::guarded([&] { tracing_stack().pop(expect(tracing, "tracing")); });
}

fib_tracing* fib_tracing_current(void) {
  static std::once_flag once;
  std::call_once(once, push_from_environment);
  return tracing_stack().top();
}

fib_status fib_tracing_find(fib_tracing* tracing, const char* definition, const fib_site** site) {
  return c_api::guarded([&] {
    expect(site, "site");
    auto* found = expect(tracing, "tracing")->tracing.find(expect(definition, "definition"));
    if (found == nullptr) throw c_api::NotFound("the dataset has no definition \"{}\"", definition);
    const std::lock_guard lock(tracing->mutex);
    *site = &tracing->sites.try_emplace(definition, fib_site{&tracing->tracing, found}).first->second;
  });
}

fib_traced fib_collect(const fib_site* site, const fib_value* arguments, size_t count, void* stream) {
  if (site == nullptr) return FIB_NOT_TRACED;
  return told(site->tracing->collect(*site->site, arguments, count, stream));
}

fib_traced fib_tracing_collect(const char* definition, const fib_value* arguments, size_t count,
                               void* stream) {
  fib_tracing* tracing = fib_tracing_current();
  if (tracing == nullptr || definition == nullptr) return FIB_NOT_TRACED;
  return told(tracing->tracing.collect(definition, arguments, count, stream));
}

fib_status fib_tracing_flush(fib_tracing* tracing) {
  return c_api::guarded([&] { expect(tracing, "tracing")->tracing.flush(); });
}

fib_status fib_tracing_statistics(const fib_tracing* tracing, char** statistics) {
  return c_api::guarded([&] {
    *expect(statistics, "statistics") = c_api::new_text(expect(tracing, "tracing")->tracing.statistics());
  });
}
}
