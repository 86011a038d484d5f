# The man pages, as part of `all`: only the program knows its options, so it writes them itself. Where what is built
# cannot run here, there are none.
if(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
  message(STATUS "fib: a cross build without emulator makes no man pages")
  return()
endif()

set(man_pages "${CMAKE_BINARY_DIR}/man/man1")
# Leaks are none of the build's business; looking for them fails under a debugger's or container's ptrace rules.
add_custom_command(OUTPUT "${CMAKE_BINARY_DIR}/man/stamp"
  COMMAND "${CMAKE_COMMAND}" -E rm -rf "${man_pages}"
  COMMAND "${CMAKE_COMMAND}" -E env ASAN_OPTIONS=detect_leaks=0 "$<TARGET_FILE:fib>" __man "${man_pages}"
  COMMAND "${CMAKE_COMMAND}" -E touch "${CMAKE_BINARY_DIR}/man/stamp"
  DEPENDS fib fib_core
  COMMENT "Writing the man pages" VERBATIM)
add_custom_target(man ALL DEPENDS "${CMAKE_BINARY_DIR}/man/stamp")
# OPTIONAL: who built single targets may have none.
install(DIRECTORY "${man_pages}" DESTINATION share/man OPTIONAL)
