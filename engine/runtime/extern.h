#pragma once

/* How a host supplies an `extern` function: C or C++ code in a shared object, found by the
   extern's name. */

#ifdef __cplusplus
#include <cstddef>
#include <cstdint>
extern "C" {
#else
#include <stddef.h>
#include <stdint.h>
#endif

/// Computes `outputs` from `inputs`: scalars, and the elements of arrays one by one, in the order
/// of the declaration. Booleans are 0 and 1, `fxp` the number times 2 to the fraction bits, floats
/// their bits. An `extern(cpu)` of a class with dimensions gets them first, an `extern(gpu)` only
/// what it declares. Anything but 0 ends the run with an error that names the function.
typedef int (*tacet_extern_function)(const int64_t* inputs, size_t n_inputs, int64_t* outputs,
                                     size_t n_outputs);

#ifdef __cplusplus
}
#endif
