#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/views/backends/code_writer.h"
#include "compiler/views/backends/he_targets.h"
#include "compiler/views/backends/support.h"
#include "engine/program/he/walk.h"

namespace tacet::backends {

using engine::HeBundle;
using engine::HeKind;
using engine::HeOpcode;
using engine::HeProgram;

namespace {

/// Prints a part of a program as one `secret.generic`, loops unrolled: its operands are vectors of
/// slots that are laid out already.
class MlirPrinter {
 public:
  MlirPrinter(const HeCode& code, std::string name)
      : code_(code), program_(code.program()), name_(std::move(name)) {
    type_ = fmt::format("tensor<{}x{}>", program_.n_columns, program_.is_integer() ? "i64" : "f64");
    for (const engine::HeRegister& reg : program_.registers) {
      first_.push_back(values_.size());
      values_.resize(values_.size() + engine::n_elements(reg.dimensions));
    }
  }

  auto print() -> std::string {
    name_arguments();
    CodeWriter body(2, 2);
    std::vector<std::string> results = print_body(body);
    for (const engine::HeOutput& output : program_.outputs) {
      writer_.line("// " + output_comment(output));
    }
    writer_.open(fmt::format("func.func @{}({}) -> ({}) {{", name_, fmt::join(arguments_, ", "),
                             repeated(results.size(), secret())));
    writer_.line(fmt::format("%out{} = secret.generic({}) {{",
                             results.size() > 1 ? fmt::format(":{}", results.size()) : "",
                             fmt::join(captures_, ", ")));
    writer_.line(fmt::format("^body({}):", fmt::join(block_arguments_, ", ")));
    writer_.text(body.take());
    writer_.line(fmt::format("  secret.yield {} : {}", fmt::join(results, ", "),
                             repeated(results.size(), type_)));
    writer_.line(fmt::format("}} -> ({})", repeated(results.size(), secret())));
    std::vector<std::string> returned;
    for (size_t i = 0; i < results.size(); ++i) {
      returned.push_back(results.size() > 1 ? fmt::format("%out#{}", i) : "%out");
    }
    writer_.line(fmt::format("return {} : {}", fmt::join(returned, ", "),
                             repeated(results.size(), secret())));
    writer_.close();
    return writer_.take();
  }

 private:
  auto secret() const -> std::string { return fmt::format("!secret.secret<{}>", type_); }

  static auto repeated(size_t count, const std::string& type) -> std::string {
    return fmt::to_string(fmt::join(std::vector<std::string>(count, type), ", "));
  }

  /// Which slots the client adds up for an element.
  auto output_comment(const engine::HeOutput& output) const -> std::string {
    Names names = code_.names;
    const Scope scope = scope_of(output.dimensions, names);
    std::vector<std::string> target;
    for (const engine::HeAffine& index : output.target) {
      target.push_back(affine_text(index, scope));
    }
    std::vector<std::string> ranges;
    for (const Variable& variable : scope) {
      ranges.push_back(fmt::format("{} in 0..{}", variable.name, variable.high));
    }
    return fmt::format("Result {}[{}]: the sum of slots {} of {}, for {}.", output.name,
                       fmt::join(target, ", "), affine_text(output.column, scope),
                       program_.outputs.size() == 1 ? "the returned vector"
                                                    : code_.registers[output.source.reg].name,
                       ranges.empty() ? "this alone" : fmt::to_string(fmt::join(ranges, ", ")));
  }

  /// Registers that are gathered are arguments of the function: encrypted ones are secret.
  void name_arguments() {
    for (uint32_t reg = 0; reg < program_.registers.size(); ++reg) {
      const engine::HeRegister& declared = program_.registers[reg];
      if (declared.gathers.empty() || code_.registers[reg].form == RegisterForm::Unused) {
        continue;
      }
      writer_.line(fmt::format("// {}", declaration_text(code_, reg)));
      const bool is_secret = declared.kind == HeKind::Cipher;
      const size_t n = engine::n_elements(declared.dimensions);
      for (size_t at = 0; at < n; ++at) {
        const std::string name = n == 1 ? code_.registers[reg].name
                                        : fmt::format("{}_{}", code_.registers[reg].name, at);
        arguments_.push_back(fmt::format("%{}: {}", name, is_secret ? secret() : type_));
        values_[first_[reg] + at] = fmt::format("%{}{}", name, is_secret ? "_slots" : "");
        if (is_secret) {
          captures_.push_back(fmt::format("%{}: {}", name, secret()));
          block_arguments_.push_back(fmt::format("%{}_slots: {}", name, type_));
        }
      }
    }
  }

  auto value(const engine::HeAccess& access, const std::vector<int64_t>& variables)
      -> std::string& {
    return values_[first_[access.reg] +
                   engine::flat_index(program_, access, variables).value_or(0)];
  }

  auto operation(HeOpcode opcode) const -> std::string {
    const std::string_view name = opcode == HeOpcode::Add   ? "add"
                                  : opcode == HeOpcode::Sub ? "sub"
                                                            : "mul";
    return fmt::format("arith.{}{}", name, program_.is_integer() ? "i" : "f");
  }

  void print_instruction(const engine::HeStatement& instruction,
                         const std::vector<int64_t>& variables, CodeWriter& body) {
    const std::string first = value(instruction.operands[0], variables);
    const std::string result = fmt::format("%v{}", n_values_);
    switch (instruction.opcode) {
      case HeOpcode::Add:
      case HeOpcode::Sub:
      case HeOpcode::Mul:
        body.line(fmt::format("{} = {} {}, {} : {}", result, operation(instruction.opcode), first,
                              value(instruction.operands[1], variables), type_));
        break;
      case HeOpcode::Negate:
        body.line(fmt::format("%zero{} = arith.constant dense<0{}> : {}", n_values_,
                              program_.is_integer() ? "" : ".0", type_));
        body.line(fmt::format("{} = {} %zero{}, {} : {}", result, operation(HeOpcode::Sub),
                              n_values_, first, type_));
        break;
      case HeOpcode::Rotate:
        body.line(fmt::format("%steps{} = arith.constant {} : index", n_values_,
                              engine::rotation_steps(program_, instruction, variables)));
        body.line(fmt::format("{} = tensor_ext.rotate {}, %steps{} : {}, index", result, first,
                              n_values_, type_));
        break;
      case HeOpcode::Relinearise:
      case HeOpcode::Drop:
      case HeOpcode::Truncate:
      case HeOpcode::Copy:
      case HeOpcode::Encode:  // no operations: passes of HEIR manage ciphertexts
        value(instruction.result, variables) = first;
        return;
      case HeOpcode::Swap:
      case HeOpcode::Bootstrap:
      case HeOpcode::For:
      case HeOpcode::End:
        return;
    }
    ++n_values_;
    value(instruction.result, variables) = result;
  }

  auto print_body(CodeWriter& body) -> std::vector<std::string> {
    engine::HeWalk walk(program_);
    while (walk.next()) {
      print_instruction(walk.instruction(), walk.variables(), body);
    }
    std::vector<std::string> results;
    std::set<std::pair<uint32_t, size_t>> known;
    for (const engine::HeOutput& output : program_.outputs) {
      engine::HeCounter counter(output.dimensions);
      do {
        const size_t at = engine::flat_index(program_, output.source, counter.values()).value_or(0);
        if (known.emplace(output.source.reg, at).second) {
          results.push_back(values_[first_[output.source.reg] + at]);
        }
      } while (counter.next());
    }
    return results;
  }

  const HeCode& code_;
  const HeProgram& program_;
  std::string name_;
  std::string type_;
  CodeWriter writer_;
  std::vector<size_t> first_;        ///< of each register in `values_`
  std::vector<std::string> values_;  ///< of elements of registers
  std::vector<std::string> arguments_, captures_, block_arguments_;
  size_t n_values_ = 0;
};

/// Whether vectors have different rows of slots: HEIR's tensors have one.
auto uses_rows(const HeCode& code) -> bool {
  if (code.facts.needs_swap) {
    return true;
  }
  for (const engine::HeRegister& reg : code.program().registers) {
    for (const engine::HeGather& gather : reg.gathers) {
      if (!gather.row.empty()) {
        return true;
      }
    }
  }
  return false;
}

constexpr std::string_view kHeirReadme = R"(# `@FUNCTION@` for HEIR

    heir-opt --secret-insert-mgmt-@SCHEME@ --secret-distribute-generic @FILE@

continues with the passes of HEIR that lower `secret` to a scheme and to a library. Vectors are those of
one row of slots; the comments say which element is in which slot.
)";

}  // namespace

auto emit_heir(const HeBundle& bundle, const std::vector<PartPrimes>& primes, const Origin& origin)
    -> Result<Emission> {
  std::string text = header_comment(origin, bundle, Target::HeirMlir, "//");
  text += "// For `heir-opt`: vectors of slots, whose layout the comments on arguments describe.\n";
  for (size_t i = 0; i < bundle.parts.size(); ++i) {
    const HeCode code = make_he_code(bundle, i, primes[i], {});
    if (uses_rows(code)) {
      return Error{fmt::format(
          "the layout of `{}` has two rows of slots, which HEIR's tensors do not; give it another "
          "`schedule`, or use another target",
          bundle.name)};
    }
    text += code.program().is_integer()
                ? fmt::format("\n// Plaintext modulus: {}. Ring dimension: {}.\n",
                              code.program().modulus, code.program().ring_dimension())
                : fmt::format("\n// Scale: 2^{}. Ring dimension: {}.\n", code.program().scale_bits,
                              code.program().ring_dimension());
    text += fmt::format("// Rotations: {}.\n", fmt::join(rotation_steps(code.facts), ", "));
    text += MlirPrinter(code, bundle.name + code.suffix).print();
  }
  const std::string file = bundle.name + ".mlir";
  return Emission{
      {file, text},
      {"README.md",
       with_replacements(kHeirReadme, {{"FUNCTION", bundle.name},
                                       {"SCHEME", std::string(engine::scheme_word(bundle.scheme))},
                                       {"FILE", file}})}};
}

}  // namespace tacet::backends
