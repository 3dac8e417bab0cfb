#pragma once

#include "engine/cggi/test_keys_test.h"
#include "engine/cggi_runtime/client.h"
#include "engine/cggi_runtime/server.h"

/// Runs programs under encryption with keys that take a millisecond and hide nothing.
namespace tacet::engine {

/// With the numbers of all inputs.
inline auto run_with(cggi::TestKeys& keys, CggiProgram program, const CggiValues& values)
    -> CggiValues {
  program.parameters = keys.secret.parameters;
  const cggi::FreshCiphertexts inputs =
      value(encrypt_inputs(program, keys.secret, values, keys.random, keys.isa));
  return value(decrypt_results(
      program, keys.secret,
      value(evaluate(program, keys.server, inputs, values, keys.batching(), nullptr))));
}

}  // namespace tacet::engine
