# fib_embed_page(<output.cpp>): style and script of the HTML report (lib/visual/assets/) as one generated source with the
# functions of lib/visual/assets.h.
function(fib_embed_page output)
  set(folder "${CMAKE_SOURCE_DIR}/lib/visual/assets")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${folder}/page.css" "${folder}/page.js")
  file(READ "${folder}/page.css" css)
  file(READ "${folder}/page.js" script)
  # The script's SHA-256 is what its element holds: the file as it is.
  execute_process(COMMAND openssl dgst -sha256 -binary "${folder}/page.js" COMMAND openssl base64 -A
                  OUTPUT_VARIABLE digest RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "openssl cannot digest ${folder}/page.js")
  endif()
  set(text "// Generated from lib/visual/assets/ by cmake/EmbedPage.cmake.\n#include \"visual/assets.h\"\n\n")
  string(APPEND text "namespace fib::visual {\n\n")
  string(APPEND text "std::string_view page_css() { return R\"__embedded__(${css})__embedded__\"; }\n")
  string(APPEND text "std::string_view page_script() { return R\"__embedded__(${script})__embedded__\"; }\n")
  string(APPEND text "std::string_view page_script_sha256() { return \"${digest}\"; }\n\n}  // namespace fib::visual\n")
  file(GENERATE OUTPUT "${output}" CONTENT "${text}")
endfunction()
