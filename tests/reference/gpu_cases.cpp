#include "reference/gpu_cases.h"

#include <algorithm>
#include <numeric>

#include "ops/elementwise.h"

namespace fib::test {
namespace {

const std::vector<DType> kAll = {DType::kFloat64,      DType::kFloat32,    DType::kFloat16, DType::kBFloat16,
                                 DType::kFloat8E4M3FN, DType::kFloat8E5M2, DType::kInt64,   DType::kInt32,
                                 DType::kInt16,        DType::kInt8,       DType::kUInt8,   DType::kBool};
const std::vector<DType> kArithmetic = {DType::kFloat64, DType::kFloat32, DType::kFloat16, DType::kBFloat16,
                                        DType::kInt64,   DType::kInt32,   DType::kUInt8,   DType::kBool};
const std::vector<DType> kFloats = {DType::kFloat64, DType::kFloat32, DType::kFloat16, DType::kBFloat16};

std::string text_of(DType dtype) { return "torch." + std::string(tensor::name_of(dtype)); }

void add(std::vector<GpuCase>& cases, const std::string& expression, std::vector<CaseInput> inputs,
         double slack = 1) {
  cases.push_back({"return (" + expression + ",)", std::move(inputs), slack});
}

}  // namespace

const std::vector<DType>& arithmetic_dtypes() { return kArithmetic; }

std::vector<std::string> unary_names() {
  std::vector<std::string> names;
  for (const auto& op : ops::unary_ops()) names.emplace_back(op.name);
  return names;
}

std::vector<std::string> binary_names() {
  std::vector<std::string> names;
  for (const auto& op : ops::binary_ops()) names.emplace_back(op.name);
  return names;
}

std::vector<GpuCase> conversion_cases(const std::vector<DType>& with) {
  const auto chosen = [&](DType dtype) { return std::find(with.begin(), with.end(), dtype) != with.end(); };
  std::vector<GpuCase> cases;
  for (const DType from : kAll) {
    for (const DType to : kAll) {
      if (!with.empty() && !chosen(from) && !chosen(to)) continue;
      add(cases, "a.to(" + text_of(to) + ")", {{from, {7, 11}, Values::kSpecial}});
    }
  }
  return cases;
}

std::vector<GpuCase> unary_cases(const std::vector<std::string>& names) {
  std::vector<GpuCase> cases;
  for (const std::string& name : names) {
    const std::string call = name == "gelu_tanh" ? "F.gelu(a, approximate='tanh')" : "torch." + name + "(a)";
    for (const DType dtype : kArithmetic) {
      add(cases, call, {{dtype, {5, 13}}}, 4);
      add(cases, call, {{dtype, {37}, Values::kSpecial}}, 4);
    }
  }
  // gelu is x times something near 0 that is made of numbers near 1.
  for (GpuCase& test : cases) {
    if (test.body.find("gelu") != std::string::npos) test.magnitude = 4;
  }
  return cases;
}

std::vector<GpuCase> binary_cases(const std::vector<std::string>& names) {
  std::vector<GpuCase> cases;
  for (const std::string& name : names) {
    const bool truncates = name == "divide_trunc";
    const auto call = [&](const std::string& a, const std::string& b) {
      return truncates ? "torch.div(" + a + ", " + b + ", rounding_mode='trunc')"
                       : "torch." + name + "(" + a + ", " + b + ")";
    };
    for (const DType dtype : kArithmetic) {
      add(cases, call("a", "b"), {{dtype, {5, 13}}, {dtype, {13}}}, 4);
      add(cases, call("a", "b"), {{dtype, {41}, Values::kSpecial}, {dtype, {41}}}, 4);
      add(cases, call("a", "3"), {{dtype, {5, 13}}}, 4);
    }
  }
  return cases;
}

std::vector<GpuCase> copy_cases() {
  const CaseInput matrix{DType::kFloat32, {6, 10}};
  const CaseInput cube{DType::kBFloat16, {3, 4, 5}};
  std::vector<GpuCase> cases;
  add(cases, "a.t().contiguous()", {matrix});
  add(cases, "a[:, ::3].clone()", {matrix});
  add(cases, "a[1:4, 2:7].to(torch.float16)", {matrix});
  add(cases, "a.unsqueeze(1).expand(6, 3, 10).contiguous()", {matrix});
  add(cases, "a.permute(2, 0, 1).contiguous()", {cube});
  add(cases, "a.permute(2, 0, 1).reshape(5, 12)", {cube});
  add(cases, "a.permute(2, 0, 1).float() + 1", {cube});
  add(cases, "torch.cat([a, a[2:3] * 2, a[:0]], dim=0)", {cube});
  add(cases, "torch.stack([a, a + 1], dim=1)", {matrix});
  add(cases, "a.repeat(2, 3)", {matrix});
  add(cases, "torch.where(a > 0, a, torch.zeros_like(a))", {matrix});
  add(cases, "torch.where(a > 0, a, b)", {matrix, {DType::kInt32, {10}}});
  add(cases, "torch.where(a[:, :1] > 0, 1.5, a)", {{DType::kFloat16, {6, 10}}});
  add(cases, "a.masked_fill(a < 0, float('-inf'))", {matrix});
  add(cases, "a.masked_fill(b, 7)", {{DType::kInt16, {6, 10}}, {DType::kBool, {6, 1}}});
  add(cases, "torch.full((3, 5), 2.5, dtype=torch.bfloat16) * a", {{DType::kBFloat16, {5}}});
  add(cases, "torch.arange(50) > a", {{DType::kInt32, {3, 1}}});
  add(cases, "torch.clamp(a, min=-1, max=1.5)", {matrix});
  add(cases, "a.tril() + torch.triu(a, diagonal=1)", {matrix});
  cases.push_back(
      {"a[1:3] = b\na[:, 0] += 1\na[4, 2:5] *= 2\nreturn (a,)", {matrix, {DType::kFloat64, {10}}}});
  cases.push_back({"x = a.clone()\nx[::2] = x[1::2]\nx.masked_fill_(x > 1, 0)\nreturn (x, a)", {matrix}});
  cases.push_back({"x = torch.zeros(4, 6)\nx[1] = a[0, :6]\ny = x.t()\ny[2] = 5\nreturn (x, y)", {matrix}});
  cases.push_back({"x = a * 2\nx.copy_(a[:, :1])\nreturn (x.view(torch.int32), x)", {matrix}});
  return cases;
}

std::vector<GpuCase> reduction_cases(const std::vector<DType>& dtypes) {
  std::vector<GpuCase> cases;
  for (const char* name : {"sum", "mean", "prod", "any", "all", "amax", "amin", "logsumexp", "norm"}) {
    for (const DType dtype : dtypes) {
      const std::string call = "torch." + std::string(name) + "(a, dim=";
      add(cases, call + "-1)", {{dtype, {5, 37}}}, 4);
      add(cases, call + "0, keepdim=True)", {{dtype, {37, 6}}}, 4);
      add(cases, call + "1)", {{dtype, {3, 1000, 2}}}, 256);
    }
    add(cases, "torch." + std::string(name) + "(a, dim=1)", {{DType::kFloat32, {9, 20}, Values::kSpecial}},
        4);
    add(cases, "torch." + std::string(name) + "(a, dim=-1)", {{DType::kFloat32, {2, 30000}}}, 16);
  }
  for (const char* name : {"sum", "mean", "amax", "any", "all"})
    add(cases, "torch." + std::string(name) + "(a, dim=(0, 1, 2))", {{DType::kBFloat16, {40, 25, 30}}}, 16);
  add(cases, "torch.sum(a)", {{DType::kInt32, {100, 200}}});
  add(cases, "torch.logsumexp(a, dim=-1)", {{DType::kFloat32, {9, 20}, Values::kSpecial}}, 4);
  add(cases, "torch.logsumexp(a.masked_fill(a > -5, float('-inf')), dim=-1)", {{DType::kFloat32, {3, 700}}});
  add(cases, "a.pow(2).mean(dim=-1, keepdim=True)", {{DType::kBFloat16, {4, 1000}}}, 4);
  return cases;
}

std::vector<GpuCase> row_cases() {
  std::vector<GpuCase> cases;
  for (const DType dtype : kFloats) {
    for (const char* call :
         {"torch.softmax(a, dim=-1)", "torch.log_softmax(a, dim=-1)", "torch.softmax(a, dim=0)"}) {
      add(cases, call, {{dtype, {7, 33}}}, 8);
      add(cases, call, {{dtype, {2, 1500}}}, 8);
    }
    add(cases, "torch.cumsum(a, dim=-1)", {{dtype, {3, 700}}}, 64);
    add(cases, "torch.cumsum(a, dim=0)", {{dtype, {300, 4}}}, 64);
    add(cases, "torch.cumprod(a / 4, dim=-1)", {{dtype, {3, 20}}}, 64);
  }
  add(cases, "torch.softmax(a, dim=-1)", {{DType::kFloat32, {6, 40}, Values::kSpecial}}, 8);
  add(cases, "torch.cumsum(a, dim=1)", {{DType::kInt32, {3, 600}}});
  add(cases, "torch.cumprod(a, dim=1)", {{DType::kInt64, {3, 70}}});
  for (const DType dtype : {DType::kFloat32, DType::kBFloat16, DType::kInt32, DType::kBool}) {
    for (const char* name : {"max", "min"}) {
      cases.push_back({"x = torch." + std::string(name) + "(a, dim=1)\nreturn (x.values, x.indices)",
                       {{dtype, {9, 60}}}});
      cases.push_back({"x = torch." + std::string(name) + "(a, dim=0)\nreturn (x.values, x.indices)",
                       {{dtype, {700, 3}, Values::kSpecial}}});
    }
    add(cases, "torch.argmax(a)", {{dtype, {9, 60}}});
    add(cases, "torch.argmin(a, dim=-1, keepdim=True)", {{dtype, {9, 600}}});
  }
  return cases;
}

std::vector<GpuCase> matrix_cases() {
  std::vector<GpuCase> cases;
  for (const DType dtype : kFloats) {
    const auto tensor = [&](const Shape& shape) { return CaseInput{dtype, shape}; };
    // Both operands in either order in memory, sizes at, below and beyond a tile, aligned and not.
    for (const auto& [m, n, k] : std::vector<std::array<std::int64_t, 3>>{
             {1, 1, 1}, {16, 8, 16}, {128, 128, 32}, {130, 33, 40}, {65, 136, 264}, {3, 257, 77}}) {
      add(cases, "a @ b", {tensor({m, k}), tensor({k, n})}, 32);
      add(cases, "a @ b.t()", {tensor({m, k}), tensor({n, k})}, 32);
      add(cases, "a.t() @ b", {tensor({k, m}), tensor({k, n})}, 32);
      add(cases, "a.t() @ b.t()", {tensor({k, m}), tensor({n, k})}, 32);
    }
    add(cases, "a @ b.t()", {tensor({4, 3000}), tensor({6, 3000})}, 128);  // the sum is cut
    add(cases, "a @ b", {tensor({4, 2050}), tensor({2050, 16})}, 128);
    add(cases, "a[:, 1:9] @ b[3:11]", {tensor({20, 12}), tensor({16, 24})}, 32);
    add(cases, "a[:, ::2] @ b[::2, ::3]", {tensor({20, 16}), tensor({16, 24})}, 32);
    add(cases, "torch.bmm(a, b)", {tensor({3, 9, 20}), tensor({3, 20, 7})}, 32);
    add(cases, "torch.matmul(a, b)", {tensor({2, 3, 9, 16}), tensor({3, 16, 8})}, 32);
    add(cases, "torch.matmul(a, b)", {tensor({5, 1, 1, 8}), tensor({8, 8})}, 32);
    add(cases, "a.expand(4, 5, 8) @ b", {tensor({5, 8}), tensor({4, 8, 6})}, 32);
    add(cases, "torch.mv(a, b)", {tensor({40, 24}), tensor({24})}, 32);
    add(cases, "torch.dot(a, b)", {tensor({500}), tensor({500})}, 64);
    add(cases, "torch.einsum('qhd,khd->qhk', a, b)", {tensor({6, 3, 16}), tensor({10, 3, 16})}, 32);
    add(cases, "torch.einsum('qhk,khd->qhd', a, b)", {tensor({6, 3, 10}), tensor({10, 3, 16})}, 32);
    add(cases, "torch.einsum('qhd,hkd->hqk', a, b)", {tensor({6, 3, 16}), tensor({3, 10, 16})}, 32);
    add(cases, "F.linear(a, b, c)", {tensor({9, 24}), tensor({10, 24}), tensor({10})}, 32);
  }
  add(cases, "a @ b", {{DType::kInt32, {5, 6}}, {DType::kInt32, {6, 7}}});
  add(cases, "a @ b", {{DType::kFloat32, {3, 4}, Values::kSpecial}, {DType::kFloat32, {4, 5}}}, 32);
  for (GpuCase& test : cases) test.magnitude = 16;
  return cases;
}

std::vector<GpuCase> index_cases() {
  std::vector<GpuCase> cases;
  const std::string indices = "i = torch.tensor([4, 0, 3, 3, 1])\n";
  for (const DType dtype :
       {DType::kFloat32, DType::kBFloat16, DType::kFloat8E4M3FN, DType::kInt64, DType::kBool}) {
    const CaseInput rows{dtype, {6, 10}};
    const CaseInput cube{dtype, {6, 3, 4}};
    cases.push_back({indices + "return (a[i], a[:, i], a[i, i], a[i[:, None], i], a[-i])", {rows}});
    cases.push_back({indices + "return (a[:, 1][i], a.permute(2, 0, 1)[:, i], a[i, :, 1])", {cube}});
    cases.push_back(
        {indices + "return (torch.index_select(a, 0, i), a[1:, ::2].index_select(0, i))", {rows}});
    cases.push_back({indices + "x = a.clone()\nx[i] = b\ny = a.clone()\ny[:, i] = b[:1, :5]\nreturn (x, y)",
                     {rows, {dtype, {5, 10}}}});
    cases.push_back({"return (a[b], a[0, c])", {rows, {DType::kBool, {6}}, {DType::kBool, {10}}}});
    cases.push_back(
        {"return (a.repeat_interleave(3, dim=0), a.permute(1, 0, 2).repeat_interleave(2, dim=0))", {cube}});
    cases.push_back({"return (torch.gather(a, 0, b), a)", {rows, {DType::kBool, {2, 10}}}});
  }
  for (const DType dtype : {DType::kFloat32, DType::kBFloat16, DType::kFloat64, DType::kInt32}) {
    cases.push_back(
        {indices + "x = a.clone()\nx.index_add_(0, i, b)\nreturn (x, a.t().clone().index_add(1, i, b.t()))",
         {{dtype, {6, 10}}, {dtype, {5, 10}}}});
    cases.push_back({"x = a.clone()\nx.index_add_(0, torch.tensor([5, 1]), b, alpha=2)\nreturn (x,)",
                     {{dtype, {6, 10}}, {dtype, {2, 10}}}});
  }
  cases.push_back({"i = torch.tensor([0, 7])\nreturn (a[i],)", {{DType::kFloat32, {6, 10}}}});
  cases.push_back(
      {"a.index_add_(0, torch.tensor([0, 7]), a[:2].clone())\nreturn (a,)", {{DType::kFloat32, {6, 10}}}});
  cases.push_back({"x = torch.zeros(6, 10)\nx.scatter_(1, torch.tensor([[1], [2]]), 3.0)\nreturn (x * a,)",
                   {{DType::kFloat32, {6, 10}}}});
  cases.push_back({"x = torch.topk(a * 2, 3, dim=-1)\nreturn (x.values, x.indices, torch.nonzero(a > 0))",
                   {{DType::kFloat32, {6, 10}}}});
  return cases;
}

std::vector<GpuCase> program_cases() {
  const std::string attention =
      "q, k, v = a.float(), b.float(), c.float()\n"
      "logits = torch.einsum('qhd,khd->qhk', q, k.repeat_interleave(2, dim=1)) * 0.3\n"
      "mask = torch.arange(9)[None, :] < (torch.arange(5)[:, None] + 5)\n"
      "logits = logits.masked_fill(~mask[:, None, :], float('-inf'))\n"
      "lse = torch.full((5, 4), float('-inf'))\n"
      "lse[0:5] = torch.logsumexp(logits, dim=-1) / math.log(2.0)\n"
      "out = torch.zeros((5, 4, 8), dtype=torch.bfloat16)\n"
      "w = torch.softmax(logits, dim=-1)\n"
      "out[0:5] = torch.einsum('qhk,khd->qhd', w, v.repeat_interleave(2, dim=1)).to(torch.bfloat16)\n"
      "return out, lse";
  const std::string experts =
      "x = a.to(torch.float32).view(12, 2, 16) * b.permute(1, 0).contiguous().unsqueeze(-1)\n"
      "x = x.view(12, 32)\n"
      "_, top = torch.topk(torch.sigmoid(c), k=2, dim=-1)\n"
      "m = torch.zeros_like(c)\n"
      "m.scatter_(1, top, 1.0)\n"
      "w = torch.sigmoid(c) * m\n"
      "w = w / w.sum(dim=-1, keepdim=True).clamp(min=1e-20)\n"
      "out = torch.zeros(12, 32)\n"
      "for e in range(3):\n"
      "    chosen = (top == e).any(dim=1)\n"
      "    if not chosen.any():\n"
      "        continue\n"
      "    rows = torch.nonzero(chosen, as_tuple=False).squeeze(1)\n"
      "    g = x.index_select(0, rows) @ d[e].to(torch.float32).t()\n"
      "    h = F.silu(g[:, 16:]) * g[:, :16]\n"
      "    out.index_add_(0, rows, (h @ d[e, :, :16].float().t()[:, :32]) * w[rows, e].unsqueeze(1))\n"
      "return out.to(torch.bfloat16)";
  const std::string rows =
      "out = torch.zeros((4, 6), dtype=torch.bfloat16)\n"
      "for i in range(4):\n"
      "    y = a[i] @ b\n"
      "    y.masked_fill_(torch.arange(6) > i + 1, 0)\n"
      "    out[i] = y.to(torch.bfloat16)\n"
      "    a[i, 0] = y[0].item()\n"
      "return out, a, float(out[1, 0]), out.sum().item() > 0";
  const CaseInput half{DType::kBFloat16, {}};
  return {{attention, {{half.dtype, {5, 4, 8}}, {half.dtype, {9, 2, 8}}, {half.dtype, {9, 2, 8}}}, 16},
          {experts,
           {{DType::kFloat8E4M3FN, {12, 32}},
            {DType::kFloat32, {2, 12}},
            {DType::kFloat32, {12, 3}},
            {DType::kFloat8E5M2, {3, 32, 32}}},
           64},
          {rows, {{DType::kFloat32, {4, 20}}, {DType::kFloat32, {20, 6}}}, 32}};
}

}  // namespace fib::test
