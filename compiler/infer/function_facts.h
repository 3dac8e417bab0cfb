#pragma once

#include "compiler/infer/quotients.h"

namespace tacet::infer {

/// A coordinator function and all that was found out about it. References: for passing down.
struct FunctionFacts {
  const hir::Function& function;  ///< in SSA
  const Quotients& quotients;
  const SpecGraph& spec;
  const syntax::Tree& tree;
  const check::Body& body;
  const Interface& interface;
};

}  // namespace tacet::infer
