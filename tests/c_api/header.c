/* fib.h is C: this is compiled by the C compiler, without extensions. */
#include <fib.h>

int fib_header_is_c(void);

int fib_header_is_c(void) {
  fib_value value = {FIB_INTEGER, 0, {0}};
  value.u.integer = 7;
  return fib_abi_version() == FIB_ABI_VERSION && value.u.integer == 7 && FIB_APPLIED == 0;
}
