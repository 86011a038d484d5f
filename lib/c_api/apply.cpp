#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "apply/build.h"
#include "c_api/environment.h"
#include "c_api/errors.h"
#include "c_api/handles.h"
#include "c_api/stack.h"
#include "util/utf8.h"

using namespace fib;
using c_api::expect;

namespace {

// The opaque types stand for these; nothing is ever of their own type.
const apply::Function& inner(const fib_function* function) {
  return *reinterpret_cast<const apply::Function*>(expect(function, "function"));
}
const apply::Prepared& inner(const fib_prepared* prepared) {
  return *reinterpret_cast<const apply::Prepared*>(expect(prepared, "prepared"));
}

c_api::Stack<fib_apply>& apply_stack() {
  static auto& runtimes = *new c_api::Stack<fib_apply>;  // other threads may call while the process exits
  return runtimes;
}

// Runs what tells an outcome; nothing is thrown out of it. The sentence becomes the thread's last error at
// the end: functions of the program that are called meanwhile may call this library themselves.
template <typename Act>
fib_outcome told(Act act) noexcept try {
  std::string why;
  const fib_outcome outcome = act(why);
  if (outcome == FIB_APPLIED) {
    c_api::last_error().clear();
  } else {
    c_api::last_error() = std::move(why);
  }
  return outcome;
} catch (const std::exception& error) {
  c_api::last_error() = error.what();
  return FIB_CANNOT_RUN;
} catch (...) {
  c_api::last_error().clear();
  return FIB_CANNOT_RUN;
}

}  // namespace

extern "C" {

fib_status fib_apply_open(const fib_dataset* dataset, const char* config, fib_apply** opened) {
  return c_api::guarded([&] {
    expect(opened, "apply");
    apply::Registry registry;
    try {
      registry = apply::parse_registry(config == nullptr ? "" : config);
    } catch (const Error& error) {
      throw c_api::Invalid("{}", error.what());
    }
    *opened =
        new fib_apply{{expect(dataset, "dataset")->dataset, std::move(registry), apply::find_program()}};
  });
}

void fib_apply_close(fib_apply* apply) {
  if (apply == nullptr) return;
  apply_stack().remove(apply);
  delete apply;
}

fib_status fib_apply_push(fib_apply* apply) {
  return c_api::guarded([&] { apply_stack().push(expect(apply, "apply")); });
}

fib_status fib_apply_pop(fib_apply* apply) {
  return c_api::guarded([&] { apply_stack().pop(expect(apply, "apply")); });
}

fib_apply* fib_apply_current(void) {
  static std::once_flag once;
  std::call_once(once, [] {
    (void)c_api::open_by("FIB_ENABLE_APPLY", apply_stack().top(), fib_apply_open, fib_apply_push);
  });
  return apply_stack().top();
}

fib_status fib_apply_table(const fib_apply* apply, char** table) {
  return c_api::guarded(
      [&] { *expect(table, "table") = c_api::new_text(expect(apply, "apply")->runtime.table_json()); });
}

fib_status fib_apply_hardware(fib_apply* apply, int32_t device_type, int32_t device_id, char** hardware) {
  return c_api::guarded([&] {
    *expect(hardware, "hardware") =
        c_api::new_text(expect(apply, "apply")->runtime.hardware(device_type, device_id));
  });
}

fib_status fib_apply_statistics(const fib_apply* apply, char** statistics) {
  return c_api::guarded([&] {
    *expect(statistics, "statistics") = c_api::new_text(expect(apply, "apply")->runtime.statistics_json());
  });
}

fib_status fib_apply_warm(fib_apply* apply, const char* definition, int32_t device_type, int32_t device_id,
                          char** report) {
  return c_api::guarded([&] {
    auto list = nlohmann::ordered_json::array();
    if (definition != nullptr && !expect(apply, "apply")->runtime.has_definition(definition))
      throw c_api::NotFound("the dataset has no definition \"{}\"", definition);
    for (const auto& warmed :
         expect(apply, "apply")
             ->runtime.warm(definition == nullptr ? "" : definition, device_type, device_id)) {
      list.push_back({{"solution", warmed.solution},
                      {"definition", warmed.definition},
                      {"ready", warmed.problem.empty()},
                      {"message", util::valid_utf8(warmed.problem)}});
    }
    if (report != nullptr) *report = c_api::new_text(list.dump());
  });
}

fib_status fib_apply_find(fib_apply* apply, const char* definition, const fib_function** function) {
  return c_api::guarded([&] {
    expect(function, "function");
    const auto& found = expect(apply, "apply")->runtime.find(expect(definition, "definition"));
    *function = reinterpret_cast<const fib_function*>(&found);
  });
}

fib_outcome fib_call(const fib_function* function, const fib_value* arguments, size_t count, void* stream) {
  return told(
      [&](std::string& why) -> fib_outcome { return inner(function).call(arguments, count, stream, why); });
}

fib_outcome fib_apply_call(const char* definition, const fib_value* arguments, size_t count, void* stream) {
  return told([&](std::string& why) -> fib_outcome {
    fib_apply* apply = fib_apply_current();
    if (apply == nullptr) return FIB_NO_RUNTIME;
    return apply->runtime.find(expect(definition, "definition")).call(arguments, count, stream, why);
  });
}

const char* fib_match(const fib_function* function, int32_t device_type, int32_t device_id,
                      const int64_t* values, size_t count, fib_outcome* outcome) {
  const char* name = nullptr;
  const fib_outcome found = told([&](std::string& why) -> fib_outcome {
    fib_outcome result = FIB_CANNOT_RUN;
    const auto* solution = inner(function).match(device_type, device_id, values, count, result, why);
    if (solution != nullptr) name = solution->name().c_str();
    return result;
  });
  if (outcome != nullptr) *outcome = found;
  return name;
}

fib_outcome fib_prepare(const fib_function* function, const fib_value* arguments, size_t count, void* stream,
                        const fib_prepared** prepared) {
  return told([&](std::string& why) -> fib_outcome {
    const apply::Prepared* made = nullptr;
    expect(prepared, "prepared");
    const fib_outcome outcome = inner(function).prepare(arguments, count, stream, made, why);
    if (outcome == FIB_APPLIED) *prepared = reinterpret_cast<const fib_prepared*>(made);
    return outcome;
  });
}

fib_outcome fib_prepared_call(const fib_prepared* prepared, void* const* data, void* stream) {
  return told([&](std::string& why) -> fib_outcome {
    const auto& known = inner(prepared);
    return known.function->call(known, data, stream, why);
  });
}

fib_status fib_apply_set_fallback(fib_apply* apply, const char* definition, fib_fallback fallback,
                                  void* user) {
  return c_api::guarded([&] {
    auto& runtime = expect(apply, "apply")->runtime;
    if (!runtime.has_definition(expect(definition, "definition")))
      throw c_api::NotFound("the dataset has no definition \"{}\"", definition);
    runtime.set_fallback(definition, fallback, user);
  });
}

void fib_apply_drop(fib_apply* apply, const char* solution, const char* reason) {
  (void)c_api::guarded(
      [&] { expect(apply, "apply")->runtime.drop(expect(solution, "solution"), expect(reason, "reason")); });
}
}
