import random


def workload(lengths, num_pages):
    """Sequences of these lengths, whose tokens lie in distinct pages in no particular order."""
    offsets = [0]
    for length in lengths:
        offsets.append(offsets[-1] + length)
    pages = random.Random(num_pages).sample(range(num_pages), offsets[-1])
    return {
        "axes": {
            "batch_size": len(lengths),
            "num_pages": num_pages,
            "len_indptr": len(offsets),
            "num_kv_indices": len(pages),
        },
        "tensors": {"kv_indptr": offsets, "kv_indices": pages},
        "scalars": {"sm_scale": 0.08838834764831843},
    }


WORKLOADS = [
    workload([7], 8),
    workload([33, 1, 64, 100], 256),
    workload([300, 5, 128, 77, 211, 42, 160, 31], 1024),
]
