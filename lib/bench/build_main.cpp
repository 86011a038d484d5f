#include "bench/build_main.h"

#include <exception>

#include "bench/build_document.h"
#include "compile/build_result_json.h"
#include "compile/builder.h"
#include "compile/device_kernels.h"
#include "util/files.h"
#include "worker/channel.h"
#include "worker/messages.h"

namespace fib::bench {
namespace {

constexpr std::size_t kMaxBuildRequest = 256 * 1024 * 1024;

// The path of fib's own kernels.
std::string build([[maybe_unused]] const KernelsRequest& request) {
#if FIB_CUDA
  return compile::device_kernels(request.architecture, request.cache);
#else
  throw Error("this fib was built without CUDA support");
#endif
}

// The document of the answer.
std::string build(const worker::Message& message) {
  const std::string document = util::read_document(message.fds[0].get(), kMaxBuildRequest);
  if (const auto kernels = KernelsRequest::parse(document)) return build(*kernels);
  const auto request = BuildRequest::parse(document);
  return compile::to_json(
      compile::build(request.solution, request.definition, request.target, request.cache));
}

}  // namespace

int run_build(util::UniqueFd socket) {
  using worker::MessageType;
  worker::Channel channel(std::move(socket));
  worker::Message message;
  if (!channel.send(MessageType::kHello, 0, worker::Hello{worker::build_id()}.encode())) return 1;
  if (channel.receive(message, -1) != worker::Channel::Result::kMessage) return 0;
  try {
    if (message.type != MessageType::kBuild || message.fds.size() != 1) {
      throw worker::ProtocolError("a builder takes one Build request");
    }
    const auto document = util::make_sealed_document("fib-build", build(message));
    return channel.send(MessageType::kBuilt, message.ticket, {}, {document.get()}) ? 0 : 1;
  } catch (const std::exception& error) {
    return channel.send(MessageType::kError, message.ticket, worker::WorkerError{error.what()}.encode()) ? 0
                                                                                                         : 1;
  }
}

}  // namespace fib::bench
