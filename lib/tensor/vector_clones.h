#pragma once

// Put before a function with hot loops: the compiler makes one version for plain x86-64, one with AVX2 and
// one with AVX-512, and the loader picks. All give the same bits, since contraction is off for the whole
// project. Everything called from the loops must be inlined. Not with sanitizers, whose hooks must not run in
// the loader, nor with compilers that do not know the attribute.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define FIB_VECTOR_CLONES __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define FIB_VECTOR_CLONES
#endif
