# fib_embed_kernels(<output.cpp>): the device code of kernels/ and the headers of tensor/ that it shares with the
# host, as one generated source with fib::compile::kernel_sources() (lib/compile/device_kernels.h).
function(fib_embed_kernels output)
  set(files kernels/all.cu kernels/compare.cuh kernels/fill.cuh kernels/memory.cuh kernels/spin.cuh
            lib/tensor/portable.h lib/tensor/random.h lib/tensor/random_math.h lib/tensor/small_floats.h)
  set(text "// Generated from kernels/ by cmake/EmbedKernels.cmake.\n#include \"compile/device_kernels.h\"\n\n")
  string(APPEND text "namespace fib::compile {\n\nconst std::vector<std::pair<std::string, std::string>>& kernel_sources() {\n")
  string(APPEND text "  static const std::vector<std::pair<std::string, std::string>> sources = {\n")
  foreach(file ${files})
    file(READ "${CMAKE_SOURCE_DIR}/${file}" content)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/${file}")
    string(REGEX REPLACE "^lib/" "" name "${file}")
    string(APPEND text "      {\"${name}\", R\"__embedded__(${content})__embedded__\"},\n")
  endforeach()
  string(APPEND text "  };\n  return sources;\n}\n\n}  // namespace fib::compile\n")
  file(GENERATE OUTPUT "${output}" CONTENT "${text}")
endfunction()
