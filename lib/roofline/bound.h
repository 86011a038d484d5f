#pragma once

#include <optional>
#include <string>

#include "model/definition.h"
#include "model/workload.h"
#include "roofline/peaks.h"

// The roofline bound of a workload: the least time that its bytes and its arithmetic take on a device. All
// functions are pure.
namespace fib::roofline {

// What a kernel has to move and to compute at least. Both follow from the definition and the workload's axes
// alone; the contents of index tensors are not read. Where these would tell more, less is counted, so that
// both are lower bounds, under the assumptions that the rules name.
struct Work {
  double bytes = 0;
  std::string bytes_rule;       // what was counted, for people
  std::optional<double> flops;  // a multiplication and an addition are two; nothing: see flops_rule
  Arithmetic arithmetic = Arithmetic::fp32;  // the fastest that the operands allow
  std::string flops_rule;                    // the formula, or why there is none
};

// Throws Error when the workload's axes do not fit the definition.
//
// Bytes: every input and every output once at its size (float4_e2m1 two to a byte, bool one byte). Scalars,
// optional inputs and element types that the format does not know count nothing. Less than the whole counts
// of
//  * a pool of which an index tensor names rows: a tensor whose first axis belongs to pools only (num_pages,
//    state_cache_size, max_seq_len). Of caches named by a list (kv_indices, state_batch_indices) as many rows
//    as the list has entries, each taken as named once. Where pages hold several tokens and the last page of
//    a sequence may be partly filled, that is (pages - sequences) * page_size + sequences tokens. Positions
//    may repeat: one row. Of a table of the top k (sparse_indices) the entries of one line: other lines may
//    name the same ones. Of padded tables (block_table) nothing, nor of the tables themselves.
//  * weights of experts: those that one token chooses, where all experts are on this device; else nothing.
//  * queries of causal attention: no more rows than there are key and value tokens, since the first rows of a
//    longer query see none.
//
// Flops: 2 * the product of all axes for a contraction of two operands, one output (C = A B^T: 2 * M * N *
// K); for attention, where P pairs of a query and a key are looked at, 2 * heads * (d_qk + d_vo) * P: a dot
// product of d_qk elements for the logit, and d_vo elements added to the output (with d_qk = d_vo: 4 * heads
// * d * P). In decoding every key has one query: P = key tokens. In causal prefill of one sequence of q
// queries and k keys query i of q sees k - q + i keys: P = q k - q (q - 1) / 2, or k (k + 1) / 2 where q > k.
// For MLA d_qk is the latent and the rotary dimension together and d_vo the latent one. For experts on one
// device: tokens * top_k * (2 * out1 * hidden + 2 * hidden * intermediate). All else has none: norms,
// rotations and sampling are bound by bytes, lengths of several sequences and routing to other devices stand
// in tensors.
[[nodiscard]] Work work_of(const model::Definition& definition, const model::Workload& workload);

// The same, nothing where the axes do not fit.
[[nodiscard]] std::optional<Work> known_work(const model::Definition& definition,
                                             const model::Workload& workload);

enum class Binds { memory, compute };

struct Bound {
  double ms = 0;
  Binds binds = Binds::memory;
};

// max(bytes / bandwidth, flops / rate); a part that the peak does not tell counts nothing. Nothing when no
// part is known. Memory binds a tie.
[[nodiscard]] std::optional<Bound> bound_of(const Work& work, const Peak& peak);

// SOL score (SOL-ExecBench): 1 / (1 + (kernel - bound) / (baseline - bound)); 0.5 at the baseline, 1 at the
// bound and below it. All in ms. Nothing where the baseline is not slower than the bound or a time is not
// positive.
[[nodiscard]] std::optional<double> sol_score(double kernel_ms, double baseline_ms, double bound_ms);

}  // namespace fib::roofline
