#include <fmt/format.h>

#include <algorithm>

#include "compiler/device/array/lowering.h"
#include "compiler/device/draws/member_that_runs.h"
#include "compiler/front/check/queries.h"

/// Functions that are called are inlined by name: what a parameter stands for is asked for wherever
/// the function reads it, along the dimensions that it is read along.
namespace tacet::array {

using names::ItemId;
using names::ItemKind;
using syntax::bare;

/// Calls in calls in calls.
static constexpr uint32_t kMostCallers = 100;
/// All calls, by way of each way to them.
static constexpr size_t kMostFrames = 1 << 14;

auto ItemLowering::add_frame(ItemId item, Frame* caller, Node call,
                             std::optional<FileRange> stands_at) -> Frame& {
  const auto number = static_cast<uint32_t>(frames_.size());
  frames_.push_back(std::make_unique<Frame>(snapshot_, item, number, caller, call, stands_at));
  return *frames_.back();
}

auto ItemLowering::has_mistakes(ItemId item) const -> bool {
  return !snapshot_.tree(item)->errors.empty() ||
         check::has_errors(snapshot_.get<check::DiagnosticsOfItem>(item));
}

auto ItemLowering::called_frame(Node call) -> Frame* {
  auto [known, is_new] = called_.try_emplace({frame_->id, call.index()}, nullptr);
  if (is_new) {
    Frame* callee = new_called_frame(call);
    called_[{frame_->id, call.index()}] = callee;
    return callee;
  }
  return known->second;
}

auto ItemLowering::new_called_frame(Node call) -> Frame* {
  const ItemId called = text().body->names.item(bare(call.child(Field::Function)).index());
  if (!called.has_value() || call.child(Field::Template)) {
    unsupported_call(call);
    return nullptr;
  }
  const std::string name = text_of(snapshot_.item_key(called).name);
  const ItemId item = draws::member_that_runs(snapshot_, called, [](ItemId) { return false; });
  const ItemKind kind = item.has_value() ? snapshot_.item_key(item).kind : ItemKind::Extern;
  const auto signature = item.has_value() ? snapshot_.signature(item) : nullptr;
  const bool is_device_function =
      kind == ItemKind::Fn && signature && signature->is_device_function;
  if (kind != ItemKind::Val && !is_device_function) {
    unsupported(call, fmt::format("calling `{}`", name),
                "the callee, or another member of its class, must be a value specification or a "
                "device function");
    return nullptr;
  }
  if (has_mistakes(item)) {
    report(DiagnosticCode::T6001, text().place(call), fmt::format("`{}` contains errors", name),
           "fix them first");
    return nullptr;
  }
  if (signature->results.size() != 1 || signature->parameters.size() != arguments_of(call).size()) {
    unsupported(call,
                fmt::format("calling `{}`, which has {} results,", name, signature->results.size()),
                "write one function for each result");
    return nullptr;
  }
  for (const Frame* frame = frame_; frame != nullptr; frame = frame->caller) {
    if (frame->text.item == item || frame->n_callers >= kMostCallers) {
      unsupported(call,
                  frame->text.item == item
                      ? fmt::format("a recursive call of `{}`", name)
                      : fmt::format("a nesting of more than {} calls", kMostCallers),
                  "use `for` or a reduction to repeat a computation");
      return nullptr;
    }
  }
  if (frames_.size() >= kMostFrames) {
    report(DiagnosticCode::T6003, text().place(call),
           fmt::format("more than {} calls after inlining", kMostFrames),
           "name repeated computations with `let`");
    return nullptr;
  }
  Frame& frame = add_frame(item, frame_, call, text().place(call));
  return in_frame(frame, [&]() -> Frame* {
    const size_t n_reported = diagnostics_.size();
    check_statements(names::item_node(*text().tree).child(Field::Body));
    if (diagnostics_.size() != n_reported) {
      return nullptr;
    }
    check_faults();
    add_lets();
    return &frame;
  });
}

auto ItemLowering::function_call(Node node, const Indices& at) -> ExprId {
  Frame* callee = called_frame(node);
  if (callee == nullptr) {
    return nothing(text().place(node));
  }
  return in_frame(*callee, [&] {
    const Node result = text().result();
    return expression(result, extents(result).empty() ? Indices() : at);
  });
}

auto ItemLowering::argument(uint32_t ordinal, const Indices& at) -> ExprId {
  const Node value = bare(frame_->arguments.at(ordinal));
  const std::string name = text_of(snapshot_.signature(text().item)->parameters.at(ordinal).name);
  const auto scope_key = [&] {
    std::vector<int64_t> key = {frame_->id, -1 - static_cast<int64_t>(ordinal)};
    add_to_key(at, key);
    return key;
  };
  std::vector<int64_t> key = scope_key();
  return in_frame(*frame_->caller, [&] {
    const std::vector<int64_t> shape = extents(value);
    const Indices along = shape.empty() ? Indices() : at;
    const FileRange place = text().place(value);
    if (!value.is(NodeKind::Identifier) && !are_within(along, shape)) {
      return site_of(value, materialised(value, name, place), along, place);
    }
    for (const Variable& variable : variables_of(value)) {
      add_to_key({scope_->variables.at(variable)}, key);
    }
    if (auto known = scope_->inlined.find(key); known != scope_->inlined.end()) {
      return known->second;
    }
    const ExprId result = expression(value, along);
    scope_->inlined.emplace(key, result);
    return result;
  });
}

auto ItemLowering::constant_frame(ItemId constant, Node use) -> Frame& {
  auto [known, is_new] = constants_.try_emplace(constant, nullptr);
  if (is_new) {
    known->second = &add_frame(constant, nullptr, {}, text().place(use));
  }
  return *known->second;
}

auto ItemLowering::constant_item(ItemId constant, Node node, const Indices& at) -> ExprId {
  if (snapshot_.item_key(constant).kind != ItemKind::Const) {
    return unsupported(node, fmt::format("using `{}` as a value", node.text()), "");
  }
  if (has_mistakes(constant)) {
    report(DiagnosticCode::T6001, text().place(node),
           fmt::format("`{}` contains errors", node.text()), "fix them first");
    return nothing(text().place(node));
  }
  const std::string name(node.text());
  return in_frame(constant_frame(constant, node), [&] {
    const Node value = bare(text().result());
    const FileRange place = text().place(value);
    const std::vector<int64_t> shape = extents(value);
    if (std::optional<ArrayId> written = constant_array(value, name, place)) {
      return pool().site({*written, at}, place);
    }
    return are_within(at, shape) ? expression(value, shape.empty() ? Indices() : at)
                                 : site_of(value, materialised(value, name, place), at, place);
  });
}

auto ItemLowering::variables_of(Node node) -> const std::vector<Variable>& {
  const FrameNode key = {frame_->id, node.index()};
  if (auto known = variables_.find(key); known != variables_.end()) {
    return known->second;
  }
  std::vector<Variable> result;
  for (uint32_t local : lets().variables_of(node)) {
    result.push_back(variable(local));
  }
  if (frame_->caller != nullptr) {
    for (uint32_t ordinal : lets().parameters_of(node)) {
      const Node value = frame_->arguments.at(ordinal);
      in_frame(*frame_->caller, [&] {
        const std::vector<Variable>& of_argument = variables_of(value);
        result.insert(result.end(), of_argument.begin(), of_argument.end());
        return 0;
      });
    }
  }
  // Those of a caller are around those of what it calls.
  const auto order = [&](const Variable& variable) {
    const names::Local& local = frames_[variable.frame]->text.body->names.locals[variable.local];
    return std::make_pair(variable.frame, local.declaration);
  };
  std::sort(result.begin(), result.end(),
            [&](const Variable& a, const Variable& b) { return order(a) < order(b); });
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return variables_.emplace(key, std::move(result)).first->second;
}

}  // namespace tacet::array
