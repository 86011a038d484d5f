#pragma once

// The schema of `fib export --format sqlite`, described in docs/datasets.md. `user_version` counts its
// changes.
namespace fib::exports {

inline constexpr const char* kSqliteTables = R"sql(
pragma user_version = 5;
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
  run_reference_low_ms real, run_reference_high_ms real,
  error_code text, error_pattern text, log text, fib text);
create table solution_ranking (hardware text not null, definition text not null, rank integer, solution text not null,
  author text, workloads integer not null, passed integer not null, latency_ms real, interval real, against text not null,
  speedup real, speedup_low real, speedup_high real);
create table author_ranking (hardware text not null, rank integer, author text not null, against text not null,
  avg_speedup real, avg_speedup_low real, avg_speedup_high real, geomean_speedup real, success_rate real, win_rate real,
  coverage real, workloads integer not null, definitions integer not null);
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
       case when status = 'PASSED' then coalesce(run_reference_ms / latency_ms, speedup_factor) end
         as speedup_vs_reference,
       case when status = 'PASSED' then run_reference_low_ms / latency_ms end as speedup_low,
       case when status = 'PASSED' then run_reference_high_ms / latency_ms end as speedup_high,
       id as trace
from results;

-- Of each definition on each hardware the solution of the lowest latency among those that passed every workload on which
-- any solution has a result, the first name where two are equal; `tied`: how many others it cannot be told apart from.
create view best_per_definition as
select hardware, definition, solution, author, workloads, latency_ms, interval, against, speedup, speedup_low,
       speedup_high, holders - 1 as tied
from (select *, row_number() over (partition by hardware, definition order by latency_ms, solution) as place,
             count(*) over (partition by hardware, definition) as holders
      from solution_ranking where rank = 1)
where place = 1;

-- The lowest latency of each workload on each hardware.
create view best_per_workload as
select hardware, definition, workload_uuid, axes, solution, author, latency_ms,
       coalesce(run_reference_ms / latency_ms, speedup_factor) as speedup_vs_reference,
       run_reference_low_ms / latency_ms as speedup_low, run_reference_high_ms / latency_ms as speedup_high, id as trace
from (select *, row_number() over (partition by hardware, definition, workload_uuid order by latency_ms, id) as place
      from results where status = 'PASSED' and latency_ms > 0)
where place = 1;
)sql";

}  // namespace fib::exports
