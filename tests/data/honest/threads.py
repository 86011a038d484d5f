# Threads that sleep all the time, and one a call.
import array
import threading
import time

for _ in range(16):
    threading.Thread(target=time.sleep, args=(100000,), daemon=True).start()


def add(a, b, c):
    c.elements()[:] = array.array("f", [x + y for x, y in zip(a.elements(), b.elements())])


def run(a, b, c):
    thread = threading.Thread(target=add, args=(a, b, c))
    thread.start()
    thread.join()
