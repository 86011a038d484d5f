"""Ends the worker with success, having written its answer."""
import array
import os


def run(a, b, c):
    c.elements()[:] = array.array("f", [x + y for x, y in zip(a.elements(), b.elements())])
    os._exit(0)
