WORKLOADS = [{"axes": {"batch_size": n}} for n in (1, 4, 24)]
