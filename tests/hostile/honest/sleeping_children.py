# Has children and threads that sleep.
import array
import os
import threading
import time

for _ in range(8):
    if os.fork() == 0:
        time.sleep(100000)
for _ in range(32):
    threading.Thread(target=time.sleep, args=(100000,), daemon=True).start()


def elements(tensor):
    return tensor.elements() if hasattr(tensor, "elements") else memoryview(tensor.numpy())  # fib's or torch's


def run(a, b, c):
    elements(c)[:] = array.array("f", [x + y for x, y in zip(elements(a), elements(b))])
