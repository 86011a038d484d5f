"""Tries to be no descendant any more, to have namespaces of its own, and to outlive its parent."""
import array
import ctypes
import os

libc = ctypes.CDLL(None)
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER, CLONE_NEWUSER = 1, 36, 0x10000000
for attempt in (lambda: libc.prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0), lambda: libc.prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0),
                lambda: libc.unshare(CLONE_NEWUSER)):
    assert attempt() == -1
group = os.getpgid(0)
os.setsid()
assert os.getpgid(0) == group


def run(a, b, c):
    c.elements()[:] = array.array("f", [x + y for x, y in zip(a.elements(), b.elements())])
