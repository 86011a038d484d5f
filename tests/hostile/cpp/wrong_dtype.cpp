#include "takes_over_protocol.h"

extern "C" void run(const float*, const float*, float*, std::int64_t n) { lie::claim(3, n); }
