"""Runs one case of a definition in torch and in the native engine, and compares what they return."""

import contextlib
import json
import math
import re
import subprocess
import time
import warnings

import numpy
import torch

import reference_cases

NAMES = {torch.float32: "F32", torch.float16: "F16", torch.bfloat16: "BF16", torch.float8_e4m3fn: "F8_E4M3",
         torch.int8: "I8", torch.int16: "I16", torch.int32: "I32", torch.int64: "I64", torch.bool: "BOOL",
         torch.float64: "F64", torch.uint8: "U8"}
DTYPES = {name: dtype for dtype, name in NAMES.items()}
HEADER = 16384          # bytes before the tensors, so that the tensors of a file can stay when others change
COPIED = 1 << 28        # as run_reference: larger tensors are read where they are mapped
ULPS = 2
RELATIVE = 1e-3
EXACT = ("rmsnorm", "rope")  # element by element and norms: no long sums of numbers of both signs


def raw(tensor):
    return tensor.contiguous().reshape(-1).view(torch.uint8).numpy()


def size_of(tensor):
    return math.prod(tensor.shape) * torch.empty((), dtype=tensor.dtype).element_size()


class InputFile:
    """A safetensors file that is written again for every case. Tensors that did not change are left alone."""

    def __init__(self, path):
        self.path = path
        self.kept = []

    def write(self, tensors):
        order = sorted(tensors, key=lambda name: (-size_of(tensors[name]), name))
        kept = []
        header = {}
        at = HEADER
        with open(self.path, "r+b" if self.kept else "wb") as file:
            for name in order:
                tensor, bytes_ = tensors[name], size_of(tensors[name])
                header[name] = {"dtype": NAMES[tensor.dtype], "shape": list(tensor.shape),
                                "data_offsets": [at - HEADER, at - HEADER + bytes_]}
                if not any(old is tensor and place == at for old, place in self.kept):
                    self.write_tensor(file, at, tensor)
                kept.append((tensor, at))
                at += bytes_
            text = json.dumps(header).encode()
            file.seek(0)
            file.write((HEADER - 8).to_bytes(8, "little") + text.ljust(HEADER - 8))
            file.truncate(at)
        self.kept = kept

    @staticmethod
    def write_tensor(file, at, tensor):
        if not isinstance(tensor, reference_cases.Experts):
            file.seek(at)
            file.write(raw(tensor).data)
            return
        step = size_of(tensor) // tensor.shape[0]
        for expert, value in tensor.values.items():
            file.seek(at + expert * step)
            file.write(raw(value).data)


def mapped(path, offset, size):
    # A private mapping may not be larger than memory, unless nobody writes to it.
    mode = "c" if size <= COPIED else "r"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return torch.from_numpy(numpy.memmap(path, mode=mode, offset=offset, shape=size))


def read(path):
    """The tensors of a file, mapped."""
    with open(path, "rb") as file:
        length = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(length))
    header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        data = torch.empty(0, dtype=torch.uint8)
        if end > begin:
            data = mapped(path, 8 + length + begin, end - begin)
        tensors[name] = data.view(DTYPES[entry["dtype"]]).reshape(entry["shape"])
    return tensors


def as_list(result, names):
    if isinstance(result, dict):
        return [result[name] for name in names]
    return list(result) if isinstance(result, (tuple, list)) else [result]


class Torch:
    def __init__(self, definition, threads, clock="seconds"):
        torch.set_num_threads(threads)
        self.clock = time.perf_counter if clock == "seconds" else time.process_time
        self.definition = definition
        space = {}
        exec(compile(definition["reference"], definition["name"], "exec"), space)
        self.run = space["run"]
        code = self.run.__wrapped__.__code__ if hasattr(self.run, "__wrapped__") else self.run.__code__
        parameters = code.co_varnames[:code.co_argcount]
        # The native engine binds by name where the names are the same.
        self.by_name = set(parameters) == set(definition["inputs"])

    def call(self, tensors, scalars):
        values = {name: scalars.get(name, tensors.get(name)) for name in self.definition["inputs"]}
        for name, value in values.items():
            if isinstance(value, torch.Tensor) and size_of(value) <= COPIED:
                values[name] = value.clone()  # the reference may write to it
        start = self.clock()
        result = self.run(**values) if self.by_name else self.run(*values.values())
        seconds = self.clock() - start
        return as_list(result, list(self.definition["outputs"])), seconds


@contextlib.contextmanager
def watching(definition):
    """What torch draws from or ranks by: draws become numbers below zero that count the distributions."""
    seen = []
    multinomial, topk = torch.multinomial, torch.topk

    def drawn(row, *_, **__):
        seen.append(row.clone())
        return torch.tensor([-len(seen)])

    def ranked(scores, *arguments, **keywords):
        seen.append(scores.clone())
        return topk(scores, *arguments, **keywords)

    if definition["op_type"] == "sampling":
        torch.multinomial = drawn
    if "topk_indices" in definition["outputs"]:
        torch.topk = ranked
    try:
        yield seen
    finally:
        torch.multinomial, torch.topk = multinomial, topk


def native(program, definition_path, inputs, outputs, scalars, threads, repeat, clock="seconds"):
    command = [program, definition_path, inputs, outputs, "--threads", threads, "--repeat", repeat,
               "--scalars", json.dumps(scalars), "--seed", 1]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip() or f"the engine ended with {done.returncode}")
    seconds = [float(word) for word in re.findall(rf"^{clock} (\S+)$", done.stdout, re.M)]
    return read(outputs), min(seconds), done.stdout.splitlines()[0].removeprefix("engine ")


def ordered(tensor):
    """Integers in the order of the floats, so that neighbours differ by one."""
    bits = {4: torch.int32, 2: torch.int16, 1: torch.int8}[tensor.element_size()]
    codes = tensor.view(bits).to(torch.int64)
    lowest = -(1 << (8 * tensor.element_size() - 1))
    return torch.where(codes < 0, lowest - codes, codes)


def kinds(tensor):
    """0: finite, 1: +inf, 2: -inf, 3: NaN."""
    wide = tensor.to(torch.float32)
    return torch.isposinf(wide) + 2 * torch.isneginf(wide) + 3 * torch.isnan(wide)


def ulp_at(size, dtype):
    """The distance of neighbours of `dtype` around numbers of this size."""
    limits = torch.finfo(dtype)
    return torch.exp2(torch.floor(torch.log2(size.clamp_min(limits.tiny)))) * limits.eps


def compare_floats(got, expected, exact):
    """Worst distance in ulps, worst relative error, and what is wrong or nothing.

    Sums that cancel are measured against the root mean square of their row, unless `exact`: then every element must be
    within ULPS of its own.
    """
    other = int((kinds(got) != kinds(expected)).sum())
    if other:
        return 0, 0.0, f"{other} of {expected.numel()} elements are of another kind (finite, inf, NaN)"
    if expected.numel() == 0:
        return 0, 0.0, None
    finite = kinds(expected) == 0
    x = torch.where(finite, got.to(torch.float64), 0)
    y = torch.where(finite, expected.to(torch.float64), 0)
    size = y.abs()
    if not exact and y.dim() > 0:
        size = torch.maximum(size, y.square().mean(-1, keepdim=True).sqrt())
    ulps = torch.where(finite, (ordered(got) - ordered(expected)).abs(), 0).to(torch.float64)
    if not exact:
        ulps = torch.minimum(ulps, (x - y).abs() / ulp_at(size, expected.dtype))
    relative = (x - y).abs() / size.clamp_min(1e-300)
    wrong = (ulps > ULPS) if exact else (ulps > ULPS) & (relative > RELATIVE)
    bad = int(wrong.sum())
    problem = f"{bad} of {expected.numel()} elements differ" if bad else None
    return math.ceil(float(ulps.max())), float(relative.max()), problem


def chi_squared(samples, row):
    """The chance of draws as uneven as these, by Wilson and Hilferty's approximation; rare elements are one cell."""
    expected = row.to(torch.float64) / row.sum() * len(samples)
    cells = torch.nonzero(expected >= 5).squeeze(1)
    seen = torch.stack([(samples == cell).sum() for cell in cells]).to(torch.float64)
    wanted = expected[cells]
    rest = len(samples) - float(wanted.sum())
    if rest > 1e-9 * len(samples):
        seen = torch.cat([seen, torch.tensor([len(samples) - float(seen.sum())], dtype=torch.float64)])
        wanted = torch.cat([wanted, torch.tensor([rest], dtype=torch.float64)])
    freedom = len(wanted) - 1
    if freedom == 0:
        return 1.0
    statistic = float(((seen - wanted) ** 2 / wanted).sum())
    spread = 2 / (9 * freedom)
    z = ((statistic / freedom) ** (1 / 3) - (1 - spread)) / math.sqrt(spread)
    return 0.5 * math.erfc(z / math.sqrt(2))


def compare_samples(got, expected, rows):
    """Draws are possible ones, and many draws from one distribution look like it."""
    groups = {}
    for sample, wanted in zip(got.tolist(), expected.tolist()):
        if wanted >= 0:
            if sample != wanted:
                return f"the sample is {sample} where only {wanted} is possible"
            continue
        row = rows[-wanted - 1]
        if not 0 <= sample < len(row) or row[sample] <= 0:
            return f"the sample {sample} has no probability"
        digest = hash(raw(row).tobytes())
        groups.setdefault(digest, (row, []))[1].append(sample)
    for row, samples in groups.values():
        if len(samples) >= 100 and (chance := chi_squared(torch.tensor(samples), row)) < 1e-4:
            return f"the chance of such draws is {chance:.1g}"
    return None


def compare_ranks(got, expected, scores, tensors):
    """An index may take the place of another of nearly the same score."""
    page = tensors["k_index_cache_fp8"].shape[1]
    lengths = tensors["seq_lens"].tolist()
    scores = iter(scores)
    for row, length in enumerate(lengths):
        count = min(length, got.shape[1])
        if bool((got[row, count:] != -1).any()):
            return "indices beyond the sequence are not -1"
        if length == 0:
            continue
        score = next(scores)
        pages = tensors["block_table"][row, :-(-length // page)].to(torch.int64)
        tokens = (pages[:, None] * page + torch.arange(page)).reshape(-1)[:length]
        place = {int(token): at for at, token in enumerate(tokens)}
        if len(set(got[row, :count].tolist()) & set(place)) != count:
            return "indices repeat or are no tokens of the sequence"
        mine, theirs = (score[torch.tensor([place[int(t)] for t in indices[row, :count]])]
                        for indices in (got, expected))
        if bool(((mine - theirs).abs() > 1e-5 * score.abs().max()).any()):
            return "indices are ranked otherwise than their scores"
    return None


def compare(definition, case, got, expected, seen):
    """Rows of (output, worst ulps or None, worst relative error or None, problem or None)."""
    rows = []
    for name, wanted in zip(definition["outputs"], expected):
        result = got.get(name)
        ulps = relative = None
        if result is None or result.dtype != wanted.dtype or result.shape != wanted.shape:
            problem = f"has dtype and shape {result.dtype if result is not None else None} " \
                      f"{list(result.shape) if result is not None else None}, not {wanted.dtype} {list(wanted.shape)}"
        elif definition["op_type"] == "sampling":
            problem = compare_samples(result, wanted, seen)
        elif name == "topk_indices":
            problem = compare_ranks(result, wanted, seen, case.tensors)
        elif wanted.dtype.is_floating_point:
            ulps, relative, problem = compare_floats(result, wanted, definition["op_type"] in EXACT)
        else:
            different = int((result != wanted).sum())
            problem = f"{different} elements differ" if different else None
        rows.append((name, ulps, relative, problem))
    return rows
