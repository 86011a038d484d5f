#include "show.h"

namespace {

using Format = torch::MemoryFormat;

torch::Tensor counted() {
  const auto x = torch::empty({4, 6}, torch::kFloat32);
  for (int i = 0; i < 24; ++i) x.data_ptr<float>()[i] = static_cast<float>(i);
  return x;
}

// The second axis is the fastest one in memory, as of images whose channels lie last.
torch::Tensor channels_last(const std::vector<int64_t>& sizes) {
  std::vector<size_t> order = {1};
  for (size_t axis = sizes.size(); --axis > 1;) order.push_back(axis);
  order.push_back(0);
  std::vector<int64_t> strides(sizes.size());
  int64_t step = 1;
  for (const auto axis : order) {
    strides[axis] = step;
    step *= std::max<int64_t>(sizes[axis], 1);
  }
  return torch::empty_strided(sizes, strides).fill_(1);
}

void show_as_strided() {
  const auto x = counted();
  SHOW(x.as_strided({2}, {-1}));
  SHOW(x.as_strided({2}, {1}, -1));
  SHOW(x.as_strided({2}, {1}, -5));
  SHOW(x.as_strided({-2}, {1}));
  SHOW(x.as_strided({24}, {1}));
  SHOW(x.as_strided({25}, {1}));
  SHOW(x.as_strided({24}, {1}, 1));
  SHOW(x.as_strided({2, 3}, {11, 6}).strides());
  SHOW(x.as_strided({2, 3}, {12, 6}).strides());
  SHOW(x.as_strided({0, 3}, {100, 6}, 100).strides());
  SHOW(x.as_strided({0, 3}, {100, 6}, -100).strides());
  SHOW(x.as_strided({}, {}, 23));
  SHOW(x.as_strided({}, {}, 24));
  SHOW(x.as_strided({1}, {100}, 23));
  SHOW(x.as_strided({3, 2}, {0, 0}, 23));
  SHOW(x.as_strided({2, 2}, {1}, -1));
  SHOW(x.slice(0, 1).as_strided({2}, {1}));
  SHOW(x.slice(0, 1).as_strided({20}, {1}));
  SHOW(x.as_strided({int64_t{1} << 40, int64_t{1} << 40}, {0, 0}).strides());
  SHOW(x.as_strided({int64_t{1} << 40, 2}, {int64_t{1} << 40, 0}).strides());
  SHOW(torch::from_blob(x.data_ptr(), {4}).as_strided({5}, {1}));
  SHOW(torch::from_blob(x.data_ptr(), {2}, {3}).as_strided({4}, {1}));
  SHOW(torch::from_blob(x.data_ptr(), {2}, {3}).as_strided({5}, {1}));
  SHOW(torch::from_blob(x.data_ptr(), {0}).as_strided({1}, {1}));
  SHOW(torch::from_blob(x.data_ptr(), {-2}).sizes());
  SHOW(torch::empty_strided({2}, {3}).as_strided({4}, {1}).sizes());
  SHOW(torch::empty_strided({2}, {3}).as_strided({5}, {1}).sizes());
  SHOW(torch::empty_strided({2}, {-3}));
  SHOW(torch::empty_strided({-2}, {3}));
  SHOW(torch::empty_strided({0}, {-3}).sizes());
  SHOW(torch::empty({3}, torch::kHalf).as_strided({4}, {1}).sizes());
  SHOW(torch::Tensor().as_strided({4}, {1}).sizes());
}

void show_pointers() {
  const auto x = counted();
  const auto none = x.slice(0, 2, 2);
  const auto* begin = x.data_ptr<float>();
  SHOW(none.data_ptr() == nullptr);
  SHOW(none.const_data_ptr() == nullptr);
  SHOW(none.mutable_data_ptr() == nullptr);
  SHOW(none.data_ptr<float>() == begin + 12);
  SHOW(none.const_data_ptr<float>() == begin + 12);
  SHOW(none.mutable_data_ptr<float>() == begin + 12);
  SHOW(none.accessor<float, 2>().data() == begin + 12);
  SHOW(none.data_ptr<double>() == nullptr);
  SHOW(x.slice(0, 0, 0).data_ptr() == nullptr);
  SHOW(x.slice(0, 0, 0).data_ptr<float>() == begin);
  SHOW(torch::empty({0}).data_ptr() == nullptr);
  SHOW(torch::empty({0}).data_ptr<float>() == nullptr);
  SHOW(torch::from_blob(x.data_ptr(), {0, 2}).data_ptr() == nullptr);
  SHOW(torch::from_blob(x.data_ptr(), {0, 2}).data_ptr<float>() == begin);
  SHOW(x[2].data_ptr<float>() == begin + 12);
  SHOW(x.const_data_ptr<const float>() == begin);
  SHOW(x.accessor<const float, 2>()[1][1]);
  SHOW(x.packed_accessor32<const float, 2>()[1][1]);
}

void show_gradients() {
  const auto x = torch::ones({2}, torch::requires_grad());
  SHOW(x.requires_grad());
  SHOW(x.detach().requires_grad());
  SHOW(x.data().requires_grad());
  SHOW(x.detach().data_ptr() == x.data_ptr());
  SHOW(x.view({2}).requires_grad());
  SHOW(x.view(torch::kFloat32).requires_grad());
  SHOW(x.index({"..."}).requires_grad());
  SHOW(x.clone().requires_grad());
  SHOW(x.to(torch::kHalf).requires_grad());
  SHOW(torch::empty_like(x).requires_grad());
  SHOW(x.new_empty({2}).requires_grad());
  SHOW(x.new_empty({2}, torch::requires_grad()).requires_grad());
  SHOW(x.options().requires_grad());
  SHOW(torch::ones({2}).requires_grad_().requires_grad());
  SHOW(torch::ones({2}, torch::kInt32).requires_grad_().requires_grad());
  SHOW(torch::empty({2}, torch::dtype(torch::kInt32).requires_grad(true)).requires_grad());
  SHOW(x.to(torch::dtype(torch::kHalf).requires_grad(true)));
}

void show_joined() {
  const auto a = channels_last({2, 3, 4, 5});
  const auto wide = channels_last({2, 3, 4, 5, 2});
  const auto plain = torch::ones({2, 3, 4, 5});
  SHOW(torch::cat({a, a}));
  SHOW(torch::cat({a, a}, 1).strides());
  SHOW(torch::cat({a, a}, -1).strides());
  SHOW(torch::cat({a, plain}, 1).strides());
  SHOW(torch::cat({plain, a}, 1).strides());
  SHOW(torch::cat({a}, 1).strides());
  SHOW(torch::cat({torch::empty({0}), a}, 1).strides());
  SHOW(torch::cat({a, torch::empty({0}), a}, 1).strides());
  SHOW(torch::cat({wide, wide}, 1).strides());
  SHOW(torch::cat({a.slice(1, 0, 2), a}, 1).strides());
  SHOW(torch::cat({a.slice(3, 0, 5, 2), a}, 3).strides());
  SHOW(torch::cat({a.to(torch::kHalf), a}, 3).strides());
  SHOW(torch::cat({a.transpose(2, 3), a.transpose(2, 3)}, 0).strides());
  SHOW(torch::cat({plain.permute({0, 3, 1, 2}), plain.permute({0, 3, 1, 2})}, 0).strides());
  SHOW(torch::cat({plain.slice(1, 0, 1).expand({2, 3, 4, 5}), a}, 1).strides());
  for (const auto& sizes : std::vector<std::vector<int64_t>>{
           {2, 1, 4, 5}, {2, 3, 1, 1}, {1, 3, 1, 1}, {0, 3, 1, 1}, {1, 1, 1, 1}, {2, 1, 1, 1}}) {
    std::cout << c10::IntArrayRef(sizes) << "\n";
    SHOW(torch::cat({channels_last(sizes), channels_last(sizes)}, 0).strides());
    SHOW(torch::cat({channels_last(sizes), channels_last(sizes)}, 1).strides());
    SHOW(torch::cat({torch::zeros(sizes), torch::zeros(sizes)}, 0).strides());
  }
  for (const int64_t axis : {0, 1, 2, 3, 4, -1}) {
    std::cout << "axis " << axis << "\n";
    SHOW(torch::stack({a, a}, axis).strides());
    SHOW(torch::stack({a, plain}, axis).strides());
    SHOW(torch::stack({wide, wide}, axis).strides());
    SHOW(torch::stack({a.select(2, 0), a.select(2, 0)}, axis).strides());
  }
  SHOW(torch::stack({a.slice(1, 0, 1), plain.slice(1, 0, 1)}, 2));
  SHOW(torch::stack({torch::empty({0}), torch::empty({0})}, 0));
  SHOW(torch::stack({torch::empty({0}), torch::empty({0})}, 1));
  SHOW(torch::stack({torch::empty({0}), torch::empty({3})}, 1));
  SHOW(torch::stack({torch::empty({2}), torch::empty({3})}, 5));
}

void show_formats() {
  const auto a = channels_last({2, 3, 4, 5});
  const auto t = torch::ones({2, 3}).t();
  SHOW(a.clone().strides());
  SHOW(a.contiguous().strides());
  SHOW(a.contiguous(Format::Preserve).strides());
  SHOW(a.contiguous().contiguous(Format::Preserve).strides());
  SHOW(a.clone(Format::Contiguous).strides());
  SHOW(a.clone(Format::Preserve).strides());
  SHOW(a.to(torch::kFloat, false, false, Format::Contiguous).strides());
  SHOW(a.to(torch::kFloat, false, false, Format::Preserve).is_same(a));
  SHOW(a.to(torch::TensorOptions().memory_format(Format::Contiguous)).strides());
  SHOW(a.to(torch::TensorOptions().memory_format(Format::Preserve)).is_same(a));
  SHOW(t.to(torch::kFloat, false, false, Format::Contiguous).is_same(t));
  SHOW(t.to(torch::kFloat, false, true, Format::Contiguous).strides());
  SHOW(t.to(torch::kHalf, false, false, Format::Contiguous).strides());
  SHOW(t.to(torch::TensorOptions().memory_format(Format::Contiguous)).is_same(t));
  SHOW(t.to(torch::dtype(torch::kHalf).memory_format(Format::Contiguous)).strides());
  SHOW(t.to(torch::dtype(torch::kHalf).memory_format(Format::Preserve)).strides());
  SHOW(t.to(torch::dtype(torch::kHalf).memory_format(Format::Preserve), false, false, Format::Preserve));
  for (const auto format : {Format::Contiguous, Format::Preserve}) {
    const auto options = torch::TensorOptions().memory_format(format);
    std::cout << format << "\n";
    SHOW(options);
    SHOW(torch::empty({2, 3}, options).strides());
    SHOW(torch::empty({-2, 3}, options).strides());
    SHOW(torch::empty({2, 3}, torch::kFloat, format).strides());
    SHOW(torch::empty({2, 3}, options, format).strides());
    SHOW(torch::zeros({2, 3}, options).strides());
    SHOW(torch::ones({2, 3}, options).strides());
    SHOW(torch::full({2, 3}, 1, options).strides());
    SHOW(torch::scalar_tensor(1, options).strides());
    SHOW(torch::empty_strided({2, 3}, {1, 2}, options).strides());
    SHOW(torch::empty_like(t, options).strides());
    SHOW(torch::empty_like(t, options, format).strides());
    SHOW(torch::zeros_like(t, options).strides());
    SHOW(torch::zeros_like(t, options, format).strides());
    SHOW(torch::ones_like(t, options).strides());
    SHOW(torch::full_like(t, 2, options).strides());
    SHOW(t.new_empty({2, 3}, options).strides());
    SHOW(t.new_zeros({2, 3}, options).strides());
    SHOW(t.new_full({2, 3}, 1, options).strides());
  }
}

}  // namespace

void show(const torch::Tensor&) {
  show_as_strided();
  show_pointers();
  show_gradients();
  show_joined();
  show_formats();
}
