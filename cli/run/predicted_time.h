#pragma once

#include "engine/cggi_format/program.h"
#include "engine/cggi_model/bootstrap_times.h"
#include "engine/he_format/bundle.h"
#include "engine/he_model/operation_times.h"

/// How long encrypted programs take, client and server on one machine: keys, what the server
/// encodes and hides, encryption, evaluation, decryption.
namespace tacet::cli {

/// In milliseconds, on as many threads as operations were measured with.
auto predicted_milliseconds(const engine::HeBundle& bundle, const he::OperationTimes& times)
    -> double;

/// The same of a circuit. One with inputs of the server is faster for the numbers that it has
/// (`engine::specialised`).
auto predicted_milliseconds(const engine::CggiProgram& program, const cggi::BootstrapTimes& times)
    -> double;

}  // namespace tacet::cli
