# M = 17 leaves a remainder behind tiles of any even size.
WORKLOADS = [{"axes": {"M": m}} for m in (1, 17, 64)]
