"""Leaves a process that works for ever and whose parent has ended."""
import array
import subprocess

subprocess.call(["sh", "-c", "while :; do :; done &"])


def run(a, b, c):
    c.elements()[:] = array.array("f", [x + y for x, y in zip(a.elements(), b.elements())])
