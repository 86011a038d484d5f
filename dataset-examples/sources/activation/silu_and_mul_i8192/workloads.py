WORKLOADS = [{"axes": {"num_tokens": n}} for n in (1, 8, 64)]
