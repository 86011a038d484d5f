# Threads that sleep all the time, and one a call.
import array
import threading
import time

for _ in range(16):
    threading.Thread(target=time.sleep, args=(100000,), daemon=True).start()


def elements(tensor):
    return tensor.elements() if hasattr(tensor, "elements") else memoryview(tensor.numpy())  # fib's or torch's


def add(a, b, c):
    elements(c)[:] = array.array("f", [x + y for x, y in zip(elements(a), elements(b))])


def run(a, b, c):
    thread = threading.Thread(target=add, args=(a, b, c))
    thread.start()
    thread.join()
