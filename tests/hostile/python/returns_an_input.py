"""Leaves the second input out, and gives a view of the first."""


def run(a, b):
    return a
