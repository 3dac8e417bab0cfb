#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/spec/fill/forms.h"
#include "compiler/spec/infer/spec_graph.h"
#include "compiler/spec/infer/synthesis.h"

namespace tacet::fill {

/// A call of the value specification that a kernel computes.
struct KernelCall {
  infer::SpecNodeId call;
  /// Of the results that are used, in order; none for the others.
  std::vector<infer::SpecNodeId> results;
  /// What can compute it.
  struct Kernel {
    std::string name;
    names::Device device = names::Device::Gpu;
    size_t n_dims = 0;
  };
  std::vector<Kernel> kernels;
};

/// The calls that kernels can compute, each behind those that it needs.
auto kernel_calls(query::Context& context, FileId file, const infer::SpecGraph& values)
    -> std::vector<KernelCall>;

/// Which encoding does which call, and with which of its kernels.
struct StepPlan {
  std::vector<size_t> encoding_of;
  size_t kernel = 0;
};

/// The plans to try, those first that spread the calls evenly.
auto step_plans(const std::vector<KernelCall>& calls, size_t n_encodings) -> std::vector<StepPlan>;

/// Writes the statements of a plan and the value behind them; nothing if it cannot be done, and
/// then `problem` says why.
auto write_plan(query::Context& context, names::ItemId function, const infer::SpecGraph& values,
                const infer::SpecGraph& timeline, const infer::AtHand& inputs,
                const std::vector<KernelCall>& calls, const StepPlan& plan,
                const std::string& indent, std::string& problem) -> std::optional<Form>;

}  // namespace tacet::fill
