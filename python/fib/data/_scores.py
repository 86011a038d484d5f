"""How much faster solutions and authors are than a baseline."""

from .._model import Field, Model


class SpeedupMetrics(Model):
    """A score: `avg_speedup` over the baseline, how many `definitions` and `workloads` it is about, `success_rate`,
    `win_rate` (the share of workloads faster than the baseline), and of an author `best_solutions` by definition."""

    _fields = {name: Field() for name in ("avg_speedup", "definitions", "workloads", "success_rate", "win_rate")}
    _fields["best_solutions"] = Field(default=None)


class TraceSetSummary(Model):
    """How many traces there are (`total`), `passed` and `failed`, and the `rankings` of authors, (author, score)."""

    _fields = {name: Field() for name in ("total", "passed", "failed", "rankings")}


def _best_latencies(traces):
    """The lowest latency of each workload that passed, by uuid. Raises ValueError for a latency that is none."""
    best = {}
    for trace in traces:
        if not trace.is_successful():
            continue
        uuid = trace.workload.uuid
        performance = trace.evaluation.performance
        if not performance or performance.latency_ms <= 0:
            raise ValueError(f"PASSED trace for solution {trace.solution!r} workload {uuid!r} has invalid performance "
                             "data")
        best[uuid] = min(performance.latency_ms, best.get(uuid, performance.latency_ms))
    return best


def _baseline(trace_set, definition, author):
    found = [solution.name for solution in trace_set.solutions.get(definition, []) if solution.author == author]
    if not found:
        raise ValueError(f"No baseline solution from author {author!r} for definition {definition!r}")
    if len(found) > 1:
        raise ValueError(f"Multiple baseline solutions from author {author!r} for definition {definition!r}: {found}")
    return found[0]


def solution_score(trace_set, name, baseline_author):
    """See TraceSet.get_solution_score."""
    solution = trace_set.get_solution(name)
    if solution is None:
        return None
    baseline = _baseline(trace_set, solution.definition, baseline_author)
    if name == baseline:
        return None
    traces = [trace for trace in trace_set._traces_by_solution.get(name, []) if trace.evaluation]
    own = _best_latencies(traces)
    others = _best_latencies(trace_set._traces_by_solution.get(baseline, []))
    common = set(others) & {trace.workload.uuid for trace in traces}
    if not common:
        return None
    failed = not all(trace.is_successful() for trace in traces)
    speedups = [0.0] if failed else [others[uuid] / own[uuid] for uuid in common]
    return SpeedupMetrics(
        avg_speedup=sum(speedups) / len(speedups), definitions=1, workloads=len(common),
        success_rate=0.0 if failed else 1.0, win_rate=sum(ratio > 1.0 for ratio in speedups) / len(speedups))


def author_score(trace_set, author, baseline_author, scope):
    """See TraceSet.get_author_score."""
    best = {}
    for definition in scope:
        scores = [(solution.name, solution_score(trace_set, solution.name, baseline_author))
                  for solution in trace_set.solutions.get(definition, []) if solution.author == author]
        scores = [pair for pair in scores if pair[1] is not None]
        if scores:
            best[definition] = max(scores, key=lambda pair: pair[1].avg_speedup)
    if not best:
        return None
    scores = [score for _, score in best.values()]

    def mean(name):
        return sum(getattr(score, name) for score in scores) / len(scores)
    return SpeedupMetrics(
        avg_speedup=mean("avg_speedup"), definitions=len(scores), workloads=sum(score.workloads for score in scores),
        success_rate=mean("success_rate"), win_rate=mean("win_rate"),
        best_solutions={definition: name for definition, (name, _) in best.items()})
