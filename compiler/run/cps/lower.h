#pragma once

#include <span>
#include <string>
#include <vector>

#include "compiler/run/cps/assembly.h"
#include "compiler/spec/program/frontend.h"

namespace tacet::cps {

/// Something that a funclet fails at because it has no form for it.
struct Unsupported {
  FileRange place;
  std::string what;
};

/// An assembly and how it goes with the text that it came from.
struct Lowered {
  Program program;
  /// By `Command::source` and `Tail::source`.
  std::vector<FileRange> places;
  /// By kernel: the extern or device function.
  std::vector<names::ItemId> kernel_items;
  /// By function.
  std::vector<names::ItemId> function_items;
  std::vector<Unsupported> unsupported;
};

/// The coordinator functions `entries` and all that they call, those of other files included. The
/// files have no errors. Throws `query::Cancelled` as everything on a snapshot does.
///
/// A function's graph becomes funclets: one for each branch of an `if` and for what follows it, and
/// one for what comes behind a call. What a funclet needs of those before it are its parameters; a
/// join keeps what its branches do not touch. Variables are handed over by value, but for those
/// whose address is taken: these are allocated when the function begins and released when it ends.
/// Calls that would make an endless loop without the host hand control to it first (`yield_edges`).
auto lower(const program::FrontendSnapshot& snapshot, std::span<const names::ItemId> entries)
    -> Lowered;

/// The coordinator functions and pipelines of a file.
auto lower_file(const program::FrontendSnapshot& snapshot, FileId file) -> Lowered;

}  // namespace tacet::cps
