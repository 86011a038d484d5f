# One thread.
import array


def elements(tensor):
    return tensor.elements() if hasattr(tensor, "elements") else memoryview(tensor.numpy())  # fib's or torch's


def run(a, b, c):
    elements(c)[:] = array.array("f", [x + y for x, y in zip(elements(a), elements(b))])
