#pragma once

#include <map>
#include <string>

#include "model/constraint.h"
#include "model/definition.h"
#include "synthesis/draw.h"

namespace fib::synthesis {

// What constraints may ask: axes, sizes that follow from them, and elements of tensors that are there.
// References must outlive it.
class KnownValues : public model::ConstraintValues {
 public:
  KnownValues(const model::Definition& definition, const model::AxisValues& axes,
              const std::map<std::string, Integers>& tensors)
      : definition_(definition), axes_(axes), tensors_(tensors) {}

  [[nodiscard]] std::optional<std::int64_t> value(const std::string& name) const override;
  [[nodiscard]] std::optional<std::int64_t> size(const std::string& tensor,
                                                 std::int64_t index) const override;
  [[nodiscard]] std::optional<std::int64_t> element(const std::string& tensor,
                                                    std::int64_t index) const override;

 private:
  const model::Definition& definition_;
  const model::AxisValues& axes_;
  const std::map<std::string, Integers>& tensors_;
};

// The first constraint that does not hold for what is known, with its values; empty when no constraint
// is known to be broken. Constraints that cannot be parsed are not judged.
[[nodiscard]] std::string broken_constraint(const model::Definition& definition, const KnownValues& known);

}  // namespace fib::synthesis
