#include "compiler/device/kernel/lowering.h"
#include "compiler/device/kernel/walk.h"
#include "compiler/front/check/array_forms.h"
#include "compiler/front/types/queries.h"

// Slices, arrays in a row, and loops over elements: loops that count, and reads at their counters.

namespace tacet::kernel {

using check::Stride;
using engine::kI64;
using types::Operator;

namespace {

/// Where elements are read: within the same expression, or by statements that may write.
enum class Reads : uint8_t { InExpression, InStatements };

/// An array whose elements are read one by one, each inside of it.
struct ElementSource {
  ExprId base;
  std::vector<Stride> strides = {};  ///< of the slices of it, the last one first
};

}  // namespace

static auto stride_of(const FunctionLowering& lowering, Node node) -> Stride {
  return check::stride_of(types(lowering), *frame(lowering).body, node, [&](names::ItemId item) {
    return lowering.snapshot.get<types::ValueOfConst>(item);
  });
}

static auto strided(FunctionLowering& lowering, ExprId at, const Stride& stride) -> ExprId {
  if (stride.step != 1) {
    at = lowering.build.binary(Operator::Mul, at, lowering.build.integer(stride.step));
  }
  return stride.first == 0
             ? at
             : lowering.build.binary(Operator::Add, at, lowering.build.integer(stride.first));
}

/// Is it read where it is at no cost, and does no statement change it?
static auto stays(const FunctionLowering& lowering, ExprId array, Reads reads) -> bool {
  bool result = true;
  if (reads == Reads::InStatements) {
    walk_exprs(lowering.kernel, array, [&](ExprId id) {
      const auto* read = std::get_if<Read>(&lowering.kernel.exprs[id].node);
      result = result && (read == nullptr || !lowering.kernel.variables[read->variable].is_mutable);
    });
  }
  if (const auto* part = std::get_if<Element>(&lowering.kernel.exprs[array].node)) {
    array = part->array;
  }
  return result && std::holds_alternative<Read>(lowering.kernel.exprs[array].node);
}

static auto source_of(FunctionLowering& lowering, Node node, Reads reads) -> ElementSource {
  ElementSource source;
  for (node = syntax::bare(node); node.is(NodeKind::SliceExpression);
       node = syntax::bare(node.child(Field::Array))) {
    source.strides.push_back(stride_of(lowering, node));
  }
  source.base = value(lowering, node);
  if (lowering.build.type(source.base).extents.empty()) {
    problem(lowering, node, "this array");
    source.base = lowering.build.zero({kI64, {1}});
  }
  if (!stays(lowering, source.base, reads)) {
    lowering.build.set_place(place_of(lowering, node));
    const VariableId kept = lowering.build.variable("array", lowering.build.type(source.base));
    emit(lowering, Assign{kept, source.base});
    source.base = lowering.build.read(kept);
  }
  return source;
}

/// Evaluated from the left.
static auto sources_of(FunctionLowering& lowering, const std::vector<Node>& arrays, Reads reads)
    -> std::vector<ElementSource> {
  std::vector<ElementSource> sources;
  Operands operands(lowering);
  for (const Node array : arrays) {
    operands.add([&] {
      sources.push_back(source_of(lowering, array, reads));
      return sources.back().base;
    });
  }
  const Exprs bases = operands.take();
  for (size_t i = 0; i < bases.size(); ++i) {
    sources[i].base = bases[i];
  }
  return sources;
}

static auto element_of(FunctionLowering& lowering, const ElementSource& source, ExprId at)
    -> ExprId {
  for (const Stride& stride : source.strides) {
    at = strided(lowering, at, stride);
  }
  return lowering.build.element(source.base, {at});
}

static auto extent_of(const Type& type) -> int64_t {
  return type.extents.empty() ? 0 : type.extents.front();
}

static auto new_index(FunctionLowering& lowering) -> VariableId {
  return lowering.build.variable("i", {kI64, {}}, VariableKind::Index);
}

auto slice(FunctionLowering& lowering, Node node) -> ExprId {
  const Type type = type_at(lowering, node);
  const ElementSource source = source_of(lowering, node, Reads::InExpression);
  lowering.build.set_place(place_of(lowering, node));
  if (source.strides.size() == 1 && type.extents == lowering.build.type(source.base).extents) {
    return source.base;
  }
  const VariableId index = new_index(lowering);
  const ExprId body = element_of(lowering, source, lowering.build.read(index));
  return lowering.build.tabulate(index, extent_of(type), body);
}

auto range_array(FunctionLowering& lowering, Node node) -> ExprId {
  const Type type = type_at(lowering, node);
  lowering.build.set_place(place_of(lowering, node));
  const VariableId index = new_index(lowering);
  const Stride stride = stride_of(lowering, check::range_in(node));
  const ExprId number = strided(lowering, lowering.build.read(index), stride);
  return lowering.build.tabulate(index, extent_of(type), lowering.build.cast(number, type.element));
}

auto concatenation(FunctionLowering& lowering, Node call, const std::vector<Node>& arguments)
    -> ExprId {
  const Type type = type_at(lowering, call);
  if (arguments.empty()) {
    problem(lowering, call, "this call");
    return nothing(lowering, call);
  }
  const std::vector<ElementSource> sources = sources_of(lowering, arguments, Reads::InExpression);
  lowering.build.set_place(place_of(lowering, call));
  const VariableId index = new_index(lowering);
  int64_t first = extent_of(type);
  ExprId element;
  for (size_t i = sources.size(); i-- > 0;) {
    const int64_t end = first;
    first -= extent_of(type_at(lowering, syntax::bare(arguments[i])));
    const ExprId at = strided(lowering, lowering.build.read(index), {-first, 1});
    const ExprId own = element_of(lowering, sources[i], at);
    const bool is_last = i + 1 == sources.size();
    const ExprId is_here = lowering.build.binary(Operator::Lt, lowering.build.read(index),
                                                 lowering.build.integer(end));
    element =
        is_last ? own : lowering.build.select(is_here, own, element, Obliviousness::MayBranch);
  }
  return lowering.build.tabulate(index, extent_of(type), element);
}

static auto held(FunctionLowering& lowering, Node variable) -> Held* {
  const names::Resolution meaning = frame(lowering).body->names.of(variable.index());
  return meaning.is(names::Meaning::Local) ? &frame(lowering).locals[meaning.index()] : nullptr;
}

auto element_binder(FunctionLowering& lowering, Node node) -> std::function<void(ExprId)> {
  const std::vector<Node> arrays = check::arrays_of(frame(lowering).body->names, node);
  return [&lowering, variables = check::variables_of(node),
          sources = sources_of(lowering, arrays, Reads::InExpression)](ExprId at) {
    for (size_t i = 0; i < sources.size() && i < variables.size(); ++i) {
      lowering.build.set_place(place_of(lowering, variables[i]));
      if (Held* local = held(lowering, variables[i])) {
        *local = element_of(lowering, sources[i], at);
      }
    }
  };
}

void element_loop(FunctionLowering& lowering, Node node) {
  const std::vector<Node> arrays = check::arrays_of(frame(lowering).body->names, node);
  const std::vector<Node> variables = check::variables_of(node);
  const std::vector<ElementSource> sources = sources_of(lowering, arrays, Reads::InStatements);
  const Node body = node.child(Field::Body);
  lowering.build.set_place(place_of(lowering, node));
  const int64_t n = arrays.empty() ? 0 : extent_of(type_at(lowering, syntax::bare(arrays.front())));
  For loop;
  loop.lower = lowering.build.integer(0);
  loop.upper = lowering.build.integer(n);
  loop.counter = lowering.build.variable("i", {kI64, {}}, VariableKind::Counter);
  const ExprId at = lowering.build.read(loop.counter);
  {
    const Iteration iteration(lowering, node, at);
    open(lowering);
    for (size_t i = 0; i < sources.size() && i < variables.size(); ++i) {
      const VariableId element =
          declare(lowering, variables[i], type_at(lowering, variables[i]), false);
      emit(lowering, Assign{element, element_of(lowering, sources[i], at)});
    }
    frame(lowering).loops.push_back({});
    statement(lowering, body);
    frame(lowering).loops.pop_back();
    loop.body = close(lowering);
  }
  lowering.build.set_place(place_of(lowering, node));
  emit(lowering, std::move(loop));
  leave_after_loop(lowering, body);
}

}  // namespace tacet::kernel
