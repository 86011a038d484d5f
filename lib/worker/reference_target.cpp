// TEMPORARY
#include "worker/target.h"
#include <cstring>
namespace fib::worker {
namespace {
class T : public Target {
 public:
  void open(const eval::Layout& l, std::byte* i, std::byte* o) override { l_ = l; i_ = i; o_ = o; }
  void prepare() override {}
  void call() override {
    auto* a = reinterpret_cast<float*>(i_ + l_.inputs[0].offset); auto* b = reinterpret_cast<float*>(i_ + l_.inputs[1].offset);
    auto* c = reinterpret_cast<float*>(o_);
    for (std::size_t k = 0; k < l_.outputs[0].count(); ++k) c[k] = a[k] + b[k];
  }
  std::vector<eval::OutputClaim> collect() override { return {{l_.outputs[0].dtype, l_.outputs[0].shape}}; }
  eval::Layout l_; std::byte* i_; std::byte* o_;
};
}
std::unique_ptr<Target> make_reference_target(const std::string&, unsigned, std::string& e) { e = "native temp"; return std::make_unique<T>(); }
}
