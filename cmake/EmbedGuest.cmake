# fib_embed_guest(<output.cpp>): the script that runs Python code (lib/worker/guest.py) as one generated source with
# fib::worker::guest_script() (lib/worker/guest_client.h).
function(fib_embed_guest output)
  set(file "${CMAKE_SOURCE_DIR}/lib/worker/guest.py")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  file(READ "${file}" content)
  set(text "// Generated from lib/worker/guest.py by cmake/EmbedGuest.cmake.\n#include \"worker/guest_client.h\"\n\n")
  string(APPEND text "namespace fib::worker {\n\nstd::string_view guest_script() { return R\"__embedded__(${content})__embedded__\"; }\n\n")
  string(APPEND text "}  // namespace fib::worker\n")
  file(GENERATE OUTPUT "${output}" CONTENT "${text}")
endfunction()
