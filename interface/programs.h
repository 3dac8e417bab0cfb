#pragma once

#include "interface/handles.h"
#include "interface/quiet.h"

namespace tacet::interface {

/// What the C interface says of a compiled program's parameters and results.
void describe_encrypted(Program& program);
void describe_parties(Program& program);
void describe_reference(Program& program);

/// Compiles a function of a module for a device: `ref`, `he`, `mpc`, or the one that it is written
/// for if the name is empty. An error that C can hold, or null and `compiled`.
auto compile(const std::shared_ptr<Sources>& sources, const std::string& device,
             cli::RunOptions options, const Listener& listener,
             std::shared_ptr<const Program>& compiled) -> tacet_error*;

}  // namespace tacet::interface
