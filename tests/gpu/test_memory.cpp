#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device/cuda/alias_check.h"
#include "gpu/gpu.h"
#include "worker/channel.h"
#include "worker/messages.h"

using namespace fib;
using device::cuda::SharedDeviceMemory;

namespace {

constexpr std::uint64_t kBytes = 4096;

// The other process: maps what it is sent, doubles its bytes, and tries to reach what lies beside it. Exit
// code: 0 when everything is as it should be, else which step was not.
int other_process(const std::string& uuid, int socket) {
  worker::Channel channel{util::UniqueFd(socket)};
  worker::Message message;
  if (channel.receive(message, -1) != worker::Channel::Result::kMessage || message.fds.size() != 1) return 10;
  const device::cuda::Context context(uuid);
  auto memory = SharedDeviceMemory::open(context, std::move(message.fds[0]), kBytes);
  std::vector<unsigned char> bytes(kBytes);
  const auto& driver = context.driver();
  if (driver.copy_to_host(bytes.data(), memory.data(), kBytes, context.stream()) != CUDA_SUCCESS) return 11;
  context.wait();
  for (auto& byte : bytes) byte = static_cast<unsigned char>(2 * byte);
  if (driver.copy_to_device(memory.data(), bytes.data(), kBytes, context.stream()) != CUDA_SUCCESS) return 12;
  context.wait();
  // Beyond the allocation there is nothing: neither behind nor before it.
  unsigned char stolen = 0;
  if (driver.copy_to_host(&stolen, memory.data() + memory.size(), 1, context.stream()) == CUDA_SUCCESS)
    return 13;
  if (driver.copy_to_host(&stolen, memory.data() - 1, 1, context.stream()) == CUDA_SUCCESS) return 14;
  return 0;
}

}  // namespace

TEST_CASE("another process reaches the buffer it was sent, and nothing beside it", "[gpu]") {
  auto* gpu = testing::gpu();
  if (gpu == nullptr) return;
  // A child of this program's own: CUDA does not survive fork().
  auto [ours, theirs] = worker::Channel::make_pair();
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string socket = std::to_string(theirs.fd());
    ::setenv("FIB_TEST_SHARED_MEMORY", (gpu->info.uuid + " " + socket).c_str(), 1);
    ::fcntl(theirs.fd(), F_SETFD, 0);
    ::execl("/proc/self/exe", "test_gpu", "the other process of the memory test", nullptr);
    ::_exit(99);
  }
  theirs.close();
  // Two small buffers made one after the other: the neighbour must stay out of reach.
  const auto shared = SharedDeviceMemory::create(gpu->context, kBytes);
  const auto neighbour = SharedDeviceMemory::create(gpu->context, kBytes);
  gpu->kernels.poison(0x0101010101010101U, shared.data(), kBytes);
  gpu->kernels.poison(0x0707070707070707U, neighbour.data(), kBytes);
  gpu->context.wait();
  REQUIRE(ours.send(worker::MessageType::kAttached, 1, {}, {shared.fd()}));
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(gpu->download(shared.data(), kBytes) == std::vector<std::byte>(kBytes, std::byte{2}));
  CHECK(gpu->download(neighbour.data(), kBytes) == std::vector<std::byte>(kBytes, std::byte{7}));
}

TEST_CASE("the other process of the memory test", "[.]") {
  const char* text = std::getenv("FIB_TEST_SHARED_MEMORY");
  REQUIRE(text != nullptr);
  const std::string words = text;
  const std::size_t space = words.find(' ');
  ::_exit(other_process(words.substr(0, space), std::stoi(words.substr(space + 1))));
}

TEST_CASE("memory that is mapped at two places is told from memory that is not", "[gpu]") {
  auto* gpu = testing::gpu();
  if (gpu == nullptr) return;
  constexpr std::uint64_t kPage = std::uint64_t{2} << 20U;
  const auto& context = gpu->context;
  const auto& driver = context.driver();
  device::cuda::AliasCheck check(context);
  const device::cuda::DeviceMemory plain(context, 9 * kPage + 12);
  for (const std::uint64_t random : {std::uint64_t{0}, std::uint64_t{123'456'789}, ~std::uint64_t{0}}) {
    CHECK_FALSE(check.is_mapped_twice({plain.data(), 9 * kPage + 12}, random));
    CHECK_FALSE(check.is_mapped_twice({plain.data(), kPage + 4}, random));
    CHECK_FALSE(check.is_mapped_twice({plain.data(), 64}, random));
  }
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = context.device();
  CUmemGenericAllocationHandle handles[2] = {};
  for (auto& handle : handles) context.check(driver.create(&handle, kPage, &properties, 0), "cuMemCreate");
  CUdeviceptr data = 0;
  context.check(driver.reserve(&data, 4 * kPage, 0, 0, 0), "cuMemAddressReserve");
  CUmemAccessDesc access{};
  access.location = properties.location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  for (const std::uint64_t page : {0, 1, 2, 3}) {  // the first piece, the second, and the second twice again
    context.check(driver.map(data + page * kPage, kPage, 0, handles[page == 0 ? 0 : 1], 0), "cuMemMap");
    context.check(driver.set_access(data + page * kPage, kPage, &access, 1), "cuMemSetAccess");
  }
  std::vector<std::uint32_t> bytes(4 * kPage / 4);
  const auto read = [&] {
    context.check(driver.copy_to_host(bytes.data(), data, 4 * kPage, context.stream()), "cuMemcpyDtoHAsync");
    context.wait();
    return bytes;
  };
  const auto before = read();
  CHECK_FALSE(check.is_mapped_twice({data, 2 * kPage}, 7));
  CHECK(check.is_mapped_twice({data + kPage, 3 * kPage}, 7));
  CHECK(check.is_mapped_twice({data + kPage, 2 * kPage - 400}, 123'456'789));
  for (const std::uint64_t random : {std::uint64_t{0}, std::uint64_t{123'456'789}, ~std::uint64_t{0}}) {
    CHECK_FALSE(check.shares_page_with({data, kPage}, {{plain.data(), 9 * kPage}, {data + kPage, 3 * kPage}},
                                       random));
    CHECK(check.shares_page_with({data + kPage, kPage},
                                 {{plain.data(), 9 * kPage}, {data + 2 * kPage, kPage}}, random));
    CHECK(check.shares_page_with({data + kPage + 404, 64}, {{data + 2 * kPage + 100, kPage}}, random));
    CHECK_FALSE(check.shares_page_with({data + kPage + 404, 2}, {{data + 2 * kPage, kPage}}, random));
  }
  CHECK(read() == before);
  driver.unmap(data, 4 * kPage);
  driver.unreserve(data, 4 * kPage);
  for (const auto& handle : handles) driver.release(handle);
}
