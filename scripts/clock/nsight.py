"""How long kernels take by Nsight Compute: the truth of scripts/bench-clock and scripts/bench-throughput."""

import csv
import os
import shutil
import subprocess


def tool(name):
    """The path of a program of the CUDA toolkit ("ncu"), or None."""
    found = shutil.which(name) or "/usr/local/cuda/bin/" + name
    return found if os.path.exists(found) else None


def launches(ncu, command, kernel=None):
    """Kernel name and duration in us of all launches in the order of the program, or of those of this kernel."""
    options = ["--metrics", "gpu__time_duration.sum", "--cache-control", "all", "--clock-control", "none", "--csv",
               "--print-units", "base", *(["--kernel-name", kernel] if kernel else [])]
    output = subprocess.run([ncu, *options, *command], check=True, capture_output=True, text=True).stdout
    lines = [line for line in output.splitlines() if line.startswith('"')]
    return [(row["Kernel Name"], float(row["Metric Value"].replace(",", "")) / 1000) for row in csv.DictReader(lines)]


def durations(ncu, command, kernel=None):
    """Durations in us of the same."""
    return [duration for _, duration in launches(ncu, command, kernel)]
