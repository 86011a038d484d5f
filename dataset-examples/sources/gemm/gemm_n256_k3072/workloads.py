WORKLOADS = [{"axes": {"M": m}} for m in (1, 8, 24)]
