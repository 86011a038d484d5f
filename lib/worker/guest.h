#pragma once

#include <cstdint>

// The door between libfib_core and guest.py, the script that runs Python code: the script opens libfib_core
// through ctypes, tells it these functions, and hands it its only thread. Everything around a call (messages,
// buffers, clocks, sandbox) is the same C++ as in other workers. C types, since ctypes knows no others; all
// of one process and one thread. guest.py repeats these declarations.
extern "C" {

// What the script does when asked; 0, or -1 after fib_guest_fail(). Texts are JSON in UTF-8, valid during the
// call.
struct FibGuestCallbacks {
  // Before the sandbox closes: torch starts on the device, "cpu" or "cuda".
  int (*start)(const char* device, unsigned threads);
  // Inside the sandbox: imports what the document says (python_target.h).
  int (*load)(const char* document);
  // A new workload: {"inputs": [slot], "outputs": [slot], "scalars": address}; a slot is
  // {"name", "dtype", "scalar", "shape", "address", "bytes"}.
  int (*open)(const char* document);
  // Makes the arguments of the next call.
  int (*prepare)();
  // The timed call. Value-returning functions: each output is told by fib_guest_claim().
  int (*call)();
  // Lets go of what the call returned; its outputs are copied, and the next call's inputs are not there.
  int (*forget)();
};

// Shuts the process out of all files but those it needs (sandbox/files.h); to be called before any thread is
// started. `files`: a sandbox::FileAccess as JSON; `packages`: what the interpreter needs besides, separated
// by
// '\n'. -1, with a message on stderr, on failure.
int fib_guest_enter(const char* files, const char* packages);

// Opens CUDA's driver, before anybody waits for it. It takes no memory of a device.
void fib_guest_open_cuda();

// Answers the parent's requests on this channel until it closes; the process's exit code. Loads
// `description` ("Python 3.12.3, torch 2.11.0") into its answers.
int fib_guest_serve(int channel, const char* description, const FibGuestCallbacks* callbacks);

// In place of fib_guest_serve(): calls the solution that lies in `folder` for a tool that looks at this
// process (probe_main.h has the files); the process's exit code.
int fib_guest_probe(const char* folder, const FibGuestCallbacks* callbacks);

// The sentence for the log of the callback that runs now and is about to return -1.
void fib_guest_fail(const char* text);

// One output of the running call, in order: its dtype's name, its shape in elements, and where its contiguous
// elements lie until the next prepare().
void fib_guest_claim(const char* dtype, int rank, const std::int64_t* shape, std::uint64_t address);
}
