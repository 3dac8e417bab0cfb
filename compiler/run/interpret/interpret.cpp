#include "compiler/run/interpret/interpret.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "compiler/front/types/columns.h"
#include "compiler/run/interpret/failure_diagnostic.h"
#include "compiler/run/interpret/lowering.h"

namespace tacet::interpret {

using types::TypeId;
using types::TypeKind;

namespace {

/// What a function with a grid gets: one point, or what the caller says.
enum class Grid : uint8_t { OnePoint, Given };

/// Builds the function that a host calls: it keeps what references refer to, calls the entry and
/// reads the references among its results.
class EntryBuilder {
 public:
  EntryBuilder(const program::FrontendSnapshot& snapshot,
               const std::set<std::string, std::less<>>& available_externs, Grid grid,
               HostedFunction hosted_by = {}, DebugInfo* debug = nullptr)
      : snapshot_(snapshot),
        grid_(grid),
        lowering_(snapshot, available_externs, executable_.program, std::move(hosted_by), debug) {}

  [[nodiscard]] auto lowering() const -> const ProgramLowering& { return lowering_; }

  auto build(names::ItemId entry) -> Compilation {
    executable_.program.functions.emplace_back();
    Callee callee = lowering_.callee_of(entry);
    Compilation result;
    if (!callee.signature) {
      result.problem = "it has no member that can run";
      return result;
    }
    if (callee.signature->is_generic()) {
      result.problem = "its sizes or types are not given";
      return result;
    }
    result.problem = add_parameters(*callee.signature);
    if (result.problem.empty()) {
      result.problem = add_results(*callee.signature);
    }
    if (!result.problem.empty()) {
      return result;
    }
    write_start(callee);
    if (!lowering_.lower_all() || is_too_large_) {
      result.problem = "the arrays of a function do not fit in a frame";
      return result;
    }
    result.executable = std::move(executable_);
    return result;
  }

 private:
  auto types() const -> types::TypeStore& { return snapshot_.types(); }

  auto text(TypeId type) const -> std::string {
    return types::type_text(types(), snapshot_.interner(), type);
  }

  auto referent(TypeId type) const -> TypeId {
    return types()[type].kind == TypeKind::Reference ? types()[type].element : type;
  }

  /// Why a value of the type can neither be given nor received.
  auto misfit(TypeId type) const -> std::string {
    const bool is_value = types()[referent(type)].kind == TypeKind::Value;
    return fmt::format("is of type `{}`{}", text(type), is_value ? ", which is too large" : "");
  }

  auto add_parameters(const types::Signature& signature) -> std::string {
    for (const types::SignatureParameter& parameter : signature.parameters) {
      // Records of coordinator functions have fields in the order of their specifications, or more.
      if (!signature.is_device_function && types::has_columns(types(), parameter.type)) {
        return fmt::format("its parameter `{}` {}", snapshot_.interner().text(parameter.name),
                           misfit(parameter.type));
      }
    }
    for (types::ParameterColumn& column :
         types::parameter_columns(types(), snapshot_.interner(), signature)) {
      const types::SignatureParameter& parameter = signature.parameters[column.parameter];
      TypeId held = referent(column.type);
      if (types()[held].kind != TypeKind::Value || !n_cells(types(), held)) {
        return fmt::format("its parameter `{}` {}", column.shown, misfit(column.type));
      }
      const bool is_secret =
          types().visibility(held) == types::Visibility::Secret || parameter.owner.has_value();
      const bool is_part = types::has_columns(types(), parameter.type);
      executable_.parameters.push_back({std::move(column.name), element_type(types(), held),
                                        extents(types(), held), parameter.bound, is_secret,
                                        is_part ? column.shown : "", std::move(column.steps)});
    }
    return {};
  }

  /// The names that the function gives its results, or else the specification it implements.
  auto result_name(const types::Signature& signature, size_t i) const -> std::string {
    Name name = signature.results[i].name;
    if (!name.has_value() && signature.val.has_value()) {
      std::shared_ptr<const types::Signature> specified = snapshot_.signature(signature.val);
      if (specified->results.size() == signature.results.size()) {
        name = specified->results[i].name;
      }
    }
    if (name.has_value()) {
      return std::string(snapshot_.interner().text(name));
    }
    return signature.results.size() == 1 ? "out" : fmt::format("out{}", i);
  }

  auto add_results(const types::Signature& signature) -> std::string {
    for (size_t i = 0; i < signature.results.size(); ++i) {
      std::string problem =
          add_result(result_name(signature, i), referent(signature.results[i].type));
      if (!problem.empty()) {
        return problem;
      }
    }
    return {};
  }

  auto add_result(const std::string& name, TypeId type) -> std::string {
    if (types()[type].kind == TypeKind::Value && n_cells(types(), type)) {
      executable_.results.push_back({name, element_type(types(), type), extents(types(), type)});
      return {};
    }
    if (!types::has_columns(types(), type)) {
      return fmt::format("its result `{}` {}", name, misfit(type));
    }
    const std::vector<std::string> names =
        types::column_names(types(), snapshot_.interner(), type, name);
    const std::vector<TypeId> columns = types::column_types(types(), type);
    for (size_t i = 0; i < columns.size(); ++i) {
      std::string problem = add_result(names[i], columns[i]);
      if (!problem.empty()) {
        return problem;
      }
    }
    return {};
  }

  /// By cell of the columns of a type in order: its place in a value of the type.
  void add_places(TypeId type, const std::vector<uint32_t>& begins, std::vector<uint32_t>& places) {
    const types::Type& data = types()[type];
    if (!types::has_columns(types(), type)) {
      const auto n = static_cast<uint32_t>(lowering_.cells(type));
      for (const uint32_t begin : begins) {
        for (uint32_t i = 0; i < n; ++i) {
          places.push_back(begin + i);
        }
      }
      return;
    }
    if (data.kind == TypeKind::Array) {
      const auto width = static_cast<uint32_t>(lowering_.cells(data.element));
      const auto n = width == 0 ? 0 : static_cast<uint32_t>(lowering_.cells(type)) / width;
      std::vector<uint32_t> elements;
      for (const uint32_t begin : begins) {
        for (uint32_t i = 0; i < n; ++i) {
          elements.push_back(begin + i * width);
        }
      }
      add_places(data.element, elements, places);
      return;
    }
    std::vector<TypeId> inner =
        data.kind == TypeKind::Tuple ? types().members(data.members) : std::vector<TypeId>();
    for (const types::RecordField& field : record_fields(types(), type)) {
      inner.push_back(field.type);
    }
    std::vector<uint32_t> here = begins;
    for (const TypeId part : inner) {
      add_places(part, here, places);
      for (uint32_t& begin : here) {
        begin += static_cast<uint32_t>(lowering_.cells(part));
      }
    }
  }

  enum class Direction : uint8_t { FromColumns, ToColumns };

  /// Moves a value between its columns in a row and the form that functions have it in.
  void move_columns(FunctionBuilder& builder, TypeId type, Slot columns, Slot whole,
                    Direction direction) {
    std::vector<uint32_t> places;
    add_places(type, {0}, places);
    for (uint32_t begin = 0; begin < places.size();) {
      uint32_t n = 1;
      while (begin + n < places.size() && places[begin + n] == places[begin] + n) {
        ++n;
      }
      const Slot column{columns.index + begin};
      const Slot part{whole.index + places[begin]};
      direction == Direction::FromColumns ? builder.emit_move(part, column, n)
                                          : builder.emit_move(column, part, n);
      begin += n;
    }
  }

  void write_start(const Callee& callee) {
    const types::Signature& signature = *callee.signature;
    FunctionBuilder builder(executable_.program, 0);
    std::vector<Slot> inputs;
    // Who gives a grid also says what draws are made behind.
    const uint32_t n_rng = grid_ == Grid::Given && callee.draws ? kRngCells : 0;
    const Slot given_rng = builder.allocate(n_rng);
    uint32_t n_parameter_cells = n_rng + (grid_ == Grid::Given ? callee.n_dims : 0);
    const Slot given_grid = builder.allocate(n_parameter_cells - n_rng);
    for (const types::SignatureParameter& parameter : signature.parameters) {
      uint64_t n = lowering_.cells(referent(parameter.type));
      inputs.push_back(builder.allocate(n));
      n_parameter_cells += static_cast<uint32_t>(n);
    }
    // A grid that nobody gives has one point.
    uint32_t at = 0;
    if (callee.draws) {
      const Slot rng = n_rng > 0 ? given_rng : builder.allocate(kRngCells);
      if (n_rng == 0) {
        builder.emit(Opcode::Zero, {rng.index, kRngCells});
      }
      builder.emit_pass(0, rng, kRngCells);
      at += kRngCells;
    }
    Slot temporary = builder.allocate(1);
    builder.emit_constant(temporary, 1);
    Slot settled = builder.allocate(1);
    builder.emit_constant(settled, kSettled);
    for (uint32_t i = 0; i < callee.n_dims + inputs.size(); ++i) {
      if (callee.demand(i) == Demand::Absent) {
        continue;
      }
      if (callee.demand(i) == Demand::Lazy) {
        builder.emit_move(builder.outgoing(at, 1), settled, 1);
        at += kSuspensionCells;
      }
      if (i < callee.n_dims) {
        const Slot extent = grid_ == Grid::Given ? Slot{given_grid.index + i} : temporary;
        builder.emit_move(builder.outgoing(at, 1), extent, 1);
        ++at;
      } else {
        size_t parameter = i - callee.n_dims;
        at += pass(builder, signature.parameters[parameter].type, inputs[parameter], temporary, at);
      }
    }
    builder.outgoing(0, 0);
    builder.emit(callee.is_extern ? Opcode::CallExtern : Opcode::Call, {callee.index});
    uint64_t n_result_cells = 0;
    for (const types::SignatureResult& result : signature.results) {
      n_result_cells += lowering_.cells(referent(result.type));
    }
    Slot results = builder.allocate(n_result_cells);
    gather_results(builder, signature, results, temporary);
    builder.emit(Opcode::Return, {results.index, static_cast<uint32_t>(n_result_cells)});
    Function& start = executable_.program.functions[0];
    start.n_parameter_cells = n_parameter_cells;
    start.n_result_cells = static_cast<uint32_t>(n_result_cells);
    builder.finish(0, 0);
    is_too_large_ = builder.is_too_large();
  }

  auto pass(FunctionBuilder& builder, TypeId type, Slot input, Slot temporary, uint32_t at)
      -> uint32_t {
    auto n = static_cast<uint32_t>(lowering_.cells(type));
    if (types::has_columns(types(), type)) {
      const Slot whole = builder.allocate(n);
      move_columns(builder, type, input, whole, Direction::FromColumns);
      input = whole;
    }
    if (types()[type].kind == TypeKind::Reference) {
      builder.emit(Opcode::Reference, {temporary.index, input.index});
      input = temporary;
    }
    builder.emit_move(builder.outgoing(at, n), input, n);
    return n;
  }

  void gather_results(FunctionBuilder& builder, const types::Signature& signature, Slot results,
                      Slot temporary) {
    uint32_t at = 0;
    for (const types::SignatureResult& result : signature.results) {
      auto n = static_cast<uint32_t>(lowering_.cells(result.type));
      auto n_held = static_cast<uint32_t>(lowering_.cells(referent(result.type)));
      if (types()[result.type].kind == TypeKind::Reference) {
        builder.emit_move(temporary, builder.outgoing(at, 1), 1);
        builder.emit(Opcode::Load, {results.index, temporary.index, n_held});
      } else if (types::has_columns(types(), result.type)) {
        const Slot whole = builder.allocate(n);
        builder.emit_move(whole, builder.outgoing(at, n), n);
        move_columns(builder, result.type, results, whole, Direction::ToColumns);
      } else {
        builder.emit_move(results, builder.outgoing(at, n), n);
      }
      at += n;
      results.index += n_held;
    }
  }

  const program::FrontendSnapshot& snapshot_;
  Grid grid_;
  Executable executable_;
  ProgramLowering lowering_;
  bool is_too_large_ = false;
};

}  // namespace

auto compile(const program::FrontendSnapshot& snapshot, names::ItemId entry,
             const std::set<std::string, std::less<>>& available_externs) -> Compilation {
  return EntryBuilder(snapshot, available_externs, Grid::OnePoint).build(entry);
}

/// Has a call that replaces its frame keep it, unless the frame is part of a recursion: then the
/// stack shows who called, and a recursion still needs no memory.
static void keep_frames(Program& program) {
  std::vector<std::set<uint32_t>> calls(program.functions.size());
  const auto each_call = [&](uint32_t function, const auto& visit) {
    for (uint32_t i = program.functions[function].entry; i < program.functions[function].end; ++i) {
      Instruction& at = program.instructions[i];
      if (at.opcode == Opcode::Call || at.opcode == Opcode::TailCall) {
        visit(at);
      }
    }
  };
  for (uint32_t i = 0; i < program.functions.size(); ++i) {
    each_call(i, [&](const Instruction& at) { calls[i].insert(at.operands[0]); });
  }
  const auto reaches = [&](uint32_t from, uint32_t to) {
    std::set<uint32_t> seen{from};
    std::vector<uint32_t> work{from};
    while (!work.empty() && seen.find(to) == seen.end()) {
      const uint32_t next = work.back();
      work.pop_back();
      for (const uint32_t callee : calls[next]) {
        if (seen.insert(callee).second) {
          work.push_back(callee);
        }
      }
    }
    return seen.find(to) != seen.end();
  };
  for (uint32_t i = 0; i < program.functions.size(); ++i) {
    each_call(i, [&](Instruction& at) {
      if (at.opcode == Opcode::TailCall && !reaches(at.operands[0], i)) {
        at.opcode = Opcode::Call;
      }
    });
  }
}

auto compile_for_debugger(const program::FrontendSnapshot& snapshot, names::ItemId entry,
                          const std::set<std::string, std::less<>>& available_externs)
    -> DebugCompilation {
  DebugCompilation result;
  static_cast<Compilation&>(result) =
      EntryBuilder(snapshot, available_externs, Grid::OnePoint, {}, &result.debug).build(entry);
  if (result.executable) {
    keep_frames(result.executable->program);
    result.debug.functions.resize(result.executable->program.functions.size());
  }
  return result;
}

auto compile_kernel(const program::FrontendSnapshot& snapshot, names::ItemId item,
                    const std::set<std::string, std::less<>>& available_externs)
    -> KernelCompilation {
  Program unused;
  const names::ItemId runs = ProgramLowering(snapshot, available_externs, unused).runs_for(item);
  if (!runs.has_value() || snapshot.item_key(runs).kind == names::ItemKind::Extern) {
    return {};
  }
  Compilation compilation = EntryBuilder(snapshot, available_externs, Grid::Given).build(runs);
  if (!compilation.executable) {
    return {std::nullopt, std::move(compilation.problem)};
  }
  return {std::move(compilation.executable->program), {}};
}

/// The host finds functions by their names, so that no two may have the same.
static auto has_equal_names(const Program& program) -> bool {
  std::set<std::string_view> names;
  return std::any_of(program.externs.begin(), program.externs.end(),
                     [&](const auto& function) { return !names.insert(function.name).second; });
}

auto compile_test(const program::FrontendSnapshot& snapshot, names::ItemId test,
                  const std::set<std::string, std::less<>>& available_externs,
                  HostedFunction hosted_by) -> TestCompilation {
  EntryBuilder builder(snapshot, available_externs, Grid::OnePoint, std::move(hosted_by));
  Compilation compilation = builder.build(test);
  TestCompilation result;
  result.problem = std::move(compilation.problem);
  result.hosted = builder.lowering().hosted();
  if (!compilation.executable) {
    return result;
  }
  if (has_equal_names(compilation.executable->program)) {
    result.problem = "it runs two functions of the same name on a device";
    return result;
  }
  const ItemText text = builder.lowering().text_of(test);
  for (const ConditionNode& condition : conditions_of(builder.lowering(), text)) {
    result.conditions.push_back({text.place(condition.node), static_cast<bool>(condition.left)});
  }
  result.executable = std::move(compilation.executable);
  return result;
}

auto constant_cells(const program::FrontendSnapshot& snapshot, names::ItemId constant, TypeId type)
    -> std::optional<std::vector<Cell>> {
  if (snapshot.item_key(constant).kind != names::ItemKind::Const ||
      !n_cells(snapshot.types(), type)) {
    return std::nullopt;
  }
  const std::set<std::string, std::less<>> no_externs;
  Program program;
  program.functions.emplace_back();
  ProgramLowering lowering(snapshot, no_externs, program);
  FunctionLowering function(lowering, 0, lowering.text_of(constant));
  if (!lower_constant(function, type) || !lowering.lower_all()) {
    return std::nullopt;
  }
  MachineResult result = run_program(program, 0, {}, {});
  return result.is_done ? std::optional(std::move(result.results)) : std::nullopt;
}

auto run(const Executable& executable, const std::vector<Value>& inputs,
         const MachineOptions& options) -> RunResult {
  std::vector<Cell> arguments;
  TACET_CHECK(inputs.size() == executable.parameters.size(), "wrong number of inputs");
  for (size_t i = 0; i < inputs.size(); ++i) {
    TACET_CHECK(inputs[i].type == executable.parameters[i].type &&
                    inputs[i].shape == executable.parameters[i].shape,
                "an input of another type");
    arguments.insert(arguments.end(), inputs[i].cells.begin(), inputs[i].cells.end());
  }
  MachineResult machine = run_program(executable.program, 0, arguments, options);
  RunResult result;
  result.n_steps = machine.n_steps;
  result.peak_memory_bytes = machine.peak_memory_bytes;
  for (uint32_t note : machine.notes) {
    result.warnings.push_back(remark_diagnostic(executable.program, note));
  }
  if (!machine.is_done) {
    result.is_cancelled = machine.failure.fault == Fault::Cancelled;
    if (!result.is_cancelled) {
      result.failure = failure_diagnostic(failure_story(executable.program, machine.failure),
                                          options.memory_limit_bytes);
    }
    return result;
  }
  auto cell = machine.results.begin();
  for (const EntryResult& entry : executable.results) {
    auto end = cell + static_cast<int64_t>(n_elements(entry.shape));
    result.values.push_back({entry.type, entry.shape, {cell, end}});
    cell = end;
  }
  return result;
}

}  // namespace tacet::interpret
