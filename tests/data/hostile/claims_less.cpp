// Takes over the worker's socket for good and does honest work, but claims a thousandth of the time it took.
#include <fcntl.h>
#include <sys/stat.h>

#include <vector>

#include "takes_over_protocol.h"

namespace {

// The shared buffers are the two memfds: the inputs cannot be written, the outputs can.
int find_buffer(bool writable) {
  for (int fd = 4; fd < 64; ++fd) {
    struct stat info {};
    if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) || info.st_nlink != 0) continue;
    const bool can_write = ::pwrite(fd, "", 0, 0) == 0 && (::fcntl(fd, F_GET_SEALS) & 0x0010) == 0;
    if (can_write == writable) return fd;
  }
  return -1;
}

void work(int inputs, int outputs, std::int64_t n) {
  std::vector<float> a(static_cast<std::size_t>(n)), b(a.size()), c(a.size());
  const auto bytes = a.size() * sizeof(float);
  const auto second = static_cast<off_t>((bytes + 255) / 256 * 256);
  if (::pread(inputs, a.data(), bytes, 0) < 0 || ::pread(inputs, b.data(), bytes, second) < 0) return;
  for (std::size_t i = 0; i < a.size(); ++i) c[i] = a[i] + b[i];
  ::usleep(5000);
  if (::pwrite(outputs, c.data(), bytes, 0) < 0) return;
}

}  // namespace

extern "C" void run(const float*, const float*, float*, std::int64_t n) {
  const int inputs = find_buffer(false);
  const int outputs = find_buffer(true);
  std::string collected;
  lie::put(collected, std::uint8_t{0});
  lie::put(collected, std::uint32_t{1});
  lie::put(collected, std::uint8_t{1});  // float32
  lie::put(collected, std::uint32_t{1});
  lie::put(collected, n);
  lie::put(collected, std::uint64_t{0});  // no ties
  lie::Header request;
  request.sequence = 9;  // this Run request
  request.type = 9;
  for (;;) {
    if (request.type == 9) {
      work(inputs, outputs, n);
      lie::send(lie::kDone, request.sequence, lie::done_in(5000));
    } else if (request.type == 11) {
      lie::send(lie::kCollected, request.sequence, collected);
    } else {
      lie::send(8, request.sequence, "");  // Prepare is answered by Ready
    }
    if (::recv(lie::kChannel, &request, sizeof request, 0) <= 0) ::_exit(0);
  }
}
