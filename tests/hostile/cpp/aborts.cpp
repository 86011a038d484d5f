#include <cstdint>
#include <cstdlib>

extern "C" void run(const float*, const float*, float*, std::int64_t) { std::abort(); }
