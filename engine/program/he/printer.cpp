#include <fmt/format.h>

#include <iterator>

#include "engine/program/he/text.h"

namespace tacet::engine {
namespace {

/// The names of variables by their numbers.
using Names = std::vector<std::string>;

auto names_of(const std::vector<HeDimension>& dimensions) -> Names {
  Names names;
  for (const HeDimension& dimension : dimensions) {
    names.push_back(dimension.name);
  }
  return names;
}

/// The name of a thing, which in a program that is not valid need not exist.
template <class Items>
auto name_at(const Items& items, size_t at) -> std::string {
  return at < items.size() ? items[at].name : "?";
}

/// Prints what a program consists of, and statements of programs that are not valid.
class Printer {
 public:
  explicit Printer(const HeProgram& program) : program_(program) {}

  auto program() -> std::string;
  /// A statement with these loops around it.
  void statement(const HeStatement& statement, const Names& names);
  auto take() -> std::string { return std::move(text_); }

 private:
  template <class... Args>
  void put(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
  }
  /// Calls `body(item)` for each, with commas between.
  template <class Items, class Body>
  void list(const Items& items, const Body& body) {
    bool is_first = true;
    for (const auto& item : items) {
      put("{}", is_first ? "" : ", ");
      body(item);
      is_first = false;
    }
  }

  void affine(const HeAffine& affine, const Names& names);
  void index(const HeIndex& index, const Names& names);
  void extents(const std::vector<int64_t>& extents);
  void dimensions(const std::vector<HeDimension>& dimensions);
  void access(const HeAccess& access, const Names& names);
  void array(const HeArray& array);
  void table(const HeTable& table);
  void reg(const HeRegister& reg);
  void gather(const HeGather& gather, const HeRegister& reg);
  void body();
  void output(const HeOutput& output);

  const HeProgram& program_;
  std::string text_;
};

auto Printer::program() -> std::string {
  put("he_program 1\nslots {} x {}\n", program_.n_rows, program_.n_columns);
  if (program_.is_integer()) {
    put("modulus {}\n", program_.modulus);
  } else {
    put("reals {}\n", program_.scale_bits);
  }
  put("primes {}\n\n", program_.n_primes);
  for (const HeArray& item : program_.arrays) {
    array(item);
  }
  for (const HeTable& item : program_.tables) {
    table(item);
  }
  for (const HeRegister& item : program_.registers) {
    reg(item);
  }
  put("\n");
  body();
  put("\n");
  for (const HeOutput& item : program_.outputs) {
    output(item);
  }
  return take();
}

/// Of any number, the least one included: what is printed need not be valid.
static auto magnitude_of(int64_t number) -> uint64_t {
  return number < 0 ? 0 - static_cast<uint64_t>(number) : static_cast<uint64_t>(number);
}

void Printer::affine(const HeAffine& affine, const Names& names) {
  bool is_first = true;
  for (const HeTerm& term : affine.terms) {
    const uint64_t magnitude = magnitude_of(term.factor);
    put("{}", term.factor < 0 ? (is_first ? "-" : " - ") : (is_first ? "" : " + "));
    if (magnitude != 1) {
      put("{}*", magnitude);
    }
    put("{}", term.variable < names.size() ? names[term.variable] : "?");
    is_first = false;
  }
  if (is_first) {
    put("{}", affine.constant);
  } else if (affine.constant != 0) {
    put(" {} {}", affine.constant < 0 ? '-' : '+', magnitude_of(affine.constant));
  }
}

void Printer::index(const HeIndex& index, const Names& names) {
  if (index.modulus == 0) {
    affine(index.value, names);
    return;
  }
  put("(");
  affine(index.value, names);
  put(") mod {}", index.modulus);
}

void Printer::extents(const std::vector<int64_t>& extents) {
  if (!extents.empty()) {
    put("[{}]", fmt::join(extents, ", "));
  }
}

void Printer::dimensions(const std::vector<HeDimension>& dimensions) {
  list(dimensions, [&](const HeDimension& dimension) {
    if (!dimension.name.empty()) {
      put("{}:", dimension.name);
    }
    put("{}", dimension.extent);
  });
}

void Printer::access(const HeAccess& access, const Names& names) {
  put("{}", name_at(program_.registers, access.reg));
  if (!access.indices.empty()) {
    put("[");
    list(access.indices, [&](const HeAffine& index) { affine(index, names); });
    put("]");
  }
}

void Printer::array(const HeArray& array) {
  if (array.owner == HeOwner::Constant) {
    put("constant {}", array.name);
    extents(array.extents);
    put(" = {}\n", fmt::join(array.values, " "));
    return;
  }
  put("input {}", array.name);
  extents(array.extents);
  put(" from {}", array.owner == HeOwner::Client ? "client" : "server");
  if (array.bound != 1) {
    put(" within {}", array.bound);
  }
  put("\n");
}

void Printer::table(const HeTable& table) {
  put("table {}[{}] = {}\n", table.name, table.values.size(), fmt::join(table.values, " "));
}

void Printer::reg(const HeRegister& reg) {
  put("{} {}", he_kind_name(reg.kind), reg.name);
  if (!reg.dimensions.empty()) {
    put("[");
    dimensions(reg.dimensions);
    put("]");
  }
  if (reg.n_primes != 0) {
    put(" primes {}", reg.n_primes);
  }
  if (reg.bound != 0) {
    put(" within {}", reg.bound);
  }
  if (reg.error != 0) {
    put(" error {}", reg.error);
  }
  const char* before = " = ";
  for (const HeGather& item : reg.gathers) {
    put("{}", before);
    gather(item, reg);
    before = "\n    + ";
  }
  put("\n");
}

void Printer::gather(const HeGather& gather, const HeRegister& reg) {
  Names names = names_of(reg.dimensions);
  names.push_back(gather.row);
  const Names columns = names_of(gather.columns);
  names.insert(names.end(), columns.begin(), columns.end());
  for (const HeDigit& digit : gather.digits) {
    names.push_back(digit.name);
  }
  if (gather.array == kNoArray) {
    put("{}", gather.number);
  } else {
    put("{}", program_.arrays[gather.array].name);
    if (!gather.indices.empty()) {
      put("[");
      list(gather.indices, [&](const HeIndex& item) { index(item, names); });
      put("]");
    }
  }
  put(" over (");
  if (!gather.row.empty()) {
    put("{} | ", gather.row);
  }
  dimensions(gather.columns);
  put(")");
  if (gather.is_repeated) {
    put(" repeat");
  }
  if (!gather.digits.empty()) {
    put(" let ");
    list(gather.digits, [&](const HeDigit& digit) {
      put("{} = (", digit.name);
      affine(digit.value, names);
      put(") div {}", digit.divisor);
      if (digit.modulus != 0) {
        put(" mod {}", digit.modulus);
      }
    });
  }
  if (!gather.guards.empty()) {
    put(" where ");
    list(gather.guards, [&](const HeGuard& guard) {
      affine(guard.value, names);
      put(" in {}..{}", guard.low, guard.high);
    });
  }
  if (!gather.outside) {
    put(" else any");
  } else if (*gather.outside != 0) {
    put(" else {}", *gather.outside);
  }
}

void Printer::statement(const HeStatement& statement, const Names& names) {
  if (statement.opcode == HeOpcode::For) {
    put("for {}: ", statement.variable);
    if (statement.low != 0) {
      put("{}..", statement.low);
    }
    put("{} {{", statement.high);
    return;
  }
  if (statement.opcode == HeOpcode::End) {
    put("}}");
    return;
  }
  access(statement.result, names);
  put(" = {} ", he_mnemonic(statement.opcode));
  list(statement.operands, [&](const HeAccess& operand) { access(operand, names); });
  if (statement.opcode == HeOpcode::Rotate) {
    put(", ");
    if (statement.table == kNoTable) {
      affine(statement.steps, names);
    } else {
      put("{}[", name_at(program_.tables, statement.table));
      affine(statement.steps, names);
      put("]");
    }
  } else if (statement.count != 1) {
    put(", {}", statement.count);
  }
}

void Printer::body() {
  Names names;
  for (const HeStatement& item : program_.body) {
    if (item.opcode == HeOpcode::End) {
      names.pop_back();
    }
    put("{:{}}", "", 2 * names.size());
    statement(item, names);
    put("\n");
    if (item.opcode == HeOpcode::For) {
      names.push_back(item.variable);
    }
  }
}

void Printer::output(const HeOutput& output) {
  const Names names = names_of(output.dimensions);
  put("output {}", output.name);
  extents(output.extents);
  put(" over (");
  dimensions(output.dimensions);
  put(") [");
  list(output.target, [&](const HeAffine& item) { affine(item, names); });
  put("] = ");
  access(output.source, names);
  put(" at ");
  affine(output.row, names);
  put(", ");
  affine(output.column, names);
  put("\n");
}

}  // namespace

auto to_text(const HeProgram& program) -> std::string {
  return Printer(program).program();
}

auto statement_text(const HeProgram& program, size_t at) -> std::string {
  Names names;
  for (size_t i = 0; i < at; ++i) {
    if (program.body[i].opcode == HeOpcode::For) {
      names.push_back(program.body[i].variable);
    } else if (program.body[i].opcode == HeOpcode::End && !names.empty()) {
      names.pop_back();
    }
  }
  Printer printer(program);
  printer.statement(program.body[at], names);
  return printer.take();
}

}  // namespace tacet::engine
