/* fib.h: datasets of kernels, and the fastest of them in your program (apply).
 *
 * For C, C++ and, through ctypes, Python. Link with -lfib, or open libfib.so.1 at run time.
 *
 * Rules that hold for every function here:
 *   - What a call makes for you, you give back: objects by their fib_*_close(), texts by fib_free(). What a function
 *     returns as `const char*` stays the library's. Nothing keeps a pointer that you passed, unless it says so.
 *   - Texts are UTF-8 and end with a zero byte. JSON texts are one document, without a final newline.
 *   - Functions that can fail return a fib_status. Of FIB_OK the outputs are set; else they are untouched, and
 *     fib_last_error() has a sentence. No C++ exception leaves the library.
 *   - A child of fork() that does not call exec uses none of these functions.
 *   - An object may be used by many threads at once, except while it is closed; where a function says otherwise, it
 *     is so.
 *   - Functions are only ever added. fib_abi_version() of a library that you opened must be at least FIB_ABI_VERSION of
 *     the header that you compiled with.
 */
#ifndef FIB_H
#define FIB_H

#include <stddef.h>
#include <stdint.h>

#define FIB_ABI_VERSION 1

#if defined(__GNUC__)
#define FIB_API __attribute__((visibility("default")))
#else
#define FIB_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t fib_status;
enum {
  FIB_OK = 0,
  FIB_INVALID = 1,   /* an argument, or a JSON text in one, is not what the function takes */
  FIB_NOT_FOUND = 2, /* there is no dataset, definition, record of that name */
  FIB_FAILED = 3     /* what was asked for could not be done: a file, a compiler, a device, no memory */
};

FIB_API int32_t fib_abi_version(void);

/* "0.1.0". */
FIB_API const char* fib_version(void);

/* Why this thread's last call of a function that can fail did so; "" when it did not. Until its next such call. */
FIB_API const char* fib_last_error(void);

/* Frees a text that a function made; null is allowed. */
FIB_API void fib_free(char* text);

/* ---- Records ---------------------------------------------------------------------------------------------------- */

typedef int32_t fib_record;
enum {
  FIB_DEFINITION = 0,
  FIB_SOLUTION = 1,
  FIB_WORKLOAD = 2, /* {"axes", "inputs", "uuid"}; fib_dataset_add() takes a workload's record, as FIB_TRACE */
  FIB_TRACE = 3     /* a result, or a workload's record: {"definition", "workload", …} */
};

/* Reads a record and writes it again as datasets hold it, with the format's order of keys, on one line. `strict` not
 * zero: only what the format itself has; else also what other tools and later versions write. FIB_INVALID tells every
 * field that is wrong. */
FIB_API fib_status fib_record_check(fib_record kind, const char* json, int strict, char** normalized);

/* The hashes of a solution: {"upstream": the format's SHA-1, "content": SHA-256 of everything that decides how it is
 * built and called, "package": "<name>_<6 digits>" as package names end, "unique_name": "<name>_<8 digits>"}. */
FIB_API fib_status fib_solution_hashes(const char* solution_json, char** hashes);

/* ---- Datasets --------------------------------------------------------------------------------------------------- */

typedef struct fib_dataset fib_dataset;

/* Reads the dataset in the folder `path`. Files and lines that cannot be read are left out (fib_dataset_problems()). */
FIB_API fib_status fib_dataset_open(const char* path, fib_dataset** dataset);

/* A dataset from memory: {"definitions": […], "solutions": […], "traces": […]}; traces without a solution are
 * workloads. Any of the lists may be absent. It has no folder, so nothing can be added to it. */
FIB_API fib_status fib_dataset_from_json(const char* json, fib_dataset** dataset);

/* Null is allowed. What was made from the dataset, such as a fib_apply, stays usable. */
FIB_API void fib_dataset_close(fib_dataset* dataset);

/* What could not be read: [{"file", "line" (0: the whole file), "message", "severity": "error" | "warning"}]. */
FIB_API fib_status fib_dataset_problems(const fib_dataset* dataset, char** problems);

/* Everything of one kind, in the dataset's order. FIB_DEFINITION and FIB_SOLUTION: all of them, a list of records.
 * FIB_WORKLOAD and FIB_TRACE: of `definition` (null: of all), as traces; those of FIB_WORKLOAD have no solution. */
FIB_API fib_status fib_dataset_records(const fib_dataset* dataset, fib_record kind, const char* definition,
                                       char** records);

/* The definition's PASSED trace with the highest speedup, the first of equals, as JSON; "null" where there is none.
 * `options` may be null; else {"axes": {name: value}, "max_absolute_error", "max_relative_error", "hardware"}. The
 * verdict alone counts where no limit is given. */
FIB_API fib_status fib_dataset_best(const fib_dataset* dataset, const char* definition, const char* options,
                                    char** trace);

/* Authors, best first: [{"author", "avg_speedup", "geomean_speedup", "success_rate", "win_rate", "workloads",
 * "definitions", "best_solutions": {definition: solution}}]. `options` may be null; else {"baseline_author",
 * "op_type", "definition", "hardware"}. FIB_INVALID where a definition has no baseline. */
FIB_API fib_status fib_dataset_ranking(const fib_dataset* dataset, const char* options, char** ranking);

/* Adds a record to the dataset's folder, on the disk when this returns; what is in `dataset` stays as it was read.
 * A solution or definition whose name is taken by another content is FIB_INVALID; traces and workloads are appended. */
FIB_API fib_status fib_dataset_add(const fib_dataset* dataset, fib_record kind, const char* json);

/* ---- Apply ------------------------------------------------------------------------------------------------------ */

/* A tensor: the layout of DLPack's DLTensor, which may be cast to this. */
typedef struct fib_tensor {
  void* data;
  int32_t device_type; /* DLPack's: 1 CPU, 2 CUDA */
  int32_t device_id;
  int32_t ndim;
  uint8_t dtype_code; /* DLPack's: 0 int, 1 uint, 2 float, 4 bfloat, 6 bool, … */
  uint8_t dtype_bits;
  uint16_t dtype_lanes;
  int64_t* shape;
  int64_t* strides; /* in elements; null: contiguous */
  uint64_t byte_offset;
} fib_tensor;

typedef int32_t fib_kind;
enum { FIB_TENSOR = 0, FIB_INTEGER = 1, FIB_FLOAT = 2, FIB_BOOL = 3 };

/* One argument. A scalar may be given as a 0-D tensor on the CPU, too. */
typedef struct fib_value {
  fib_kind kind;
  int32_t reserved;
  union {
    const fib_tensor* tensor;
    int64_t integer; /* FIB_INTEGER, FIB_BOOL */
    double number;
  } u;
} fib_value;

/* What a call came to. Everything but FIB_APPLIED means: call your own function. Nothing was done but with
 * FIB_CALL_FAILED, where the solution may have written to outputs before it failed. */
typedef int32_t fib_outcome;
enum {
  FIB_APPLIED = 0,          /* the chosen solution was called; on CUDA its work is queued on the stream */
  FIB_NO_RUNTIME = 1,       /* fib_apply_current() is null: apply is not switched on */
  FIB_NOT_CONFIGURED = 2,   /* the configuration does not name the definition */
  FIB_NO_DEFINITION = 3,    /* the dataset has no such definition */
  FIB_NO_RESULT = 4,        /* no solution has a result for these axes, and the policy takes no other */
  FIB_WRONG_ARGUMENTS = 5,  /* their number, a dtype, a rank, a size, or a device is not the definition's */
  FIB_STRIDED = 6,          /* a tensor is not contiguous */
  FIB_UNALIGNED = 7,        /* a tensor's address is less aligned than solutions may expect */
  FIB_NOT_READY = 8,        /* the stream is being captured, and this case was never called or warmed before, or needs
                             * workspaces that were never made on this stream: fib_prepare() makes them; or the
                             * program's own function calls it while that is compared with it */
  FIB_CANNOT_RUN = 9,       /* the solution cannot be built, loaded, or run in this process */
  FIB_DROPPED = 10,         /* the solution was dropped (fib_apply_drop(), or it failed), or it refused this case */
  FIB_CALL_FAILED = 11,     /* the solution threw an exception, or its launch failed: it is dropped; or its function
                             * returned an error (checks of torch extensions and of TVM-FFI do), or something that is
                             * not the outputs: this case of it is; or the stream, its context or the device's memory
                             * could not take it: nothing is */
  FIB_OTHER_LANGUAGE = 12,  /* the chosen solution is Python code, or a torch extension that fib's torch headers do not
                             * build: for Python to call */
  FIB_NOT_TRUSTED = 13      /* its hash is not on the list that the configuration demands */
};

/* "applied", "no_runtime", …: the words of fib_apply_statistics(). */
FIB_API const char* fib_outcome_name(fib_outcome outcome);

typedef struct fib_apply fib_apply;
typedef struct fib_function fib_function;

/* Chooses, by the dataset's traces, which solution answers which call. `config` is JSON:
 *   {"default": CONFIG | null, "per_definition": {name: CONFIG}}, or one CONFIG, which is the default; null: {}.
 *   CONFIG: {"max_atol", "max_rtol"   limits of a trace's errors; absent: a PASSED verdict suffices
 *            "aot_ratio"              0 to 1, share of the winners that fib_apply_warm() builds; default 1
 *            "on_miss_policy"         "fallback_only" (default), "use_def_best", "nearest"
 *            "hardware"               "auto" (default: this machine's), "any", or a name as traces have it
 *            "require_hash"           true (default): only traces that say that they were made of the solution's
 *                                     present source
 *            "require_trust"          true: only solutions whose content hash `fib apply trust` has accepted;
 *                                     default false
 *            "verify_first"           true: the first call of each case is compared with the program's own function
 *                                     (fib_apply_set_fallback()); default false
 *            "verify_rate"            0 to 1: so is this share of all other calls; default 0
 *            "verify_atol", "verify_rtol"  how far elements may be apart then; default 0.01 both}
 * docs/apply.md says how the choice is made. Solutions run in this process, without a sandbox. Nothing is built yet.
 * The dataset is not needed afterwards. */
FIB_API fib_status fib_apply_open(const fib_dataset* dataset, const char* config, fib_apply** apply);

/* Null is allowed. No call of its functions may be under way, and no work of theirs may be queued on a device. Popped
 * from the stack when it is there. Libraries of solutions stay loaded. */
FIB_API void fib_apply_close(fib_apply* apply);

/* The runtimes in force are a stack: the one on top answers. Pushing the one on top again does nothing. Popping another
 * than the one on top is FIB_INVALID. The stack belongs to the process; it does not own what is on it. */
FIB_API fib_status fib_apply_push(fib_apply* apply);
FIB_API fib_status fib_apply_pop(fib_apply* apply);

/* The runtime on top, or null. Where the environment has FIB_ENABLE_APPLY=1, the first call of the process opens the
 * dataset FIB_DATASET_PATH with {"default": {}} and puts it on the empty stack; what goes wrong there is written to
 * standard error, once. */
FIB_API fib_apply* fib_apply_current(void);

/* The table: {"digest", "index": {definition: [{"axes": {name: value}, "hardware", "solution", "language", "speedup",
 * "latency_ms", "candidates": how many solutions had a result, "second": {"solution", "latency_ms"}}]}, "def_best":
 * {definition: {hardware: solution}}, "left_out": {reason: how many traces}}. */
FIB_API fib_status fib_apply_table(const fib_apply* apply, char** table);

/* What the table calls a device ("NVIDIA H200", the CPU's model). FIB_FAILED where it cannot be used. */
FIB_API fib_status fib_apply_hardware(fib_apply* apply, int32_t device_type, int32_t device_id, char** hardware);

/* Calls by what they came to: {"calls": {definition: {outcome: how often}}, "dropped": {solution: why}, "verified":
 * {definition: {"agreed", "differed", "not_compared": how many calls, "problem": why the first was not compared}}};
 * "verified" has the definitions whose calls are to be compared, and the last two keys where there are such calls. */
FIB_API fib_status fib_apply_statistics(const fib_apply* apply, char** statistics);

/* Builds and loads the winners of `definition` (null: of every definition; FIB_NOT_FOUND: the dataset has none of that
 * name), for the device of the calls to come; it may run compilers. `report`, which may be null, becomes [{"solution",
 * "definition", "ready": true | false, "message"}]. */
FIB_API fib_status fib_apply_warm(fib_apply* apply, const char* definition, int32_t device_type, int32_t device_id,
                                  char** report);

/* The function of a definition, to be called. It belongs to `apply`. FIB_NOT_FOUND never happens: what is missing is
 * told by the calls. */
FIB_API fib_status fib_apply_find(fib_apply* apply, const char* definition, const fib_function** function);

/* Calls the solution that was chosen for these arguments: the inputs in the definition's order, then the outputs.
 * Tensors must be contiguous, of the definition's dtypes, on one device, and aligned to 256 bytes on CUDA and to 64 on
 * the CPU. `stream` is a cudaStream_t on CUDA (null: the default stream) of the current context, and not looked at on
 * the CPU. Work is queued on it; nothing waits. The first call of a case builds, loads and prepares, unless the stream
 * is being captured; every later one allocates nothing but what the solution itself asks for. What a solution returns,
 * instead of writing to the outputs, is copied to them on the stream. Any number of threads. fib_last_error() is ""
 * with FIB_APPLIED, and with outcomes that say everything; else it has a sentence. A graph that captured calls uses the
 * workspaces and the memory of its stream: do not replay it beside other calls of the same solution on that stream.
 * Before a stream is destroyed, or a thread ends that used its per-thread default stream, the program waits for the
 * work that went through fib on it, or does so before it uses a stream that may have the same handle: memory is kept by
 * handles, and used again in the order of the stream. */
FIB_API fib_outcome fib_call(const fib_function* function, const fib_value* arguments, size_t count, void* stream);

/* fib_call() of the definition's function in the runtime on top of the stack. */
FIB_API fib_outcome fib_apply_call(const char* definition, const fib_value* arguments, size_t count, void* stream);

/* Which solution answers calls on that device with these variable axes (`values` in the definition's order of variable
 * axes): its name, which belongs to the function's runtime. Null where none does, and why in `outcome` (may be null).
 * Whether it can be built and loaded is not tried; FIB_OTHER_LANGUAGE comes with the name, for languages that Python
 * alone calls. */
FIB_API const char* fib_match(const fib_function* function, int32_t device_type, int32_t device_id,
                              const int64_t* values, size_t count, fib_outcome* outcome);

/* A case, prepared: calls that differ in addresses, stream and scalars only, with no look at anything else. `arguments`
 * are those of such a call. FIB_APPLIED: `prepared` is set, nothing was called. It lives as long as the
 * runtime of `function`; a graph that captured calls needs it as long. */
typedef struct fib_prepared fib_prepared;
FIB_API fib_outcome fib_prepare(const fib_function* function, const fib_value* arguments, size_t count, void* stream,
                                const fib_prepared** prepared);

/* Calls it. `data` has for each argument the address of a tensor's first element, or the address of a scalar's value:
 * an int64_t for integers and bools, a double for floats. FIB_UNALIGNED, FIB_NOT_READY, FIB_DROPPED and FIB_CALL_FAILED
 * as fib_call(). */
FIB_API fib_outcome fib_prepared_call(const fib_prepared* prepared, void* const* data, void* stream);

/* The program's own function of a definition, for comparing (docs/apply.md): does what a solution would do, with these
 * arguments, which are the inputs and outputs in the definition's order. Tensors are contiguous copies on the device of
 * the call, in memory of the library; outputs hold nothing. On CUDA its work has to be queued on `stream`, or to be
 * waited for. FIB_OK: it did; anything else: this call is not compared. Called by threads that call the definition, by
 * several at once, and not while `stream` is being captured. It must not throw. It may call this library: its own
 * calls are not compared, and one of the definition that is being compared is FIB_NOT_READY, so that a function that
 * asks fib first and else does it itself may be given here. */
typedef fib_status (*fib_fallback)(void* user, const fib_value* arguments, size_t count, void* stream);

/* Gives the definition's calls (fib_call(), fib_apply_call(), fib_prepared_call()) something to be compared with,
 * where "verify_first" or "verify_rate" ask for it; null takes it away. A call that is compared runs solution and
 * fallback on copies of all arguments, waits for both, and judges the outputs by the definition's rule on the host.
 * Where they differ, or the solution has changed its inputs, it is dropped, a line on standard error says so, and
 * the call is FIB_DROPPED with nothing done; else it is made as any other. Never compared are calls on a stream that
 * is being captured, calls whose outputs lie in memory of another argument, and definitions whose op_type has
 * "sampling" in it. `user` is passed on; both have to stay usable until `apply` is closed, or until the calls that
 * were under way when they were replaced have ended. FIB_NOT_FOUND: the dataset has no such definition. */
FIB_API fib_status fib_apply_set_fallback(fib_apply* apply, const char* definition, fib_fallback fallback, void* user);

/* Never calls this solution again, for `reason`, which the statistics tell. Calls under way end as they do. */
FIB_API void fib_apply_drop(fib_apply* apply, const char* solution, const char* reason);

/* ---- Tracing ---------------------------------------------------------------------------------------------------- */

/* What a collected call came to. */
typedef int32_t fib_traced;
enum {
  FIB_KEPT = 0,                   /* it becomes a workload of the dataset */
  FIB_PASSED_OVER = 1,            /* the filter policy has no use for it */
  FIB_NOT_TRACED = 2,             /* no tracing is in force, or none for this definition */
  FIB_TRACED_WRONG_ARGUMENTS = 3, /* their number, a dtype, a rank or a size is not the definition's */
  FIB_CAPTURED = 4,               /* the stream is being captured, so that values on a device cannot be read */
  FIB_TRACED_STRIDED = 5,         /* a tensor on a device whose values are wanted is not contiguous */
  FIB_NO_ROOM = 6,                /* the memory for kept calls is full */
  FIB_NOT_COPIED = 7              /* values could not be copied; fib_tracing_statistics() has the reason */
};

/* "kept", "passed_over", …: the words of fib_tracing_statistics(). */
FIB_API const char* fib_traced_name(fib_traced traced);

typedef struct fib_tracing fib_tracing;
typedef struct fib_site fib_site;

/* Makes workloads of a program's calls, in the folder of `dataset`, which is not needed afterwards. `config` is JSON:
 *   {"default": RULE | null (others are not traced), "per_definition": {name: RULE},
 *    "memory_bytes"   of kept calls that are not yet written; default 512 MiB
 *    "device_bytes"   of copies on devices, all together; default 128 MiB},
 * or one RULE, which is the default; null: {}.
 *   RULE: {"input_dump_policy"     "dump_all", "dump_none", "dump_int", or a list of names of inputs
 *          "filter_policy"         "keep_all", "keep_none", "keep_first", "keep_first_k", "keep_first_k_by_axes",
 *                                  "attention"
 *          "filter_policy_kwargs"  {"k": at least 1}}; what it does not say follows from the definition's op_type.
 * docs/tracing.md says what the policies mean. FIB_INVALID for policies and inputs that are not there, and for a
 * dataset without a folder. A thread is started that writes what is kept and takes no signals; a forked child has to
 * open its own. */
FIB_API fib_status fib_tracing_open(const fib_dataset* dataset, const char* config, fib_tracing** tracing);

/* Writes what is kept; fib_tracing_flush() before it tells whether that works. Null is allowed. No call of its functions
 * may be under way. Popped from the stack when it is there. */
FIB_API void fib_tracing_close(fib_tracing* tracing);

/* A stack as that of fib_apply_push(), of its own. */
FIB_API fib_status fib_tracing_push(fib_tracing* tracing);
FIB_API fib_status fib_tracing_pop(fib_tracing* tracing);

/* The one on top, or null. Where the environment has FIB_ENABLE_TRACING=1, the first call of the process opens the
 * dataset FIB_DATASET_PATH with the usual rules and puts that on the empty stack; it is closed when the process exits.
 * What goes wrong there is written to standard error. */
FIB_API fib_tracing* fib_tracing_current(void);

/* The definition of that name, for fib_collect(); it belongs to `tracing`. FIB_NOT_FOUND when the dataset has none. */
FIB_API fib_status fib_tracing_find(fib_tracing* tracing, const char* definition, const fib_site** site);

/* Looks at a call, before it is made or, where it changes none of its inputs, afterwards: the inputs in the
 * definition's order, then the outputs, which may be left out. Scalars are always recorded, values of tensors as the
 * rule says. Each tensor may lie on another device. What is kept is copied: from the host, page-locked or not, before
 * this returns, from CUDA in the order of `stream`, a cudaStream_t (null: the default stream) of the current context,
 * which is that of a device that tensors lie on. Nothing waits for a device or a file. A call that the
 * filter policy passes over takes less than a microsecond and allocates nothing. Any number of threads.
 * fib_last_error() is not set. */
FIB_API fib_traced fib_collect(const fib_site* site, const fib_value* arguments, size_t count, void* stream);

/* fib_collect() of the definition in the tracing on top of the stack. */
FIB_API fib_traced fib_tracing_collect(const char* definition, const fib_value* arguments, size_t count, void* stream);

/* Waits until what was kept before is on the disk, or lost: FIB_FAILED where calls were lost since the last flush. It
 * waits for work on streams that was queued before calls that were kept. */
FIB_API fib_status fib_tracing_flush(fib_tracing* tracing);

/* {"definitions": {name: {outcome: how many calls, "written", "lost": how many records, "problem": why it cannot be
 * traced, or what was wrong with the first call that did not fit or could not be copied}}, "unknown_definitions": how
 * many calls, "rules_without_definition": [name], "bytes_held", "device_bytes_held", "last_error": of writing}. */
FIB_API fib_status fib_tracing_statistics(const fib_tracing* tracing, char** statistics);

#ifdef __cplusplus
}
#endif

#endif /* FIB_H */
