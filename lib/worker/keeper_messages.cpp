#include "worker/keeper_messages.h"

#include "worker/wire_fields.h"

namespace fib::worker {

void fields(auto& wire, Either<Spawn> auto& m) {
  wire.number(m.id);
  wire.texts(m.arguments);
  wire.texts(m.environment);
  wire.text(m.folder);
  wire.number(m.file_size_limit);
  wire.number(m.memory_limit);
}

void fields(auto& wire, Either<Spawned> auto& m) {
  wire.number(m.id);
  wire.number(m.pid);
  wire.text(m.error);
  wire.flag(m.memory_group);
}

void fields(auto& wire, Either<Exited> auto& m) {
  wire.number(m.id);
  wire.number(m.wait_status);
  wire.flag(m.memory_exhausted);
}

std::string Spawn::encode() const { return encoded(*this); }
Spawn Spawn::decode(const std::string& payload) { return decoded<Spawn>(payload); }

std::string Spawned::encode() const { return encoded(*this); }
Spawned Spawned::decode(const std::string& payload) { return decoded<Spawned>(payload); }

std::string Exited::encode() const { return encoded(*this); }
Exited Exited::decode(const std::string& payload) { return decoded<Exited>(payload); }

}  // namespace fib::worker
