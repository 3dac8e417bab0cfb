#pragma once

#include <memory>
#include <string>
#include <vector>

#include "compiler/run/interpret/interpret.h"
#include "compiler/run/interpret/traced_machine.h"
#include "compiler/spec/program/frontend.h"

namespace tacet::debugger {

/// What is debugged: a program that was compiled for it, with its inputs.
struct Debuggee {
  std::unique_ptr<program::Frontend> frontend;
  FileId file;                  ///< the program's own
  std::vector<FileId> files{};  ///< of it and of what it imports; not the library
  names::ItemId entry{};
  interpret::DebugCompilation compilation{};
  std::vector<interpret::Value> inputs{};
  interpret::MachineOptions options{};
};

/// An input of the run: a parameter of the entry.
struct Input {
  std::string name;
  std::string owner;  ///< the party or side that it comes from, or empty
  bool is_secret = false;
};

/// The inputs, at most `interpret::kMostOrigins`: what exceeds that is one input, `other inputs`.
auto inputs_of(const Debuggee& debuggee) -> std::vector<Input>;

/// The argument cells of the run, and for each the set of the input that it is from.
struct Arguments {
  std::vector<interpret::Cell> cells;
  std::vector<interpret::OriginSet> origins;
};
auto arguments_of(const Debuggee& debuggee) -> Arguments;

}  // namespace tacet::debugger
