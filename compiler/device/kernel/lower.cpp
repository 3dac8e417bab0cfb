#include "compiler/device/kernel/lower.h"

#include <algorithm>

#include "compiler/device/kernel/lowering.h"
#include "compiler/device/kernel/verify.h"
#include "compiler/device/kernel/walk.h"

namespace tacet::kernel {

using types::TypeKind;

static constexpr size_t kMaxNodes = size_t{1} << 20;
static constexpr size_t kMaxDimensions = 64;

static auto run(FunctionLowering& lowering, names::ItemId item) -> Lowering;
static void add_parameters(FunctionLowering& lowering);
static void add_results(FunctionLowering& lowering);

auto lower(const program::FrontendSnapshot& snapshot, names::ItemId item, Places places,
           EncryptedCalls encrypted_calls) -> Lowering {
  FunctionLowering lowering(snapshot, places);
  lowering.encrypted_calls = encrypted_calls;
  return run(lowering, item);
}

void move_to_calls(Lowering& lowering) {
  for (const InlinedCall& call : lowering.inlined) {
    for (uint32_t i = call.exprs.begin; i < call.exprs.end; ++i) {
      lowering.kernel->exprs[ExprId{i}].place = call.place;
    }
    for (uint32_t i = call.statements.begin; i < call.statements.end; ++i) {
      lowering.kernel->statements[StatementId{i}].place = call.place;
    }
  }
}

static auto run(FunctionLowering& lowering, names::ItemId item) -> Lowering {
  lowering.frames.push_back(std::make_unique<Frame>(frame_of(lowering, item)));
  const Node node = names::item_node(*frame(lowering).tree);
  lowering.build.set_place(place_of(lowering, node));
  lowering.kernel.name = text_of(lowering, lowering.snapshot.item_key(item).name);
  lowering.kernel.device = frame(lowering).signature->device;
  open(lowering);
  if (lowering.snapshot.item_key(item).kind != names::ItemKind::Fn) {
    problem(lowering, node, "something that is not a function");
  } else {
    add_parameters(lowering);
    add_results(lowering);
    return_block(lowering, node.child(Field::Body));
  }
  lowering.kernel.body = close(lowering);
  if (lowering.kernel.exprs.size() + lowering.kernel.statements.size() > kMaxNodes) {
    problem(lowering, node, "too much code");
  }
  if (!lowering.problem.empty()) {
    return {std::nullopt, std::move(lowering.problem), lowering.problem_place, {}, {}, {}};
  }
  expect_verified(lowering.kernel, "lowering");
  return {std::move(lowering.kernel),
          {},
          {},
          std::move(lowering.inlined),
          std::move(lowering.bounded),
          std::move(lowering.encrypted)};
}

auto frame_of(FunctionLowering& lowering, names::ItemId item) -> Frame {
  const bool is_in_items = lowering.places == Places::InItems;
  Frame frame{.item = item,
              .tree = lowering.snapshot.tree(item),
              .body = lowering.snapshot.body(item),
              .file = is_in_items ? FileId{item.index} : lowering.snapshot.item_key(item).file,
              .begin = is_in_items ? 0 : lowering.snapshot.item_begin(item),
              .signature = lowering.snapshot.signature(item)};
  frame.locals.resize(frame.body->names.locals.size());
  if (lowering.snapshot.item_key(item).kind == names::ItemKind::Fn) {
    frame.draws = lowering.elaborator.elaborate(item);
  }
  return frame;
}

static void add_parameters(FunctionLowering& lowering) {
  const std::vector<names::Local>& locals = frame(lowering).body->names.locals;
  const std::vector<types::SignatureParameter>& parameters = frame(lowering).signature->parameters;
  std::vector<std::vector<VariableId>> made(parameters.size());
  for (const types::ParameterColumn& column : types::parameter_columns(
           types(lowering), lowering.snapshot.interner(), *frame(lowering).signature)) {
    const types::SignatureParameter& parameter = parameters[column.parameter];
    const auto local = std::find_if(locals.begin(), locals.end(), [&](const names::Local& other) {
      return other.kind == names::LocalKind::Parameter && other.ordinal == column.parameter;
    });
    const bool has_name = local != locals.end() && local->node != names::Local::kNone;
    const Node node = has_name ? Node(frame(lowering).tree.get(), local->node)
                               : names::item_node(*frame(lowering).tree);
    lowering.build.set_place(place_of(lowering, node));
    const VariableId variable =
        lowering.build.variable(parameter.name.has_value() ? column.name : "",
                                type_at(lowering, node, column.type), VariableKind::Parameter);
    Variable& data = lowering.kernel.variables[variable];
    data.visibility = types(lowering).visibility(column.type);
    data.owner = text_of(lowering, parameter.owner);
    data.bound = parameter.bound;
    data.path = column.steps.empty() ? "" : column.shown;
    made[column.parameter].push_back(variable);
    lowering.kernel.parameters.push_back(variable);
  }
  for (size_t i = 0; i < locals.size(); ++i) {
    if (locals[i].kind == names::LocalKind::Parameter && locals[i].ordinal < made.size()) {
      const std::vector<VariableId>& columns = made[locals[i].ordinal];
      frame(lowering).locals[i].assign(columns.begin(), columns.end());
    }
  }
}

static void add_results(FunctionLowering& lowering) {
  for (const types::SignatureResult& result : frame(lowering).signature->results) {
    const std::vector<TypeId> columns = types::column_types(types(lowering), result.type);
    const std::vector<std::string> names =
        column_variable_names(lowering, result.type, text_of(lowering, result.name));
    for (size_t i = 0; i < columns.size(); ++i) {
      lowering.kernel.results.push_back(
          {type_at(lowering, names::item_node(*frame(lowering).tree), columns[i]),
           types(lowering).visibility(columns[i]), result.name.has_value() ? names[i] : "",
           text_of(lowering, result.owner), types::has_columns(types(lowering), result.type)});
    }
  }
}

auto close(FunctionLowering& lowering) -> Block {
  size_t depth = lowering.blocks.size() - 1;
  while (lowering.blocks[depth].is_guarded) {
    --depth;
  }
  close_guards(lowering, depth);
  Block statements = std::move(lowering.blocks.back().statements);
  lowering.blocks.pop_back();
  return statements;
}

void close_guards(FunctionLowering& lowering, size_t depth) {
  while (lowering.blocks.size() - 1 > depth) {
    OpenBlock rest = std::move(lowering.blocks.back());
    lowering.blocks.pop_back();
    If& guard = rest.guard;
    (rest.is_then ? guard.then : guard.otherwise) = std::move(rest.statements);
    if (!guard.then.empty() || !guard.otherwise.empty()) {
      lowering.build.set_place(rest.place);
      emit(lowering, std::move(guard));
    }
  }
}

void problem(FunctionLowering& lowering, Node node, std::string_view what) {
  if (lowering.problem.empty()) {
    lowering.problem = what;
    lowering.problem_place = place_of(lowering, node);
  }
}

auto type_of(const FunctionLowering& lowering, TypeId type) -> std::optional<Type> {
  const types::Type& data = types(lowering)[type];
  if (data.kind != TypeKind::Value) {
    return std::nullopt;
  }
  Type result{{static_cast<engine::ElementKind>(data.dtype), data.fraction_bits},
              types(lowering).extents(data.shape)};
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

auto type_at(FunctionLowering& lowering, Node node, TypeId type) -> Type {
  std::optional<Type> result = type_of(lowering, type);
  if (result && result->extents.size() <= kMaxDimensions) {
    return *std::move(result);
  }
  switch (types(lowering)[type].kind) {
    case TypeKind::Reference:
      problem(lowering, node, "a reference");
      break;
    case TypeKind::Slice:
      problem(lowering, node, "a slice");
      break;
    case TypeKind::Record:
      problem(lowering, node, "a record");
      break;
    case TypeKind::Tuple:
      problem(lowering, node, "a tuple");
      break;
    case TypeKind::Value:
      problem(lowering, node, "too many dimensions");
      break;
    case TypeKind::Error:
    case TypeKind::Encoder:
    case TypeKind::Future:
    case TypeKind::Event:
    case TypeKind::BufferSpace:
    case TypeKind::RngState:
    case TypeKind::Array:
      problem(lowering, node, "a value that is neither a number nor an array of numbers");
      break;
  }
  return {engine::kI64, {}};
}

auto bindings_of(Node node) -> std::vector<Node> {
  std::vector<Node> result;
  for (Node child : node.children()) {
    if (child.is(NodeKind::Binding)) {
      result.push_back(child);
    }
  }
  return result;
}

void Operands::keep_before(Position position) {
  const Kernel& kernel = lowering_.kernel;
  const Block& all = lowering_.blocks[position.depth].statements;
  const Block later(all.begin() + static_cast<std::ptrdiff_t>(position.at), all.end());
  if (lowering_.blocks.size() - 1 == position.depth && effects_of(kernel, later).is_pure()) {
    return;
  }
  Block kept;
  for (ExprId& expr : exprs_) {
    if (can_fault(kernel, expr)) {
      Builder& build = lowering_.build;
      const VariableId variable = build.variable("t", build.type(expr));
      kept.push_back(build.assign(variable, expr));
      expr = build.read(variable);
    }
  }
  Block& statements = lowering_.blocks[position.depth].statements;
  statements.insert(statements.begin() + static_cast<std::ptrdiff_t>(position.at), kept.begin(),
                    kept.end());
  lowering_.n_emitted += kept.size();
}

}  // namespace tacet::kernel
