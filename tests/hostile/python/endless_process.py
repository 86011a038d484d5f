"""Leaves a process that works for ever."""
import array
import subprocess

subprocess.Popen(["sh", "-c", "while :; do :; done"])


def run(a, b, c):
    c.elements()[:] = array.array("f", [x + y for x, y in zip(a.elements(), b.elements())])
