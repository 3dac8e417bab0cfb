#include "compiler/run/oracle/deep_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/core/diagnostics/code.h"
#include "compiler/front/names/instance_name.h"
#include "compiler/spec/infer/interface.h"
#include "compiler/spec/program/shown_instance.h"

namespace tacet::oracle {

using interpret::Compilation;
using interpret::Executable;
using names::ItemId;
using names::ItemKind;

namespace {

/// Two items that should compute the same.
struct Pair {
  ItemId model;
  ItemId other;
  bool is_member = false;  ///< two members of a class, not a function and its specification
};

class DeepChecker {
 public:
  DeepChecker(const program::FrontendSnapshot& snapshot, const RunOptions& options)
      : snapshot_(snapshot), options_(options) {
    for (const auto& [name, function] : options.externs) {
      externs_.insert(name);
    }
  }

  /// What there is to compare in a file.
  void gather(FileId file, std::vector<Pair>& pairs) const {
    for (const names::FileItem& item : snapshot_.items(file)->items) {
      if (item.kind == ItemKind::Fn) {
        if (!snapshot_.signature(item.id)->val.has_value()) {
          continue;
        }
        const std::vector<ItemId> instances = snapshot_.query().run(
            [&](query::Context& context) { return program::sampled_instances(context, item.id); });
        for (const ItemId instance : instances) {
          pairs.push_back({snapshot_.signature(instance)->val, instance});
        }
      } else if (item.kind == ItemKind::Feq) {
        gather_members(item.id, pairs);
      }
    }
  }

  void check(const Pair& pair, DeepCheck& result) const {
    const std::vector<uint32_t> inputs = inputs_of_model(pair);
    const std::string problem = run(pair, inputs, result);
    if (!problem.empty()) {
      result.diagnostics.push_back(
          make_diagnostic(DiagnosticCode::T3031, snapshot_.name_place(pair.other),
                          fmt::format("`{}` was not run: {}", name(pair.other), problem)));
    }
  }

 private:
  auto name(ItemId item) const -> std::string {
    return names::instance_name(snapshot_.interner(), snapshot_.item_key(item));
  }

  /// The first value specification of a class is what the others are held against. Coordinator
  /// functions are held against the specification they implement, externs need a library.
  void gather_members(ItemId item, std::vector<Pair>& pairs) const {
    const auto members = snapshot_.equivalence_class(item)->members;
    auto model = std::find_if(members.begin(), members.end(), [&](ItemId member) {
      return snapshot_.item_key(member).kind == ItemKind::Val;
    });
    if (model == members.end()) {
      return;
    }
    for (ItemId member : members) {
      const ItemKind kind = snapshot_.item_key(member).kind;
      const bool can_run = kind == ItemKind::Val ||
                           (kind == ItemKind::Extern && externs_.count(name(member)) != 0) ||
                           (kind == ItemKind::Fn && !snapshot_.signature(member)->val.has_value());
      if (member != *model && can_run) {
        pairs.push_back({*model, member, true});
      }
    }
  }

  /// Which input of the function each one of the specification is. Empty if they are not all
  /// given, or if the results are other nodes: such a function does a part of the work.
  auto inputs_of_model(const Pair& pair) const -> std::vector<uint32_t> {
    const size_t n = snapshot_.signature(pair.model)->parameters.size();
    std::vector<uint32_t> inputs(n, kMissing);
    const auto interface =
        pair.is_member ? nullptr : snapshot_.query().get<infer::InterfaceOf>(pair.other);
    if (interface == nullptr) {
      for (uint32_t i = 0; i < n; ++i) {
        inputs[i] = i;
      }
      return inputs;
    }
    for (size_t i = 0; i < interface->parameters.size(); ++i) {
      const infer::PortQuotient& port = interface->parameter_quotients[i];
      if (port.kind == infer::PortQuotient::Kind::Ordinal && port.number < n) {
        inputs[port.number] = interface->parameters[i].ordinal;
      }
    }
    return interface->is_whole() ? inputs : std::vector<uint32_t>(n, kMissing);
  }

  /// Gives back why the pair cannot be run; empty if it was.
  auto run(const Pair& pair, const std::vector<uint32_t>& inputs, DeepCheck& result) const
      -> std::string {
    const bool is_part = std::count(inputs.begin(), inputs.end(), kMissing) > 0;
    if (is_part) {
      return "its signature names nodes other than the inputs and results of its specification; it "
             "runs only when its callers run";
    }
    const Compilation model = interpret::compile(snapshot_, pair.model, externs_);
    if (!model.executable) {
      return fmt::format("in `{}`: {}", name(pair.model), model.problem);
    }
    const Compilation other = interpret::compile(snapshot_, pair.other, externs_);
    if (!other.executable) {
      return other.problem;
    }
    if (!can_exchange(*model.executable, *other.executable, inputs)) {
      return fmt::format("its values are packed differently from those of `{}`", name(pair.model));
    }
    const Comparison compared =
        compare(*model.executable, *other.executable, inputs, pair.other.index, options_);
    ++result.n_compared;
    result.n_runs += compared.n_done + compared.n_failed;
    if (compared.counterexample) {
      result.diagnostics.push_back(difference(pair, *other.executable, *compared.counterexample));
    } else if (compared.n_done + compared.n_failed == 0 && options_.n_runs > 0) {
      return compared.why_untold;
    }
    return {};
  }

  static auto can_exchange(const Executable& model, const Executable& other,
                           const std::vector<uint32_t>& inputs) -> bool {
    auto are_equal = [](const auto& a, const auto& b) {
      return a.type == b.type && a.shape == b.shape;
    };
    if (inputs.size() != model.parameters.size()) {
      return false;
    }
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i] >= other.parameters.size() ||
          !are_equal(model.parameters[i], other.parameters[inputs[i]])) {
        return false;
      }
    }
    return std::equal(model.results.begin(), model.results.end(), other.results.begin(),
                      other.results.end(), are_equal);
  }

  static auto ending(const Outcome& outcome) -> std::string {
    return outcome.end == End::Done ? fmt::format("gives {}", outcome.text)
                                    : fmt::format("fails: {}", outcome.text);
  }

  auto difference(const Pair& pair, const Executable& other, const Counterexample& example) const
      -> Diagnostic {
    std::string on;
    for (size_t i = 0; i < example.inputs.size(); ++i) {
      on += fmt::format("{}{} = {}", i == 0 ? "" : ", ", other.parameters[i].name,
                        value_text(example.inputs[i]));
    }
    on = on.empty() ? std::string("when run") : fmt::format("on {}", on);
    Diagnostic diagnostic = make_diagnostic(
        pair.is_member ? DiagnosticCode::T3032 : DiagnosticCode::T3030,
        snapshot_.name_place(pair.other),
        fmt::format("`{}` and {}`{}` differ {}", name(pair.other),
                    pair.is_member ? "" : "its specification ", name(pair.model), on));
    diagnostic.labels.push_back(
        {snapshot_.name_place(pair.model), fmt::format("this {}", ending(example.first))});
    diagnostic.notes.push_back(fmt::format("`{}` {}\n`{}` {}", name(pair.model),
                                           ending(example.first), name(pair.other),
                                           ending(example.second)));
    return diagnostic;
  }

  static constexpr uint32_t kMissing = 0xffffffff;

  const program::FrontendSnapshot& snapshot_;
  const RunOptions& options_;
  std::set<std::string, std::less<>> externs_;
};

}  // namespace

auto deep_check(const program::FrontendSnapshot& snapshot, const std::vector<FileId>& files,
                const RunOptions& options, Executor& executor) -> DeepCheck {
  const DeepChecker checker(snapshot, options);
  std::vector<Pair> pairs;
  for (FileId file : files) {
    checker.gather(file, pairs);
  }
  std::vector<DeepCheck> found(pairs.size());
  executor.for_each(pairs.size(), [&](size_t i) { checker.check(pairs[i], found[i]); });
  DeepCheck all;
  for (DeepCheck& one : found) {
    std::move(one.diagnostics.begin(), one.diagnostics.end(), std::back_inserter(all.diagnostics));
    all.n_compared += one.n_compared;
    all.n_runs += one.n_runs;
  }
  return all;
}

}  // namespace tacet::oracle
