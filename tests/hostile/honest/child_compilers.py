# Compiles when it is imported, and again in its first call; a pool of processes sleeps beside it.
import array
import os
import subprocess
import tempfile
import time

for _ in range(4):
    if os.fork() == 0:
        time.sleep(100000)
        os._exit(0)

compiled = []


def elements(tensor):
    return tensor.elements() if hasattr(tensor, "elements") else memoryview(tensor.numpy())  # fib's or torch's


def build(name):
    folder = tempfile.mkdtemp()
    source = os.path.join(folder, name + ".c")
    with open(source, "w") as file:
        file.write("int %s(void) { return 1; }\n" % name)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", source + ".so", source], check=True)
    compiled.append(source + ".so")


build("imported")


def run(a, b, c):
    if len(compiled) < 2:
        build("called")
    elements(c)[:] = array.array("f", [x + y for x, y in zip(elements(a), elements(b))])
