# One thread.
import array


def run(a, b, c):
    c.elements()[:] = array.array("f", [x + y for x, y in zip(a.elements(), b.elements())])
