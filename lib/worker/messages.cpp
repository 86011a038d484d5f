#include "worker/messages.h"

#include "worker/wire_fields.h"

namespace fib::worker {

void fields(auto& wire, Either<Hello> auto& m) { wire.text(m.build_id); }
void fields(auto& wire, Either<WorkerError> auto& m) { wire.text(m.text); }

std::string Hello::encode() const { return encoded(*this); }
Hello Hello::decode(const std::string& payload) { return decoded<Hello>(payload); }

std::string WorkerError::encode() const { return encoded(*this); }
WorkerError WorkerError::decode(const std::string& payload) { return decoded<WorkerError>(payload); }

std::string UseDevice::encode() const { return encoded(*this); }
UseDevice UseDevice::decode(const std::string& payload) { return decoded<UseDevice>(payload); }

std::string name_of(Flush flush) {
  return flush == Flush::kClean ? "clean" : flush == Flush::kDirty ? "dirty" : "none";
}

}  // namespace fib::worker
