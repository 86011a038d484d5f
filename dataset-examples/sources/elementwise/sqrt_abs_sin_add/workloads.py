WORKLOADS = [{"axes": {"N": n}} for n in (1000, 2**16, 2**20)]
