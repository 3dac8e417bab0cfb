#include "compiler/device/kernel/lower.h"

#include <algorithm>

#include "compiler/device/kernel/lowering.h"
#include "compiler/device/kernel/verify.h"
#include "compiler/device/kernel/walk.h"

namespace tacet::kernel {

using types::TypeKind;

static constexpr size_t kMaxNodes = size_t{1} << 20;
static constexpr size_t kMaxDimensions = 64;

auto lower(const program::FrontendSnapshot& snapshot, names::ItemId item, Places places)
    -> Lowering {
  return FunctionLowering(snapshot, places).run(item);
}

auto FunctionLowering::run(names::ItemId item) -> Lowering {
  frames_.push_back(std::make_unique<Frame>(frame_of(item)));
  const Node node = names::item_node(*frame().tree);
  build_.set_place(place(node));
  kernel_.name = text_of(snapshot_.item_key(item).name);
  kernel_.device = frame().signature->device;
  open();
  if (snapshot_.item_key(item).kind != names::ItemKind::Fn) {
    problem(node, "something that is not a function");
  } else {
    add_parameters();
    add_results();
    return_block(node.child(Field::Body));
  }
  kernel_.body = close();
  if (kernel_.exprs.size() + kernel_.statements.size() > kMaxNodes) {
    problem(node, "too much code");
  }
  if (!problem_.empty()) {
    return {std::nullopt, std::move(problem_), problem_place_, {}, {}};
  }
  expect_verified(kernel_, "lowering");
  return {std::move(kernel_), {}, {}, std::move(inlined_), std::move(bounded_)};
}

auto FunctionLowering::frame_of(names::ItemId item) -> Frame {
  const bool is_in_items = places_ == Places::InItems;
  Frame frame{.item = item,
              .tree = snapshot_.tree(item),
              .body = snapshot_.body(item),
              .file = is_in_items ? FileId{item.index} : snapshot_.item_key(item).file,
              .begin = is_in_items ? 0 : snapshot_.item_begin(item),
              .signature = snapshot_.signature(item)};
  frame.locals.resize(frame.body->names.locals.size());
  if (snapshot_.item_key(item).kind == names::ItemKind::Fn) {
    frame.draws = elaborator_.elaborate(item);
  }
  return frame;
}

void FunctionLowering::add_parameters() {
  const std::vector<names::Local>& locals = frame().body->names.locals;
  const std::vector<types::SignatureParameter>& parameters = frame().signature->parameters;
  std::vector<VariableId> made;
  for (const types::SignatureParameter& parameter : parameters) {
    const auto local = std::find_if(locals.begin(), locals.end(), [&](const names::Local& other) {
      return other.kind == names::LocalKind::Parameter && other.ordinal == made.size();
    });
    const bool has_name = local != locals.end() && local->node != names::Local::kNone;
    const Node node =
        has_name ? Node(frame().tree.get(), local->node) : names::item_node(*frame().tree);
    build_.set_place(place(node));
    const VariableId variable = build_.variable(
        text_of(parameter.name), type_at(node, parameter.type), VariableKind::Parameter);
    Variable& data = kernel_.variables[variable];
    data.visibility = types().visibility(parameter.type);
    data.owner = text_of(parameter.owner);
    data.bound = parameter.bound;
    made.push_back(variable);
  }
  for (size_t i = 0; i < locals.size(); ++i) {
    if (locals[i].kind == names::LocalKind::Parameter && locals[i].ordinal < made.size()) {
      frame().locals[i] = made[locals[i].ordinal];
    }
  }
  kernel_.parameters = std::move(made);
}

void FunctionLowering::add_results() {
  for (const types::SignatureResult& result : frame().signature->results) {
    kernel_.results.push_back({type_at(names::item_node(*frame().tree), result.type),
                               types().visibility(result.type), text_of(result.name),
                               text_of(result.owner)});
  }
}

auto FunctionLowering::close() -> Block {
  size_t depth = blocks_.size() - 1;
  while (blocks_[depth].is_guarded) {
    --depth;
  }
  close_guards(depth);
  Block statements = std::move(blocks_.back().statements);
  blocks_.pop_back();
  return statements;
}

void FunctionLowering::close_guards(size_t depth) {
  while (blocks_.size() - 1 > depth) {
    OpenBlock rest = std::move(blocks_.back());
    blocks_.pop_back();
    If& guard = rest.guard;
    (rest.is_then ? guard.then : guard.otherwise) = std::move(rest.statements);
    if (!guard.then.empty() || !guard.otherwise.empty()) {
      build_.set_place(rest.place);
      emit(std::move(guard));
    }
  }
}

void FunctionLowering::problem(Node node, std::string_view what) {
  if (problem_.empty()) {
    problem_ = what;
    problem_place_ = place(node);
  }
}

auto FunctionLowering::type_of(TypeId type) const -> std::optional<Type> {
  const types::Type& data = types()[type];
  if (data.kind != TypeKind::Value) {
    return std::nullopt;
  }
  Type result{{static_cast<engine::ElementKind>(data.dtype), data.fraction_bits},
              types().extents(data.shape)};
  if (data.dtype == types::DType::Fxp && data.fraction_bits == 0) {
    result.element.fraction_bits = engine::kDefaultFractionBits;
  }
  const bool is_known = std::all_of(result.extents.begin(), result.extents.end(),
                                    [](int64_t extent) { return extent >= 0; });
  return is_known ? std::optional(std::move(result)) : std::nullopt;
}

#define TACET_DTYPE(Name, text, bits)                   \
  static_assert(static_cast<int>(types::DType::Name) == \
                static_cast<int>(engine::ElementKind::Name));
#include "compiler/front/types/dtypes.def"

auto FunctionLowering::type_at(Node node, TypeId type) -> Type {
  std::optional<Type> result = type_of(type);
  if (result && result->extents.size() <= kMaxDimensions) {
    return *std::move(result);
  }
  switch (types()[type].kind) {
    case TypeKind::Reference:
      problem(node, "a reference");
      break;
    case TypeKind::Slice:
      problem(node, "a slice");
      break;
    case TypeKind::Record:
      problem(node, "a record");
      break;
    case TypeKind::Tuple:
      problem(node, "a tuple");
      break;
    case TypeKind::Value:
      problem(node, "too many dimensions");
      break;
    case TypeKind::Error:
    case TypeKind::Encoder:
    case TypeKind::Future:
    case TypeKind::Event:
    case TypeKind::BufferSpace:
    case TypeKind::RngState:
    case TypeKind::Array:
      problem(node, "a value that is neither a number nor an array of numbers");
      break;
  }
  return {engine::kI64, {}};
}

auto FunctionLowering::named_children(Node list) -> std::vector<Node> {
  std::vector<Node> result;
  for (Node child : list.children()) {
    if (syntax::is_named(child.kind())) {
      result.push_back(child);
    }
  }
  return result;
}

auto FunctionLowering::bindings_of(Node node) -> std::vector<Node> {
  std::vector<Node> result;
  for (Node child : node.children()) {
    if (child.is(NodeKind::Binding)) {
      result.push_back(child);
    }
  }
  return result;
}

void FunctionLowering::Operands::keep_before(Position position) {
  const Kernel& kernel = lowering_.kernel_;
  const Block& all = lowering_.blocks_[position.depth].statements;
  const Block later(all.begin() + static_cast<std::ptrdiff_t>(position.at), all.end());
  if (lowering_.blocks_.size() - 1 == position.depth && effects_of(kernel, later).is_pure()) {
    return;
  }
  Block kept;
  for (ExprId& expr : exprs_) {
    if (can_fault(kernel, expr)) {
      Builder& build = lowering_.build_;
      const VariableId variable = build.variable("t", build.type(expr));
      kept.push_back(build.assign(variable, expr));
      expr = build.read(variable);
    }
  }
  Block& statements = lowering_.blocks_[position.depth].statements;
  statements.insert(statements.begin() + static_cast<std::ptrdiff_t>(position.at), kept.begin(),
                    kept.end());
  lowering_.n_emitted_ += kept.size();
}

}  // namespace tacet::kernel
