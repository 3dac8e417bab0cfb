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
  Exprs bases;                       ///< a column each
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
  source.bases = values(lowering, node);
  for (ExprId& base : source.bases) {
    if (lowering.build.type(base).extents.empty()) {
      problem(lowering, node, "this array");
      base = lowering.build.zero({kI64, {1}});
    }
    if (!stays(lowering, base, reads)) {
      lowering.build.set_place(place_of(lowering, node));
      const VariableId kept = lowering.build.variable("array", lowering.build.type(base));
      emit(lowering, Assign{kept, base});
      base = lowering.build.read(kept);
    }
  }
  return source;
}

/// Evaluated from the left.
static auto sources_of(FunctionLowering& lowering, const std::vector<Node>& arrays, Reads reads)
    -> std::vector<ElementSource> {
  std::vector<ElementSource> sources;
  Operands operands(lowering);
  for (const Node array : arrays) {
    operands.add_all([&] {
      sources.push_back(source_of(lowering, array, reads));
      return sources.back().bases;
    });
  }
  const Exprs bases = operands.take();
  size_t next = 0;
  for (ElementSource& source : sources) {
    for (ExprId& base : source.bases) {
      base = bases[next++];
    }
  }
  return sources;
}

static auto elements_of(FunctionLowering& lowering, const ElementSource& source, ExprId at)
    -> Exprs {
  for (const Stride& stride : source.strides) {
    at = strided(lowering, at, stride);
  }
  Exprs elements;
  for (const ExprId base : source.bases) {
    elements.push_back(lowering.build.element(base, {at}));
  }
  return elements;
}

static auto extent_of(const Type& type) -> int64_t {
  return type.extents.empty() ? 0 : type.extents.front();
}

static auto new_index(FunctionLowering& lowering) -> VariableId {
  return lowering.build.variable("i", {kI64, {}}, VariableKind::Index);
}

/// How many elements an array at `node` has, whatever they are.
static auto length_at(FunctionLowering& lowering, Node node) -> int64_t {
  return extent_of(type_at(lowering, node,
                           types::column_types(types(lowering), type_id(lowering, node)).front()));
}

auto slice(FunctionLowering& lowering, Node node) -> Exprs {
  const int64_t length = length_at(lowering, node);
  const ElementSource source = source_of(lowering, node, Reads::InExpression);
  lowering.build.set_place(place_of(lowering, node));
  const int64_t all =
      source.bases.empty() ? 0 : extent_of(lowering.build.type(source.bases.front()));
  if (source.strides.size() == 1 && length == all) {
    return source.bases;
  }
  const VariableId index = new_index(lowering);
  Exprs results = elements_of(lowering, source, lowering.build.read(index));
  for (ExprId& result : results) {
    result = lowering.build.tabulate(index, length, result);
  }
  return results;
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
    -> Exprs {
  const int64_t length = length_at(lowering, call);
  if (arguments.empty()) {
    problem(lowering, call, "this call");
    return {nothing(lowering, call)};
  }
  const std::vector<ElementSource> sources = sources_of(lowering, arguments, Reads::InExpression);
  lowering.build.set_place(place_of(lowering, call));
  const VariableId index = new_index(lowering);
  int64_t first = length;
  Exprs elements;
  for (size_t i = sources.size(); i-- > 0;) {
    const int64_t end = first;
    first -= length_at(lowering, syntax::bare(arguments[i]));
    const ExprId at = strided(lowering, lowering.build.read(index), {-first, 1});
    const Exprs own =
        converted(lowering, call, elements_of(lowering, sources[i], at),
                  type_id(lowering, syntax::bare(arguments[i])), type_id(lowering, call));
    const bool is_last = i + 1 == sources.size();
    const ExprId is_here = lowering.build.binary(Operator::Lt, lowering.build.read(index),
                                                 lowering.build.integer(end));
    for (size_t c = 0; c < own.size() && !is_last; ++c) {
      elements[c] = lowering.build.select(is_here, own[c], elements[c], Obliviousness::MayBranch);
    }
    elements = is_last ? own : elements;
  }
  for (ExprId& element : elements) {
    element = lowering.build.tabulate(index, length, element);
  }
  return elements;
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
        const Exprs elements = elements_of(lowering, sources[i], at);
        local->assign(elements.begin(), elements.end());
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
  const int64_t n = arrays.empty() ? 0 : length_at(lowering, syntax::bare(arrays.front()));
  For loop;
  loop.lower = lowering.build.integer(0);
  loop.upper = lowering.build.integer(n);
  loop.counter = lowering.build.variable("i", {kI64, {}}, VariableKind::Counter);
  const ExprId at = lowering.build.read(loop.counter);
  {
    const Iteration iteration(lowering, node, at);
    open(lowering);
    for (size_t i = 0; i < sources.size() && i < variables.size(); ++i) {
      const std::vector<VariableId> columns =
          declare_columns(lowering, variables[i], type_id(lowering, variables[i]), false);
      const Exprs elements = elements_of(lowering, sources[i], at);
      for (size_t c = 0; c < columns.size() && c < elements.size(); ++c) {
        emit(lowering, Assign{columns[c], elements[c]});
      }
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
