#include "validate/support.h"

using namespace fib::testing;
using fib::tensor::DType;

TEST_CASE("blobs: the dtype is the definition's") {
  const Checked files;
  files.blob("blob/a.safetensors", DType::kFloat32, {2, 4}, std::vector<float>(8));
  files.blob("blob/b.safetensors", DType::kInt32, {2, 4}, std::vector<std::int32_t>(8));
  files.workloads(record(workload_json("w", blob_input("blob/a.safetensors"))));
  CHECK(files.said("blobs") == Lines{});
  files.workloads(record(workload_json("w", blob_input("blob/b.safetensors"))));
  CHECK(files.said("blobs") ==
        Lines{"error: workload w: A is int32 in blob/b.safetensors, but the definition says "
              "float32; store it as float32"});
}

TEST_CASE("blobs: a Git LFS pointer is named once, with the command that fetches it") {
  const Checked files;
  files.files.write("blob/a.safetensors",
                    "version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 1\n");
  files.workloads(record(workload_json("w", blob_input("blob/a.safetensors"))) +
                  record(workload_json("v", blob_input("blob/a.safetensors"))));
  CHECK(files.said("blobs") ==
        Lines{"error: workload w: blob/a.safetensors is a Git LFS pointer without its data; "
              "fetch it with: git lfs pull --include blob/a.safetensors"});
}

TEST_CASE("blobs: a file in another place than written is found, with a warning") {
  const Checked files;
  files.blob("blob/workloads/op/d/a.safetensors", DType::kFloat32, {2, 4}, std::vector<float>(8));
  files.workloads(record(workload_json("w", blob_input("blob/workloads/op/a.safetensors"))));
  CHECK(files.said("layout") == Lines{});
  CHECK(files.said("workload") == Lines{"info: 1 valid"});
  CHECK(files.said("blobs") == Lines{"warning: workload w: blob/workloads/op/a.safetensors was found at "
                                     "blob/workloads/op/d/a.safetensors; write that path"});
  CHECK(files.said("layout", kUpstream) ==
        Lines{"error: workload w: blob missing at blob/workloads/op/a.safetensors"});
}

TEST_CASE("blobs: a file outside of the dataset is an error that upstream does not know") {
  const Checked elsewhere;
  elsewhere.blob("a.safetensors", DType::kFloat32, {2, 4}, std::vector<float>(8));
  const Checked files;
  const std::string path = (elsewhere.files.root() / "a.safetensors").string();
  files.workloads(record(workload_json("w", blob_input(path))));
  CHECK(files.said("workload", kUpstream) == Lines{"info: 1 valid"});
  const Lines said = files.said("blobs");
  REQUIRE(said.size() == 1);
  CHECK_THAT(said[0],
             Catch::StartsWith("error: workload w: ") && Catch::Contains("lies outside of the dataset"));
}
