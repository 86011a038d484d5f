# What every target of this project shares, and the two functions that declare modules and tests.

add_library(fib_options INTERFACE)
target_compile_options(fib_options INTERFACE -Wall -Wextra -Wconversion -Wshadow -Wnon-virtual-dtor)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 sees overlapping copies in std::string's operator+ that are not there (GCC bug 105651).
  target_compile_options(fib_options INTERFACE -Wno-restrict)
endif()
# Inputs must have the same bits on every machine and device: no contraction of a*b+c into one rounding.
target_compile_options(fib_options INTERFACE -ffp-contract=off)
if(FIB_WERROR)
  target_compile_options(fib_options INTERFACE -Werror)
endif()
if(FIB_SANITIZE)
  target_compile_options(fib_options INTERFACE -fsanitize=${FIB_SANITIZE} -fno-omit-frame-pointer
                         -fno-sanitize-recover=undefined)
  # GCC's flow analysis loses its way in instrumented code, for example in std::regex.
  target_compile_options(fib_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_options(fib_options INTERFACE -fsanitize=${FIB_SANITIZE})
endif()
target_include_directories(fib_options INTERFACE "${CMAKE_SOURCE_DIR}/lib" "${CMAKE_SOURCE_DIR}/include")

# fib_module(<name> SOURCES <files> [LIBRARIES <targets>]): one folder of lib/ as objects of libfib_core.
function(fib_module name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_library(fib_${name} OBJECT ${ARG_SOURCES})
  target_link_libraries(fib_${name} PUBLIC fib_options fmt::fmt ${ARG_LIBRARIES})
  set_property(GLOBAL APPEND PROPERTY FIB_MODULES fib_${name})
  set_property(GLOBAL APPEND PROPERTY FIB_MODULE_LIBRARIES ${ARG_LIBRARIES})
endfunction()

# fib_test(<name> SOURCES <files>): one Catch2 program for the folder tests/<name>, over the same objects.
function(fib_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(test_${name} ${ARG_SOURCES})
  target_include_directories(test_${name} PRIVATE "${CMAKE_SOURCE_DIR}/tests")
  target_link_libraries(test_${name} PRIVATE fib_options fib_core fib_test_support Catch2::Catch2WithMain ${ARG_LIBRARIES})
  add_test(NAME ${name} COMMAND test_${name})
endfunction()
