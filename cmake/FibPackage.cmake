# What scripts/make-deb gives to cpack: a tree as the package has it, and what the package says of itself.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME fib)
set(CPACK_PACKAGE_FILE_NAME fib)
set(CPACK_PACKAGE_VERSION "$ENV{FIB_VERSION}")
set(CPACK_INSTALLED_DIRECTORIES "$ENV{FIB_PACKAGE_ROOT};/")
set(CPACK_PACKAGING_INSTALL_PREFIX "/")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Measures how fast compute kernels are, and checks their results")
set(CPACK_PACKAGE_DESCRIPTION "fib runs the solutions of FlashInfer-Trace datasets on NVIDIA GPUs and CPUs, checks every output, and \
ranks them. libfib runs the winners in programs.")
set(CPACK_PACKAGE_CONTACT "The authors of fib <fib@localhost>")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
# glibc and libstdc++ of Debian 12 or newer. libssl3 has another name in Ubuntu 24.04. fib compiles solutions when it runs.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= 2.36), libstdc++6 (>= 12), libgcc-s1, libssl3 | libssl3t64, libffi8, \
libsqlite3-0, zlib1g, g++ | c++-compiler")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3, libopenblas0-pthread")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "librsvg2-2, fonts-dejavu-core")
