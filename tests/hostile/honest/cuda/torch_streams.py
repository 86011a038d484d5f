# A stream of its own, joined.
import torch

side = None


def run(a, b, c):
    global side
    if side is None:
        side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        torch.add(a, b, out=c)
    torch.cuda.current_stream().wait_stream(side)
