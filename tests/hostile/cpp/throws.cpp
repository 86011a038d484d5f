#include <cstdint>
#include <stdexcept>

extern "C" void run(const float*, const float*, float*, std::int64_t) {
  throw std::runtime_error("no luck today");
}
