"""Leaves a thread that works for ever."""
import array
import threading


def spin():
    while True:
        pass


threading.Thread(target=spin, daemon=True).start()


def run(a, b, c):
    c.elements()[:] = array.array("f", [x + y for x, y in zip(a.elements(), b.elements())])
