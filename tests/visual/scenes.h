#pragma once

#include "report/runs_dataset.h"
#include "visual/scene.h"

namespace fib::testing {

// The scene of a dataset that goes away with it.
class RunsScene {
 public:
  explicit RunsScene(const dataset::Filter& filter = {}) {
    write_runs(files_);
    visual::read_scene(files_.root().string(), {filter, false, "baseline", visual::WithHistory::yes}, scene_);
  }
  [[nodiscard]] const visual::Scene& scene() const { return scene_; }
  [[nodiscard]] const visual::HardwareScene& gpu() const { return scene_.hardware.at(0); }
  [[nodiscard]] const visual::DefinitionScene& gemm() const { return gpu().definitions.at(0); }

 private:
  TemporaryDataset files_;
  visual::Scene scene_;
};

}  // namespace fib::testing
