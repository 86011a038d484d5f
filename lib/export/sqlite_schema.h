#pragma once

// The schema of `fib export --format sqlite`, described in docs/datasets.md. `user_version` counts its
// changes.
namespace fib::exports {

inline constexpr const char* kSqliteTables = R"sql(
pragma user_version = 4;
create table definitions (name text primary key, op_type text not null, description text, document text not null);
create table solutions (name text primary key, definition text not null, author text not null, language text not null,
  entry_point text not null, content_sha256 text not null, document text not null);
create table workloads (definition text not null, uuid text not null, document text not null,
  primary key (definition, uuid));
create table axes (definition text not null, workload_uuid text not null, axis text not null, value integer not null,
  primary key (definition, workload_uuid, axis));
create table baselines (name text primary key, run_id text not null, set_utc text not null);
create table traces (id integer primary key, definition text not null, op_type text, solution text, author text,
  workload_uuid text not null, axes text not null, status text, hardware text, device_kind text, timestamp text,
  latency_ms real, reference_latency_ms real, speedup_factor real, max_absolute_error real, max_relative_error real,
  run_id text, fib_version text, solution_sha256 text, clock text, flush text, calls integer, cv real,
  host_median_ms real, tags text, baselines text, counts integer not null, run_reference_ms real,
  error_code text, log text, fib text);
)sql";

inline constexpr const char* kSqliteIndexesAndViews = R"sql(
create index traces_by_definition on traces (definition, hardware, solution);
create index traces_by_workload on traces (workload_uuid);
create index traces_by_status on traces (status);
create index traces_by_time on traces (timestamp);
create index axes_by_axis on axes (axis, value);

-- The traces that stand (docs/reports.md): one of each solution on each workload and hardware.
create view results as select * from traces where counts = 1;

create view solution_workloads as
select hardware, definition, solution, author, workload_uuid, status <> 'PASSED' as failed,
       case when status = 'PASSED' then latency_ms end as latency_ms,
       case when status = 'PASSED' then coalesce(run_reference_ms / latency_ms, speedup_factor) end as speedup_factor,
       id as trace
from results;

-- Every solution on every hardware: the geometric mean of its latencies, and the arithmetic (avg_speedup) and the
-- geometric mean (geomean_speedup, as in `fib report summary` against the reference) of the speedups over its workloads,
-- 0 when one failed.
create view solution_scores as
select hardware, definition, solution, author, count(*) as workloads, count(*) - sum(failed) as passed,
       exp(avg(ln(nullif(latency_ms, 0)))) as latency_ms,
       case when sum(failed) > 0 then 0.0 else avg(speedup_factor) end as avg_speedup,
       case when sum(failed) > 0 then 0.0 else exp(avg(ln(nullif(speedup_factor, 0)))) end as geomean_speedup,
       case when sum(failed) > 0 then 0.0 else 1.0 end as success_rate
from solution_workloads
group by hardware, definition, solution, author;

-- Of each definition on each hardware the solution of the lowest latency among those that passed every workload on which
-- any solution has a result; the first name on a tie.
create view best_per_definition as
select hardware, definition, solution, author, workloads, latency_ms, avg_speedup, geomean_speedup
from (select scores.*, row_number() over (partition by hardware, definition
                                          order by latency_ms, solution) as place
      from solution_scores as scores
      where latency_ms is not null and passed = (select count(distinct workload_uuid) from results
                                                 where hardware = scores.hardware and definition = scores.definition))
where place = 1;

-- The lowest latency of each workload on each hardware.
create view best_per_workload as
select hardware, definition, workload_uuid, axes, solution, author, latency_ms,
       coalesce(run_reference_ms / latency_ms, speedup_factor) as speedup_factor, id as trace
from (select *, row_number() over (partition by hardware, definition, workload_uuid order by latency_ms, id) as place
      from results where status = 'PASSED' and latency_ms > 0)
where place = 1;

-- Authors by the arithmetic mean, over definitions, of their best solution's arithmetic mean speedup.
create view author_ranking as
select hardware, author, count(*) as definitions, sum(workloads) as workloads, avg(avg_speedup) as avg_speedup,
       avg(success_rate) as success_rate,
       rank() over (partition by hardware order by avg(avg_speedup) desc) as place
from (select *, row_number() over (partition by hardware, definition, author
                                   order by avg_speedup desc, solution) as own_place
      from solution_scores where author is not null)
where own_place = 1
group by hardware, author;
)sql";

}  // namespace fib::exports
