# A graph of torch for each size, on buffers of its own.
import torch

graphs = {}


def run(a, b, c):
    if a.numel() not in graphs:
        x, y, z = torch.empty_like(a), torch.empty_like(b), torch.empty_like(c)
        torch.add(x, y, out=z)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            torch.add(x, y, out=z)
        graphs[a.numel()] = (graph, x, y, z)
    graph, x, y, z = graphs[a.numel()]
    x.copy_(a)
    y.copy_(b)
    graph.replay()
    c.copy_(z)
