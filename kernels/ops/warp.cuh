#pragma once

#include "ops/gpu/arguments.h"

// What needs inline assembly: copies in the background, and tensor cores. Names and fragments as in PTX ISA,
// "Data movement and conversion instructions" (cp.async) and "Matrix multiply-accumulate operation using mma
// instruction".
namespace fib::ops::gpu {

using Half = unsigned short;  // the bits of a float16 or bfloat16

// The block's dynamic shared memory.
__device__ inline Half* dynamic_shared() {
  extern __shared__ __align__(16) Half memory[];
  return memory;
}

__device__ inline u32 shared_address(const void* pointer) {
  return static_cast<u32>(__cvta_generic_to_shared(pointer));
}

// Copies 16 bytes in the background, of which only the first `bytes` are read; the rest become 0.
__device__ inline void copy_chunk(Half* to, const Half* from, int bytes) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)), "l"(from),
               "r"(bytes)
               : "memory");
}
__device__ inline void close_stage() { asm volatile("cp.async.commit_group;" ::: "memory"); }
// Until at most `kOpen` of the closed stages are on their way.
template <int kOpen>
__device__ inline void wait_for_stages() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kOpen) : "memory");
}

// Four 8 x 8 matrices: thread i names row i % 8 of matrix i / 8 (eight elements), and gets the elements 2 *
// (i % 4) and the next of row i / 4 of each; with kTransposed of the transposed matrices.
template <bool kTransposed>
__device__ inline void load_matrices(u32 (&to)[4], const Half* row) {
  if (kTransposed) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(shared_address(row))
                 : "memory");
  } else {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(shared_address(row))
                 : "memory");
  }
}

// c += a b for matrices of 16 x 16 and 16 x 8 elements.
template <bool kBFloat16>
__device__ inline void multiply_add(float (&c)[4], const u32 (&a)[4], u32 b0, u32 b1) {
  if (kBFloat16) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%0,%1,%2,%3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  } else {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%0,%1,%2,%3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  }
}

}  // namespace fib::ops::gpu
