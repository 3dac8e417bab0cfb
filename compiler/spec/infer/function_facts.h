#pragma once

#include "compiler/front/flow/function_flows.h"
#include "compiler/spec/infer/quotients.h"
#include "compiler/spec/infer/timeline.h"

namespace tacet::infer {

/// A coordinator function and all that was found out about it. References: for passing down.
struct FunctionFacts {
  const hir::Function& function;  ///< in SSA
  const Quotients& quotients;
  const SpecGraph& spec;
  const syntax::Tree& tree;
  const check::Body& body;
  const Interface& interface;
  /// Of its timeline, and its flows: only for those who show them.
  const TimelineQuotients* events = nullptr;
  const SpecGraph* timeline = nullptr;
  const flow::FunctionFlows* flows = nullptr;
};

}  // namespace tacet::infer
