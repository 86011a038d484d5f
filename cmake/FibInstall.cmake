install(TARGETS fib fib_core fib_api fib_tvm_ffi fib_torch
        RUNTIME DESTINATION bin
        LIBRARY DESTINATION lib)
install(FILES "${CMAKE_SOURCE_DIR}/include/fib.h" DESTINATION include)

# A relocatable tree: what libfib and fib link to, besides the C and C++ run time, is copied beside libfib_core.so and
# found relative to it.
option(FIB_BUNDLE "Install third-party libraries beside libfib_core.so" OFF)
if(FIB_BUNDLE)
  set_target_properties(fib_core fib_api fib_tvm_ffi fib_torch PROPERTIES INSTALL_RPATH "$ORIGIN")
  # The loader does not follow the link by which a package has libfib in the system's folder (scripts/make-deb).
  set_property(TARGET fib_api APPEND PROPERTY INSTALL_RPATH "$ORIGIN/../fib/lib")
  # Bundled libraries find each other the same way: without this an installed libspdlog would look for libfmt in the
  # system's folders only.
  target_link_options(fib PRIVATE -Wl,--disable-new-dtags)
  install(CODE [[
    file(GET_RUNTIME_DEPENDENCIES
      EXECUTABLES "${CMAKE_INSTALL_PREFIX}/bin/fib"
      LIBRARIES "${CMAKE_INSTALL_PREFIX}/lib/libfib_core.so" "${CMAKE_INSTALL_PREFIX}/lib/libfib.so"
      RESOLVED_DEPENDENCIES_VAR resolved
      PRE_EXCLUDE_REGEXES "^libc\\.so" "^libm\\.so" "^libdl\\.so" "^libpthread\\.so" "^librt\\.so" "^ld-linux"
                          "^libstdc\\+\\+\\.so" "^libgcc_s\\.so"
      POST_EXCLUDE_REGEXES "libfib\\.so" "libfib_core\\.so$" "libfib_tvm_ffi\\.so$" "libfib_torch\\.so$")
    foreach(library ${resolved})
      file(INSTALL DESTINATION "${CMAKE_INSTALL_PREFIX}/lib" TYPE SHARED_LIBRARY FOLLOW_SYMLINK_CHAIN FILES "${library}")
    endforeach()
  ]])
endif()
