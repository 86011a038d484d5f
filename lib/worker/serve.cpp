#include "worker/serve.h"

#include <cstdio>
#include <exception>

#include "worker/messages.h"

namespace fib::worker {

int serve(Channel& channel, const std::function<bool(Message&)>& answer,
          const std::function<std::int64_t(MessageType)>& spin_after) {
  if (!channel.send(MessageType::kHello, 0, Hello{build_id()}.encode())) return 1;
  Message message;
  while (channel.receive(message, -1, spin_after(message.type)) == Channel::Result::kMessage) {
    try {
      if (!answer(message)) return 1;
    } catch (const std::exception& error) {
      std::fflush(nullptr);  // what was printed so far belongs to the log of this failure
      // The log limit of the parent is far above this; a message's is not.
      const std::string text = std::string(error.what()).substr(0, kMaxPayload / 2);
      if (!channel.send(MessageType::kError, message.ticket, WorkerError{text}.encode())) return 1;
    }
  }
  return 0;
}

}  // namespace fib::worker
