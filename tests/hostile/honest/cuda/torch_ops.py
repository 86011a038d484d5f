# Torch allocates its result.
def run(a, b, c):
    c.copy_(a + b)
