# What every target of this project shares, and the two functions that declare modules and tests.

add_library(fib_options INTERFACE)
target_compile_options(fib_options INTERFACE -Wall -Wextra -Wconversion -Wshadow -Wnon-virtual-dtor)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 sees overlapping copies in std::string's operator+ that are not there (GCC bug 105651).
  target_compile_options(fib_options INTERFACE -Wno-restrict)
endif()
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC takes a source that a unity build includes for a header, where members whose types are in an anonymous namespace
  # would be a mistake; and a local name may be one of another source. The ordinary build warns of what is meant.
  target_compile_options(fib_options INTERFACE -Wno-subobject-linkage -Wno-shadow)
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

# fib_test(<name> SOURCES <files> [LIBRARIES <targets>] [LABEL unit|process|browser|gpu] [SLOW <files>]
#          [HIDDEN <files>] [ENVIRONMENT <variables>]): one Catch2 program for the folder tests/<name>, over the same
# objects, and an entry of ctest for each of its test_*.cpp. The label is unit where none is given: such tests start no
# process of fib, and take seconds. All others take turns, since runs do on a device. The files that take longer are
# slow instead; those whose cases are all hidden, which scripts run, have no entry.
function(fib_test name)
  cmake_parse_arguments(ARG "" "LABEL" "SOURCES;LIBRARIES;SLOW;HIDDEN;ENVIRONMENT" ${ARGN})
  add_executable(test_${name} ${ARG_SOURCES})
  target_include_directories(test_${name} PRIVATE "${CMAKE_SOURCE_DIR}/tests")
  target_link_libraries(test_${name} PRIVATE fib_options fib_core fib_test_support fib_test_main ${ARG_LIBRARIES})
  foreach(source ${ARG_SOURCES})
    if(NOT source MATCHES "^test_.*\\.cpp$" OR source IN_LIST ARG_HIDDEN)
      continue()
    endif()
    get_filename_component(file "${source}" NAME_WE)
    string(REGEX REPLACE "^test_" "${name}/" entry "${file}")
    # The file's name as a tag (-#); without the cases that are hidden; a file without cases is a mistake.
    add_test(NAME ${entry} COMMAND test_${name} -\# -w NoTests "[#${file}]~[.]")
    set(label unit)
    if(source IN_LIST ARG_SLOW)
      set(label slow)
    elseif(ARG_LABEL)
      set(label ${ARG_LABEL})
    endif()
    set_tests_properties(${entry} PROPERTIES LABELS ${label} SKIP_RETURN_CODE 77
                         ENVIRONMENT "FIB_TEST_SKIPPED=77;${ARG_ENVIRONMENT}")
    if(ARG_LABEL AND NOT ARG_LABEL STREQUAL unit)
      set_tests_properties(${entry} PROPERTIES RESOURCE_LOCK device)
    endif()
  endforeach()
endfunction()
