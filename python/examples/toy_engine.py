"""A toy inference engine: one layer, whose operations fib may trace, and later answer with the fastest known solutions.

    python toy_engine.py DATASET                     the engine's own functions
    python toy_engine.py DATASET --trace             the same, and its calls become workloads of DATASET
    python toy_engine.py DATASET --apply             the winners of DATASET answer, and the result is compared
    --graph                                          decode steps are captured in a CUDA graph once, and replayed

DATASET has the definitions of dataset-examples. Needs torch; runs on the GPU where there is one. The engine knows fib by
the four decorators alone.
"""

import argparse
import json

import torch

from fib import ApplyConfig, apply, enable_apply, enable_tracing

HEADS, KV_HEADS, SIZE = 32, 4, 128
HIDDEN = HEADS * SIZE


def normalized(x, weight, epsilon):
    x = x.float()
    return (x * torch.rsqrt(x.pow(2).mean(dim=-1, keepdim=True) + epsilon) * weight.float()).bfloat16()


@apply("rmsnorm_h4096")
def rmsnorm(hidden_states, weight):
    return normalized(hidden_states, weight, 1e-5)


@apply("fused_add_rmsnorm_h2048")
def fused_add_rmsnorm(hidden_states, residual, weight):
    return normalized(hidden_states.float() + residual.float(), weight, 1e-6)


@apply("gemm_n128_k2048")
def gemm(a, b):
    return a @ b.T


@apply("gqa_paged_decode_h32_kv4_d128_ps1")
def decode(q, k_cache, v_cache, kv_indptr, kv_indices, sm_scale):
    """Attention of one query a sequence over its pages. All sequences have as many pages here."""
    pages = kv_indices.long().view(q.shape[0], -1)
    key = k_cache[pages].squeeze(2).float().repeat_interleave(HEADS // KV_HEADS, dim=2)
    value = v_cache[pages].squeeze(2).float().repeat_interleave(HEADS // KV_HEADS, dim=2)
    logits = torch.einsum("bhd,bthd->bht", q.float(), key) * sm_scale
    output = torch.einsum("bht,bthd->bhd", torch.softmax(logits, dim=-1), value)
    return output.bfloat16(), torch.logsumexp(logits, dim=-1) * 1.4426950408889634


class Layer:
    def __init__(self, device, pages=4096):
        make = torch.Generator(device).manual_seed(7)

        def random(*shape):
            return torch.randn(*shape, generator=make, device=device) * 0.5
        self.norm = 1 + random(HIDDEN).bfloat16()
        self.second_norm = 1 + random(HIDDEN // 2).bfloat16()
        self.head = (random(128, HIDDEN // 2) * 0.1).half()
        self.keys = random(pages, 1, KV_HEADS, SIZE).bfloat16()
        self.values = random(pages, 1, KV_HEADS, SIZE).bfloat16()

    def __call__(self, x, indptr, indices):
        q = rmsnorm(x, self.norm).view(-1, HEADS, SIZE)
        attended, _ = decode(q, self.keys, self.values, indptr, indices, SIZE ** -0.5)
        halves = attended.view(-1, HIDDEN)
        mixed = fused_add_rmsnorm(halves[:, :HIDDEN // 2].contiguous(), x[:, HIDDEN // 2:].contiguous(),
                                  self.second_norm)
        return gemm(mixed.half(), self.head)


def batch(device, sequences, tokens, seed, pages=4096):
    """Inputs of a step: hidden states, and the pages of each sequence."""
    make = torch.Generator("cpu").manual_seed(seed)
    x = torch.randn(sequences, HIDDEN, generator=make).bfloat16().to(device)
    indptr = (torch.arange(sequences + 1) * tokens).int().to(device)
    indices = torch.randperm(pages, generator=make)[:sequences * tokens].int().to(device)
    return x, indptr, indices


STEPS = [(1, 16), (4, 33), (8, 33), (4, 33)]  # sequences, tokens of each


def run(layer, device, with_graph):
    """The outputs of all steps; with a graph each step is captured, and replayed once."""
    outputs = []
    for seed, (sequences, tokens) in enumerate(STEPS):
        inputs = batch(device, sequences, tokens, seed)
        output = layer(*inputs)
        if with_graph:
            graph = torch.cuda.CUDAGraph()
            torch.cuda.synchronize()
            side = torch.cuda.Stream()
            with torch.cuda.stream(side):
                layer(*inputs)  # what a stream needs is made before it is captured
            torch.cuda.synchronize()
            with torch.cuda.graph(graph, stream=side):
                output = layer(*inputs)
            graph.replay()
            torch.cuda.synchronize()
        outputs.append(output.float().cpu())
    return outputs


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dataset")
    parser.add_argument("--trace", action="store_true")
    parser.add_argument("--apply", action="store_true")
    parser.add_argument("--graph", action="store_true")
    options = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    layer = Layer(device)
    if options.trace:
        with enable_tracing(options.dataset):
            run(layer, device, options.graph)
        print("traced")
        return
    own = run(layer, device, options.graph)
    if options.apply:
        settings = ApplyConfig(hardware="auto", require_hash=True, max_atol=1e9, max_rtol=1e9)
        with enable_apply(options.dataset, settings) as runtime:
            applied = run(layer, device, options.graph)
        print(json.dumps(runtime.statistics()["calls"]))
        worst = max(float((a - b).abs().max()) for a, b in zip(own, applied))
        print(f"differs from the engine's own by at most {worst:.4f}")
        assert all(torch.allclose(a, b, rtol=3e-2, atol=3e-2) for a, b in zip(own, applied))
    else:
        print(f"{len(own)} steps")


if __name__ == "__main__":
    main()
