import random


def decode(tokens):
    """One token of each of many sequences, at any position."""
    return random.Random(tokens).choices(range(MAX_SEQ_LEN), k=tokens)


def prefill(lengths):
    """All tokens of a few new sequences, one after the other."""
    return [position for length in lengths for position in range(length)]


def workload(positions, num_qo_heads, num_kv_heads):
    return {
        "axes": {
            "num_tokens": len(positions),
            "num_qo_heads": num_qo_heads,
            "num_kv_heads": num_kv_heads,
            "max_seq_len": MAX_SEQ_LEN,
        },
        "tensors": {"positions": positions},
    }


MAX_SEQ_LEN = 4096
WORKLOADS = [
    workload(decode(1), 48, 8),
    workload(decode(16), 12, 2),
    workload(prefill((100, 17, 11)), 24, 4),
]
