"""What tests of the adapters for FlashInfer share: tensors, and calls with and without apply."""

import unittest

from fib import ApplyRuntime
from fib.integration.flashinfer import statistics

from .support import has_torch

if not has_torch:
    raise unittest.SkipTest("torch is not installed")

import torch

from .flashinfer_support import WithFlashInfer

DTYPE = torch.bfloat16


def ints(*values):
    return torch.tensor(values, dtype=torch.int32)


def random(*shape, dtype=DTYPE):
    return torch.randn(*shape, generator=random.make).to(dtype)


random.make = torch.Generator().manual_seed(3)


class Base(WithFlashInfer):
    def check(self, got, expected):
        if isinstance(expected, tuple):
            self.assertEqual(len(got), len(expected))
            for left, right in zip(got, expected):
                self.check(left, right)
            return
        self.assertEqual((got.shape, got.dtype), (expected.shape, expected.dtype))
        self.assertTrue(got.is_contiguous() or not expected.is_contiguous())
        torch.testing.assert_close(got.float(), expected.float(), atol=2e-2, rtol=2e-2, equal_nan=True)

    def counted(self, adapter):
        return statistics()[adapter]

    @staticmethod
    def adapter(name):
        from fib.integration.flashinfer.adapters import ADAPTERS

        return next(adapter for adapter in ADAPTERS if adapter.name == name)

    def both(self, adapter, call, answered=True, why=None):
        """What `call()` returns with apply, which is what it returns without."""
        self.calls.clear()
        before = dict(self.counted(adapter))
        got = call()
        ran = [name for name in self.calls if not name.endswith(".plan")]
        new = {key: number - before.get(key, 0) for key, number in self.counted(adapter).items()
               if number != before.get(key, 0)}
        self.assertEqual(ran == [], answered, new)
        self.assertEqual(list(new), ["answered"] if answered else [why] if why else list(new))
        stack, ApplyRuntime._stack[:] = ApplyRuntime._stack[:], []
        try:
            expected = call()
        finally:
            ApplyRuntime._stack[:] = stack
        self.check(got, expected)
        return got
