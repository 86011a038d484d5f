# Starts a program in each call.
import array
import subprocess


def elements(tensor):
    return tensor.elements() if hasattr(tensor, "elements") else memoryview(tensor.numpy())  # fib's or torch's


def run(a, b, c):
    subprocess.run(["true"], check=True)
    elements(c)[:] = array.array("f", [x + y for x, y in zip(elements(a), elements(b))])
