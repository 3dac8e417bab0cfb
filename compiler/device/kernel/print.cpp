#include "compiler/device/kernel/print.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/device/kernel/build.h"
#include "compiler/device/kernel/printer.h"
#include "compiler/device/kernel/walk.h"

namespace tacet::kernel {

using types::Visibility;

/// What region ports do, as assignments around the region's statements, so that declarations see
/// them too.
static auto with_open_regions(Kernel kernel) -> Kernel {
  Builder build(kernel);
  for (uint32_t i = 0; i < kernel.statements.size(); ++i) {
    auto* region = std::get_if<SecretRegion>(&kernel.statements[{i}].node);
    if (region == nullptr) {
      continue;
    }
    SecretRegion open = std::move(*region);
    Block body;
    for (const SecretRegion::Port& port : open.inputs) {
      body.push_back(build.assign(port.inner, build.read(port.outer)));
    }
    body.insert(body.end(), open.body.begin(), open.body.end());
    for (const SecretRegion::Port& port : open.outputs) {
      body.push_back(build.assign(port.outer, build.read(port.inner)));
    }
    kernel.statements[{i}].node = SecretRegion{{}, {}, std::move(body)};
  }
  return kernel;
}

auto print(const Kernel& kernel) -> std::string {
  const bool has_regions =
      std::any_of(kernel.statements.values().begin(), kernel.statements.values().end(),
                  [](const Statement& statement) {
                    return std::holds_alternative<SecretRegion>(statement.node);
                  });
  return has_regions ? Printer(with_open_regions(kernel)).run() : Printer(kernel).run();
}

/// The variables that a cast reads, or what was assigned to such a variable.
static auto find_cast(const Kernel& kernel) -> std::set<VariableId> {
  std::set<VariableId> found;
  for (const Expr& expr : kernel.exprs.values()) {
    if (const auto* cast = std::get_if<Cast>(&expr.node)) {
      found.merge(variables_read(kernel, cast->operand));
    }
  }
  for (size_t n = 0; n != found.size();) {
    n = found.size();
    for (const Statement& statement : kernel.statements.values()) {
      bool is_found = false;
      visit_written(statement, [&](VariableId written) { is_found |= found.contains(written); });
      if (is_found) {
        visit_exprs(statement, [&](ExprId value) { found.merge(variables_read(kernel, value)); });
      }
    }
  }
  return found;
}

Printer::Printer(const Kernel& kernel)
    : kernel_(kernel),
      expressions_(kernel),
      declarations_(find_declarations(kernel)),
      cast_(find_cast(kernel)) {}

auto Printer::run() -> std::string {
  head();
  text_ += " {\n";
  ++depth_;
  block(kernel_.body);
  --depth_;
  text_ += "}\n";
  return std::move(text_);
}

static auto visible_type(const Type& type, Visibility visibility) -> std::string {
  return (visibility == Visibility::Secret ? "secret " : "") + type_text(type);
}

void Printer::head() {
  text_ = fmt::format("fn({}) {}(", names::device_text(kernel_.device), kernel_.name);
  bool is_first = true;
  for (const VariableId id : kernel_.parameters) {
    const Variable& parameter = kernel_.variables[id];
    text_ += fmt::format("{}{}: {}", is_first ? "" : ", ", parameter.name,
                         visible_type(parameter.type, parameter.visibility));
    if (parameter.bound) {
      text_ += types::bound_clause(*parameter.bound);
    }
    if (!parameter.owner.empty()) {
      text_ += fmt::format(" from {}", parameter.owner);
    }
    is_first = false;
  }
  text_ += ")";
  std::vector<std::string> results;
  for (const Result& result : kernel_.results) {
    results.push_back(visible_type(result.type, result.visibility));
    if (!result.receiver.empty()) {
      results.back() += fmt::format(" to {}", result.receiver);
    }
  }
  if (results.size() == 1) {
    text_ += fmt::format(" -> {}", results[0]);
  } else if (!results.empty()) {
    text_ += fmt::format(" -> ({})", fmt::join(results, ", "));
  }
}

void Printer::line(std::string_view text) {
  text_.append(size_t{4} * depth_, ' ');
  text_ += text;
  text_ += '\n';
}

void Printer::block(const Block& statements) {
  for (const StatementId id : statements) {
    const auto before = declarations_.before.find(id);
    if (before != declarations_.before.end()) {
      for (const VariableId variable : before->second) {
        declare(variable);
      }
    }
    statement(id);
  }
}

/// `var x = 0;` in front of what assigns to it. Without a type it is as secret as what it will
/// hold.
void Printer::declare(VariableId variable) {
  const Variable& data = kernel_.variables[variable];
  const bool is_secret = data.visibility == Visibility::Secret;
  Kernel zero;
  zero.device = kernel_.device;
  const ExprId value = Builder(zero).zero(data.type);
  line(fmt::format(
      "var {}{} = {};", data.name, is_secret ? ": " + visible_type(data.type, data.visibility) : "",
      ExpressionPrinter(zero).text(value, Level::Conditional,
                                   is_secret ? Expected::Its : expected_of_declaration(variable))));
}

auto Printer::is_declared(StatementId id, VariableId variable) const -> bool {
  const auto with = declarations_.with.find(id);
  return with != declarations_.with.end() && with->second.contains(variable);
}

auto Printer::reads_secret(ExprId id) const -> bool {
  const std::set<VariableId> read = variables_read(kernel_, id);
  return std::any_of(read.begin(), read.end(), [&](VariableId variable) {
    return kernel_.variables[variable].visibility == Visibility::Secret;
  });
}

/// `let x = value;` where it is declared, else `x = value;`. `is_secret`: the language would find
/// that the value is.
void Printer::assign(StatementId id, VariableId variable, const std::string& value, bool says_type,
                     bool is_secret) {
  const Variable& data = kernel_.variables[variable];
  if (!is_declared(id, variable)) {
    line(fmt::format("{} = {};", data.name, value));
    return;
  }
  const bool needs_type = !says_type || (data.visibility == Visibility::Secret && !is_secret);
  line(fmt::format("{} {}{} = {};", data.is_mutable ? "var" : "let", data.name,
                   needs_type ? ": " + visible_type(data.type, data.visibility) : "", value));
}

void Printer::call(StatementId id, const Call& node) {
  std::vector<std::string> arguments;
  for (const ExprId argument : node.arguments) {
    const bool is_draw = !node.callee.has_value();
    arguments.push_back(expr(argument, is_draw ? Expected::Nothing : Expected::Its));
  }
  const std::string made = fmt::format("{}({})", node.name, fmt::join(arguments, ", "));
  if (node.results.empty()) {
    line(made + ";");
    return;
  }
  std::vector<std::string> names;
  std::vector<std::string> copies;
  for (const VariableId result : node.results) {
    const bool is_here = is_declared(id, result);
    const Variable& data = kernel_.variables[result];
    const bool is_secret = is_here && data.visibility == Visibility::Secret;
    names.push_back(is_here ? data.name : data.name + "_given");
    if (is_secret) {
      names.back() += ": " + visible_type(data.type, data.visibility);
    }
    if (!is_here) {
      copies.push_back(fmt::format("{0} = {0}_given;", data.name));
    }
  }
  const bool is_mutable =
      std::any_of(node.results.begin(), node.results.end(), [&](VariableId result) {
        return is_declared(id, result) && kernel_.variables[result].is_mutable;
      });
  line(fmt::format("{} {} = {};", is_mutable ? "var" : "let", fmt::join(names, ", "), made));
  for (const std::string& copy : copies) {
    line(copy);
  }
}

void Printer::statement(StatementId id) {
  const auto& node = kernel_.statements[id].node;
  if (const auto* assigned = std::get_if<Assign>(&node)) {
    // An explicit type is the expected one.
    const VariableId variable = assigned->variable;
    const bool is_secret = kernel_.variables[variable].visibility == Visibility::Secret;
    const bool says_type = expressions_.says_its_type(assigned->value, Expected::Another);
    const bool expects = is_secret || !is_declared(id, variable);
    assign(id, variable,
           expr(assigned->value, expects ? Expected::Its : expected_of_declaration(variable)),
           says_type || !expects, reads_secret(assigned->value));
  } else if (const auto* stored = std::get_if<StoreElement>(&node)) {
    std::string target = name(stored->array);
    for (const ExprId index : stored->indices) {
      target += fmt::format("[{}]", expr(index, Expected::Nothing, Level::Any));
    }
    line(fmt::format("{} = {};", target, expr(stored->value, Expected::Its)));
  } else if (const auto* branching = std::get_if<If>(&node)) {
    branch(*branching, "");
  } else if (const auto* counting = std::get_if<For>(&node)) {
    loop(*counting);
  } else if (const auto* repeating = std::get_if<While>(&node)) {
    loop(*repeating);
  } else if (std::holds_alternative<Break>(node)) {
    line("break;");
  } else if (std::holds_alternative<Continue>(node)) {
    line("continue;");
  } else if (const auto* returning = std::get_if<Return>(&node)) {
    std::vector<std::string> values;
    for (const ExprId value : returning->values) {
      values.push_back(expr(value, Expected::Its));
    }
    line(values.empty()       ? "return;"
         : values.size() == 1 ? fmt::format("return {};", values[0])
                              : fmt::format("return ({});", fmt::join(values, ", ")));
  } else if (const auto* calling = std::get_if<Call>(&node)) {
    call(id, *calling);
  } else if (const auto* revealing = std::get_if<Reveal>(&node)) {
    const std::string to =
        revealing->receiver.empty() ? "" : fmt::format(", to {}", revealing->receiver);
    assign(id, revealing->variable,
           fmt::format("reveal({}{})", expr(revealing->value, Expected::Nothing), to), true, false);
  } else if (const auto* closed = std::get_if<SecretRegion>(&node)) {
    region(*closed);
  } else if (std::holds_alternative<Separator>(node)) {
    line("// separator");
  }
}

void Printer::braces(std::string_view head, const Block& statements, std::string_view tail) {
  if (statements.empty()) {
    line(fmt::format("{}{{}}{}", head, tail));
    return;
  }
  line(fmt::format("{}{{", head));
  ++depth_;
  block(statements);
  --depth_;
  line(fmt::format("}}{}", tail));
}

void Printer::branch(const If& node, std::string_view begin) {
  const bool is_turned = node.then.empty() && !node.otherwise.empty();
  const std::string condition = is_turned
                                    ? "!" + expr(node.condition, Expected::Its, Level::Postfix)
                                    : expr(node.condition, Expected::Its, Level::Any);
  const std::string head = fmt::format("{}if {} ", begin, condition);
  if (is_turned || node.otherwise.empty()) {
    braces(head, is_turned ? node.otherwise : node.then);
    return;
  }
  line(head + "{");
  ++depth_;
  block(node.then);
  --depth_;
  // `else if` for a branch that is alone.
  const auto* inner = std::get_if<If>(&kernel_.statements[node.otherwise[0]].node);
  if (node.otherwise.size() == 1 && inner != nullptr &&
      !declarations_.before.contains(node.otherwise[0])) {
    branch(*inner, "} else ");
  } else {
    braces("} else ", node.otherwise);
  }
}

auto Printer::max_text(const std::optional<ExprId>& max) -> std::string {
  return max ? " max " + expr(*max, Expected::Nothing, Level::Any) : "";
}

void Printer::loop(const For& node) {
  auto says_type = [&](ExprId id) { return expressions_.says_its_type(id, Expected::Another); };
  const bool is_said =
      says_type(node.lower) || says_type(node.upper) || (node.step && says_type(*node.step));
  const Expected expected = is_said ? Expected::Its : expected_of_declaration(node.counter);
  const std::string step = node.step ? " step " + expr(*node.step, Expected::Its, Level::Any) : "";
  braces(fmt::format("for {} in {}..{}{}{} ", name(node.counter),
                     expr(node.lower, expected, Level::Any),
                     expr(node.upper, Expected::Its, Level::Any), step, max_text(node.max)),
         node.body);
}

void Printer::loop(const While& node) {
  const std::string condition =
      expr(node.condition, Expected::Its, Level::Any) + max_text(node.max);
  if (node.tests_last) {
    braces("do ", node.body, fmt::format(" while {};", condition));
  } else {
    braces(fmt::format("while {} ", condition), node.body);
  }
}

void Printer::region(const SecretRegion& node) {
  line("// secret region");
  braces("", node.body);
}

}  // namespace tacet::kernel
