#include "show.h"

namespace {

torch::Tensor counted() {
  const auto x = torch::empty({4, 6}, torch::kFloat32);
  for (int i = 0; i < 24; ++i) x.data_ptr<float>()[i] = static_cast<float>(i);
  return x;
}

void show_overlap() {
  using namespace torch::indexing;
  auto wide = torch::zeros({3}).expand({2, 3});
  SHOW(wide.copy_(torch::ones({2, 3})));
  SHOW(wide.copy_(torch::ones({5})));
  SHOW(wide.copy_(wide));
  SHOW(wide.copy_(wide.detach()));
  SHOW(wide.copy_(wide.slice(0, 0, 1)));
  SHOW(wide.slice(0, 0, 1).copy_(torch::ones({1, 3})));
  SHOW(wide.copy_(torch::Tensor()));
  SHOW(wide[0].copy_(torch::full({3}, 4)));
  SHOW(wide.fill_(2));
  SHOW(wide.zero_());
  SHOW(wide = torch::ones({2, 3}));
  wide = torch::zeros({3}).expand({2, 3});
  SHOW(wide.index_put_({0}, 5));
  SHOW(wide.index_put_({Slice()}, 5));
  SHOW(wide.index_put_({Slice()}, torch::ones({3})));
  SHOW(wide.index_put_({Slice(0, 1)}, torch::ones({3})));
  SHOW(wide.index_put_({0, 0}, 5));
  SHOW(wide.index_put_({0}, torch::full({}, 3)));
  SHOW(torch::zeros({}).expand({0}).copy_(torch::ones({0})));
  SHOW(torch::zeros({}).expand({4}).copy_(torch::ones({})));
  SHOW(torch::zeros({1}).expand({4}).copy_(torch::ones({4}, torch::kInt32)));
  const auto x = counted();
  SHOW(x.narrow(0, 0, 2).copy_(x.narrow(0, 1, 2)));
  SHOW(x.narrow(0, 0, 2).copy_(x.narrow(0, 2, 2)));
  SHOW(x.narrow(0, 0, 2).copy_(x.narrow(0, 1, 3)));
  SHOW(x.copy_(x.view({4, 6})));
  SHOW(x.copy_(x.view(torch::kInt32)));
  SHOW(x.view(torch::kInt32).view({24}).narrow(0, 0, 4).copy_(x.view({24}).narrow(0, 2, 4)));
  SHOW(x.view({24}).copy_(counted().t().flatten()));
  SHOW(torch::from_blob(x.data_ptr(), {3}).copy_(x[0].slice(0, 1, 4)));
  auto square = torch::ones({4, 4});
  SHOW(square.copy_(square.t()));
  SHOW(square.t().copy_(square));
  SHOW(square.narrow(1, 0, 2).copy_(square.narrow(1, 2, 2)));
  SHOW(square[0].copy_(square[0].slice(0, 0, 1)));
  SHOW(square.copy_(square[0]));
  SHOW(square[0].copy_(square[1]));
  SHOW(square.index_put_({0}, square[0].slice(0, 1, 2)));
  SHOW(square[1] = square);
}

void show_index_put() {
  using namespace torch::indexing;
  auto z = torch::zeros({3, 3});
  SHOW(z.index_put_({0}, torch::ones({2})));
  SHOW(z.index_put_({Slice()}, torch::ones({2})));
  SHOW(z.index_put_({0}, torch::ones({2, 3})));
  SHOW(z.index_put_({0}, torch::ones({1, 1, 3})));
  SHOW(z.index_put_({0}, torch::full({1}, 2)));
  SHOW(z.index_put_({0}, torch::full({}, 3)));
  SHOW(z.index_put_({0}, torch::full({1}, 4).expand({1, 1})));
  SHOW(z.index_put_({0, 0}, torch::full({1, 1}, 5)));
  SHOW(z.index_put_({0, 0, 0}, 1));
  SHOW(z.index_put_({5}, 1));
  SHOW(z.index_put_({None, 1}, 6));
  SHOW(z.index_put_({"..."}, 7));
  SHOW(z.index_put_({Slice(0, 2, 0)}, 1));
  SHOW(z.index_put_({Slice(0, 2, -1)}, 3));
  SHOW(z.index_put_({}, 1));
  SHOW(z.index_put_({}, torch::ones({3})));
  SHOW(z.index_put_({0, Slice()}, torch::ones({2, 1, 1})));
  SHOW(torch::ones({2, 3}, torch::kUInt8).index_put_({7}, 300));
  SHOW(torch::ones({2, 3}, torch::kUInt8).index_put_({0}, 300));
  SHOW(torch::ones({2, 3}, torch::kUInt8).index_put_({0}, 2.9));
  auto own = torch::zeros({3});
  own[1] = 2;
  SHOW(own.index_put_({Slice()}, own[1]));
  SHOW(own.index_put_({Slice(0, 2)}, own.slice(0, 1, 3)));
}

}  // namespace

void show(const torch::Tensor&) {
  show_overlap();
  show_index_put();
}
