#include <cstdint>

extern "C" int run(const float*, const float*, float*, std::int64_t) { return 7; }
