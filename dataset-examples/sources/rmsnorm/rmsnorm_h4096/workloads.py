WORKLOADS = [{"axes": {"batch_size": n}} for n in (1, 7, 64, 512)]
