# Starts a program in each call.
import array
import subprocess


def run(a, b, c):
    subprocess.run(["true"], check=True)
    c.elements()[:] = array.array("f", [x + y for x, y in zip(a.elements(), b.elements())])
