#include "compiler/run/conformance/device_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compiler/core/diagnostics/code.h"
#include "compiler/front/names/instance_name.h"
#include "compiler/front/names/queries.h"
#include "compiler/front/types/queries.h"
#include "compiler/spec/infer/report.h"
#include "compiler/spec/program/shown_instance.h"

namespace tacet::conformance {

using interpret::Executable;
using names::ItemId;
using names::ItemKind;

namespace {

auto are_equal(const interpret::EntryParameter& a, const interpret::EntryParameter& b) -> bool {
  return a.name == b.name && a.type == b.type && a.shape == b.shape && a.bound == b.bound;
}

auto are_equal(const interpret::EntryResult& a, const interpret::EntryResult& b) -> bool {
  return a.name == b.name && a.type == b.type && a.shape == b.shape;
}

auto can_exchange(const Executable& model, const Executable& other) -> bool {
  const auto are_alike = [](const auto& a, const auto& b) {
    return a.type == b.type && a.shape == b.shape;
  };
  return std::equal(model.parameters.begin(), model.parameters.end(), other.parameters.begin(),
                    other.parameters.end(), are_alike) &&
         std::equal(model.results.begin(), model.results.end(), other.results.begin(),
                    other.results.end(), are_alike);
}

auto runnable(const program::FrontendSnapshot& snapshot, ItemId item) -> RunnableItem {
  interpret::Compilation compilation = interpret::compile(snapshot, item, {});
  if (compilation.executable) {
    std::vector<FileRange>& places = compilation.executable->program.places;
    std::fill(places.begin(), places.end(), FileRange{});
  }
  return {.executable = std::move(compilation.executable),
          .problem = std::move(compilation.problem)};
}

/// Decides about one function and says it.
class Judge {
 public:
  Judge(const program::FrontendSnapshot& snapshot, ItemId item, ItemId specification, bool is_deep)
      : snapshot_(snapshot), item_(item), specification_(specification), is_deep_(is_deep) {}

  auto run(const RunnableItem& model, const RunnableItem& other, const DecideOptions& options)
      -> FunctionConformance {
    const Verdict verdict = decided(model, other, options);
    FunctionConformance result{
        .specification = specification_, .outcome = verdict.outcome, .diagnostic = said(verdict)};
    if (verdict.counterexample) {
      result.specified = ending(verdict.counterexample->first);
    }
    return result;
  }

 private:
  auto decided(const RunnableItem& model, const RunnableItem& other, const DecideOptions& options)
      -> Verdict {
    Verdict verdict;
    if (!model.executable || !other.executable) {
      verdict.why = model.executable ? other.problem : model.problem;
      return verdict;
    }
    if (!can_exchange(*model.executable, *other.executable)) {
      verdict.why =
          fmt::format("its values are packed differently from those of `{}`", name(specification_));
      return verdict;
    }
    parameters_ = &other.executable->parameters;
    std::vector<uint32_t> inputs;
    for (uint32_t i = 0; i < parameters_->size(); ++i) {
      inputs.push_back(i);
    }
    return decide(*model.executable, *other.executable, inputs, 1, options);
  }

  auto name(ItemId item) const -> std::string {
    return names::instance_name(snapshot_.interner(), snapshot_.item_key(item));
  }

  static auto ending(const oracle::Outcome& outcome) -> std::string {
    return outcome.end == oracle::End::Done ? fmt::format("gives {}", outcome.text)
                                            : fmt::format("fails: {}", outcome.text);
  }

  auto said(const Verdict& verdict) const -> Diagnostic {
    const std::string function = name(item_);
    const std::string model = name(specification_);
    const FileRange place = snapshot_.name_place(item_);
    switch (verdict.outcome) {
      case Outcome::Proved:
        return make_diagnostic(
            DiagnosticCode::T3053, place,
            fmt::format("`{}` is equivalent to `{}`: {}", function, model, verdict.how));
      case Outcome::Probable:
        return make_diagnostic(
            DiagnosticCode::T3051, place,
            fmt::format("`{}` is equivalent to `{}`, with error probability 2^{:.0f}: "
                        "they agree at random points of a field",
                        function, model, std::ceil(verdict.log2_error)));
      case Outcome::Different:
        return difference(*verdict.counterexample, place);
      case Outcome::NotDecided:
        break;
    }
    Diagnostic diagnostic =
        make_diagnostic(DiagnosticCode::T3052, place,
                        fmt::format("cannot decide whether `{}` is equivalent to `{}`: {}",
                                    function, model, verdict.why));
    if (!is_deep_) {
      diagnostic.notes.push_back(
          fmt::format("they agree on {} inputs; `tacet check --deep` tries more", verdict.n_runs));
    }
    return diagnostic;
  }

  auto difference(const oracle::Counterexample& example, FileRange place) const -> Diagnostic {
    std::string on;
    for (size_t i = 0; i < example.inputs.size(); ++i) {
      on += fmt::format("{}{} = {}", i == 0 ? "" : ", ", (*parameters_)[i].name,
                        value_text(example.inputs[i]));
    }
    Diagnostic diagnostic =
        make_diagnostic(DiagnosticCode::T3050, place,
                        fmt::format("`{}` differs from its specification `{}`{}{}", name(item_),
                                    name(specification_), on.empty() ? "" : " on ", on));
    diagnostic.notes.push_back(fmt::format("`{}` {}\n`{}` {}", name(specification_),
                                           ending(example.first), name(item_),
                                           ending(example.second)));
    return diagnostic;
  }

  const program::FrontendSnapshot& snapshot_;
  ItemId item_;
  ItemId specification_;
  bool is_deep_;
  const std::vector<interpret::EntryParameter>* parameters_ = nullptr;  ///< of the function
};

/// The value specification that a device function implements, or none.
auto specification_of(const types::Signature& signature) -> ItemId {
  return signature.is_device_function ? signature.val : ItemId{};
}

auto with_label(const FunctionConformance& found, Diagnostic diagnostic, FileRange specification)
    -> Diagnostic {
  if (found.outcome == Outcome::Different) {
    diagnostic.labels.push_back({specification, fmt::format("this {}", found.specified)});
  }
  return diagnostic;
}

}  // namespace

auto IsChunkRunnable::compute(query::Context& context, const Key& chunk) -> Value {
  for (const names::FileItem& item : *context.get<names::ItemsOfChunk>(chunk)) {
    const bool has_bad_text = !context.get<names::SyntaxOfItem>(item.id)->errors.empty();
    if (has_bad_text || (item.kind == ItemKind::Fn
                             ? check::has_errors(context.get<infer::DiagnosticsOfFunction>(item.id))
                             : check::has_errors(context.get<check::DiagnosticsOfItem>(item.id)))) {
      return false;
    }
  }
  return true;
}

auto IsRunnable::compute(query::Context& context, const Key& file) -> Value {
  for (const ItemId first : *context.get<names::ChunksOfFile>(file)) {
    if (!context.get<IsChunkRunnable>({file, first})) {
      return false;
    }
  }
  const std::vector<names::Import> imports = context.get<names::ImportsOfFile>(file);
  return std::all_of(imports.begin(), imports.end(), [&](const names::Import& import) {
    return import.file.has_value() && context.get<IsRunnable>(import.file);
  });
}

auto operator==(const RunnableItem& a, const RunnableItem& b) -> bool {
  if (a.problem != b.problem || a.executable.has_value() != b.executable.has_value()) {
    return false;
  }
  const auto are_same = [](const auto& left, const auto& right) {
    return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                      [](const auto& x, const auto& y) { return are_equal(x, y); });
  };
  return !a.executable || (a.executable->program == b.executable->program &&
                           are_same(a.executable->parameters, b.executable->parameters) &&
                           are_same(a.executable->results, b.executable->results));
}

auto RunnableOfItem::compute(query::Context& context, const Key& item) -> Value {
  return std::make_shared<const RunnableItem>(
      runnable(program::FrontendSnapshot(context, item), item));
}

/// The worst that is found of any of them.
static auto worst_of(const std::vector<std::shared_ptr<const FunctionConformance>>& found)
    -> std::shared_ptr<const FunctionConformance> {
  static constexpr Outcome kWorstFirst[] = {Outcome::Different, Outcome::NotDecided,
                                            Outcome::Probable, Outcome::Proved};
  for (const Outcome outcome : kWorstFirst) {
    for (const auto& one : found) {
      if (one != nullptr && one->outcome == outcome) {
        return one;
      }
    }
  }
  return nullptr;
}

/// Is something left to be filled in? That is said of the hole.
static auto has_hole(query::Context& context, ItemId function) -> bool {
  const names::ItemTree& tree = context.get<names::SyntaxOfItem>(function);
  return std::any_of(tree->nodes.begin(), tree->nodes.end(), [](const syntax::NodeData& node) {
    return node.kind == syntax::NodeKind::Hole || node.kind == syntax::NodeKind::StatementHole ||
           node.kind == syntax::NodeKind::HoleStatement;
  });
}

auto ConformanceOfFunction::compute(query::Context& context, const Key& item) -> Value {
  const names::ItemKey& key = context.service<names::ItemTable>()[item];
  if (key.kind != ItemKind::Fn) {
    return nullptr;
  }
  const auto signature = context.get<types::SignatureOf>(item);
  const ItemId specification = specification_of(*signature);
  if (!specification.has_value() || !context.get<IsRunnable>(key.file)) {
    return nullptr;
  }
  if (signature->is_generic()) {
    std::vector<Value> found;
    for (const ItemId instance : program::sampled_instances(context, item)) {
      found.push_back(context.get<ConformanceOfFunction>(instance));
    }
    return worst_of(found);
  }
  const auto model = context.get<RunnableOfItem>(specification);
  const auto other = context.get<RunnableOfItem>(item);
  const program::FrontendSnapshot view(context, item);
  return std::make_shared<const FunctionConformance>(
      Judge(view, item, specification, false).run(*model, *other, limits_while_typing()));
}

auto UnprovedOfChunk::compute(query::Context& context, const Key& chunk) -> Value {
  return names::kept_of_chunk<ConformanceOfFunction>(
      context, chunk, [](const names::FileItem& item) { return item.kind == ItemKind::Fn; },
      [](const auto& found) { return found.outcome != Outcome::Proved; });
}

auto conformance_diagnostics(query::Context& context, FileId file) -> std::vector<Diagnostic> {
  std::vector<Diagnostic> all;
  const program::FrontendSnapshot view(context);
  names::for_chunks<UnprovedOfChunk>(context, file, [&](const UnprovedOfChunk::Value& unproved) {
    for (const auto& [item, found] : *unproved) {
      if (found->outcome == Outcome::NotDecided && has_hole(context, item)) {
        continue;
      }
      const uint32_t begin = context.get<names::BeginOfItem>(item);
      all.push_back(with_label(*found, shifted(found->diagnostic, begin),
                               view.name_place(found->specification)));
    }
  });
  return all;
}

auto check_deeply(const program::FrontendSnapshot& snapshot, const std::vector<FileId>& files,
                  Executor& executor) -> std::vector<Diagnostic> {
  std::vector<ItemId> functions;
  for (const FileId file : files) {
    for (const names::FileItem& item : snapshot.items(file)->items) {
      if (item.kind == ItemKind::Fn && specification_of(*snapshot.signature(item.id)).has_value()) {
        const std::vector<ItemId> instances = snapshot.query().run(
            [&](query::Context& context) { return program::sampled_instances(context, item.id); });
        functions.insert(functions.end(), instances.begin(), instances.end());
      }
    }
  }
  DecideOptions options = limits_for_deep_checks();
  options.runs.n_runs = 0;
  std::vector<Diagnostic> found(functions.size());
  executor.for_each(functions.size(), [&](size_t i) {
    const program::FrontendSnapshot mine = snapshot;
    const ItemId specification = specification_of(*mine.signature(functions[i]));
    const FunctionConformance one =
        Judge(mine, functions[i], specification, true)
            .run(runnable(mine, specification), runnable(mine, functions[i]), options);
    found[i] = with_label(one, one.diagnostic, mine.name_place(specification));
  });
  return found;
}

}  // namespace tacet::conformance
