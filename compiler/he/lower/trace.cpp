#include "compiler/he/lower/trace.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "engine/he_model/bootstrapping.h"
#include "engine/program/he/gather.h"
#include "engine/program/he/states.h"
#include "engine/program/he/walk.h"

namespace tacet::he_lower {

using engine::HeAccess;
using engine::HeKind;
using engine::HeOpcode;
using engine::HeProgram;
using engine::HeStatement;
using engine::HeWalk;

namespace {

constexpr uint32_t kNothing = 0xffffffff;

/// Sets of definitions that a use cannot distinguish.
class Groups {
 public:
  explicit Groups(size_t n) : parents_(n) { std::iota(parents_.begin(), parents_.end(), 0); }

  auto root(uint32_t x) -> uint32_t {
    while (parents_[x] != x) {
      x = parents_[x] = parents_[parents_[x]];
    }
    return x;
  }
  void join(uint32_t a, uint32_t b) { parents_[root(a)] = root(b); }

 private:
  std::vector<uint32_t> parents_;
};

/// Definitions are statements, and behind them registers.
class Tracer {
 public:
  explicit Tracer(const HeProgram& program)
      : program_(program),
        n_statements_(static_cast<uint32_t>(program.body.size())),
        groups_(program.body.size() + program.registers.size()),
        seen_(2 * program.body.size(), kNothing),
        has_bounds_(std::any_of(program.registers.begin(), program.registers.end(),
                                [](const engine::HeRegister& reg) { return reg.bound != 0; })) {
    for (uint32_t reg = 0; reg < program.registers.size(); ++reg) {
      const engine::HeRegister& declared = program.registers[reg];
      values_.emplace_back(n_elements(declared.dimensions), kNothing);
      const double bound =
          program.is_integer() || declared.gathers.empty() ? 0 : gather_bound(program, declared);
      bounds_.emplace_back(declared.kind == HeKind::Cipher ? 0 : values_.back().size(), bound);
      if (declared.kind == HeKind::Cipher && !declared.gathers.empty()) {
        for (uint32_t& value : values_.back()) {
          value = static_cast<uint32_t>(definitions_.size());
          definitions_.push_back(n_statements_ + reg);
          trace_.input_bounds.push_back(bound);
          add_bound(reg);
          trace_.input_times.push_back(1);
        }
      }
    }
    n_inputs_ = definitions_.size();
    depths_.resize(n_inputs_);
  }

  auto run() -> Trace {
    HeWalk walk(program_);
    while (walk.next()) {
      const HeStatement& instruction = walk.instruction();
      if (program_.registers[instruction.result.reg].kind == HeKind::Cipher) {
        add_step(instruction, static_cast<uint32_t>(walk.at()), walk.variables());
      } else if (!program_.is_integer()) {
        bound_result(instruction, walk.variables());
      }
    }
    add_outputs();
    number_groups();
    return std::move(trace_);
  }

 private:
  /// Of the next value.
  void add_bound(uint32_t reg) {
    const double bound = program_.registers[reg].bound;
    if (has_bounds_) {
      trace_.bounds.push_back(bound == 0 ? std::numeric_limits<double>::infinity() : bound);
    }
  }

  auto is_cipher(const HeAccess& access) const -> bool {
    return program_.registers[access.reg].kind == HeKind::Cipher;
  }

  auto bound_of(const HeAccess& access, const std::vector<int64_t>& variables) -> double& {
    return bounds_[access.reg][*flat_index(program_, access, variables)];
  }

  /// Of what is computed in plaintext.
  void bound_result(const HeStatement& instruction, const std::vector<int64_t>& variables) {
    const std::vector<HeAccess>& operands = instruction.operands;
    const double second = operands.size() == 2 ? bound_of(operands[1], variables) : 0;
    const double bound =
        engine::bound_after(instruction.opcode, bound_of(operands[0], variables), second);
    bound_of(instruction.result, variables) = bound;
  }

  void add_step(const HeStatement& instruction, uint32_t at,
                const std::vector<int64_t>& variables) {
    uint32_t operands[2] = {kNothing, kNothing};
    size_t n_ciphers = 0;
    double bound = 0;
    for (size_t i = 0; i < instruction.operands.size(); ++i) {
      const HeAccess& operand = instruction.operands[i];
      if (!is_cipher(operand)) {
        bound = bound_of(operand, variables);
        continue;
      }
      const uint32_t value = values_[operand.reg][*flat_index(program_, operand, variables)];
      operands[n_ciphers++] = value;
      uint32_t& seen = seen_[2 * at + i];
      if (seen == kNothing) {
        seen = definitions_[value];
      }
      groups_.join(seen, definitions_[value]);
    }
    Step step{.kind = kind_of(instruction, n_ciphers, variables),
              .statement = at,
              .count = instruction.opcode == HeOpcode::Drop ? instruction.count : 0,
              .a = operands[0],
              .b = n_ciphers == 2 ? operands[1] : operands[0],
              .bound = bound};
    if (step.kind == StepKind::Bootstrap) {
      step.bound = program_.registers[instruction.result.reg].bound;
      trace_.n_bootstrapped_primes = static_cast<uint32_t>(
          he::bootstrapping_shape(program_.ring_dimension()).n_operand_primes());
    }
    trace_.has_drops |= step.kind == StepKind::Drop;
    trace_.needs_keys |= step.kind == StepKind::Rotate || step.kind == StepKind::Relinearise ||
                         step.kind == StepKind::Bootstrap;
    trace_.n_encodings +=
        step.kind == StepKind::AddPlain || step.kind == StepKind::MultiplyPlain ? 1 : 0;
    depths_.push_back(std::max(depths_[step.a], depths_[step.b]) +
                      (step.kind == StepKind::Multiply ? 1 : 0));
    trace_.depth = std::max(trace_.depth, depths_.back());
    values_[instruction.result.reg][*flat_index(program_, instruction.result, variables)] =
        static_cast<uint32_t>(definitions_.size());
    definitions_.push_back(at);
    add_bound(instruction.result.reg);
    trace_.steps.push_back(step);
  }

  auto kind_of(const HeStatement& instruction, size_t n_ciphers,
               const std::vector<int64_t>& variables) const -> StepKind {
    switch (instruction.opcode) {
      case HeOpcode::Add:
      case HeOpcode::Sub:
        return n_ciphers == 2 ? StepKind::Add : StepKind::AddPlain;
      case HeOpcode::Mul:
        return n_ciphers == 2 ? StepKind::Multiply : StepKind::MultiplyPlain;
      case HeOpcode::Rotate:
        return rotation_steps(program_, instruction, variables) == 0 ? StepKind::Rename
                                                                     : StepKind::Rotate;
      case HeOpcode::Swap:
        return StepKind::Rotate;
      case HeOpcode::Relinearise:
        return StepKind::Relinearise;
      case HeOpcode::Drop:
        return StepKind::Drop;
      case HeOpcode::Bootstrap:
        return StepKind::Bootstrap;
      case HeOpcode::Negate:
      case HeOpcode::Truncate:
      case HeOpcode::Copy:
      case HeOpcode::Encode:
      case HeOpcode::For:
      case HeOpcode::End:
        return StepKind::Rename;
    }
    return StepKind::Rename;
  }

  void add_outputs() {
    for (const engine::HeOutput& output : program_.outputs) {
      std::vector<size_t> n_summed(engine::n_elements(output.extents));
      engine::HeCounter counter(output.dimensions);
      do {
        if (const auto target = output_target(output, counter.values())) {
          trace_.n_summed = std::max(trace_.n_summed, ++n_summed[*target]);
          trace_.outputs.push_back(
              values_[output.source.reg][*flat_index(program_, output.source, counter.values())]);
        }
      } while (counter.next());
    }
    std::sort(trace_.outputs.begin(), trace_.outputs.end());
    trace_.outputs.erase(std::unique(trace_.outputs.begin(), trace_.outputs.end()),
                         trace_.outputs.end());
  }

  void number_groups() {
    std::vector<uint32_t> numbers(n_statements_ + program_.registers.size(), kNothing);
    const auto number = [&](uint32_t definition) {
      uint32_t& result = numbers[groups_.root(definition)];
      if (result == kNothing) {
        result = trace_.n_groups++;
      }
      return result;
    };
    for (uint32_t reg = 0; reg < program_.registers.size(); ++reg) {
      trace_.register_group.push_back(number(n_statements_ + reg));
    }
    for (uint32_t at = 0; at < n_statements_; ++at) {
      trace_.statement_group.push_back(number(at));
    }
    for (size_t value = 0; value < n_inputs_; ++value) {
      trace_.input_groups.push_back(number(definitions_[value]));
    }
    trace_.n_rotations.resize(definitions_.size());
    for (const Step& step : trace_.steps) {
      trace_.n_rotations[step.a] += step.kind == StepKind::Rotate ? 1 : 0;
    }
  }

  const HeProgram& program_;
  uint32_t n_statements_;
  Groups groups_;
  std::vector<uint32_t> seen_;                 ///< by statement and operand: a definition
  std::vector<std::vector<uint32_t>> values_;  ///< by register and element
  std::vector<std::vector<double>> bounds_;    ///< likewise, of what is no ciphertext
  std::vector<uint32_t> definitions_;          ///< by value
  std::vector<uint32_t> depths_;               ///< by value
  size_t n_inputs_ = 0;
  bool has_bounds_;
  Trace trace_;
};

/// The statements that multiply ciphertexts of different depths from iteration to iteration.
auto piling_products(const HeProgram& program) -> std::vector<bool> {
  const Trace trace = trace_of(program);
  std::vector<uint32_t> depths(trace.n_inputs());
  std::vector<uint32_t> first(program.body.size(), kNothing);
  std::vector<bool> piles(program.body.size());
  for (const Step& step : trace.steps) {
    // Where slots are reals, plaintexts take as many primes.
    const bool is_product = step.kind == StepKind::Multiply ||
                            (step.kind == StepKind::MultiplyPlain && !program.is_integer());
    const uint32_t depth = std::max(depths[step.a], depths[step.b]) + (is_product ? 1 : 0);
    depths.push_back(depth);
    if (is_product) {
      uint32_t& known = first[step.statement];
      piles[step.statement] = piles[step.statement] || (known != kNothing && known != depth);
      known = depth;
    }
  }
  return piles;
}

/// Of a program whose loops are unrolled.
constexpr size_t kMostStatements = size_t{1} << 14;

/// Writes a program's body anew, some loops unrolled.
class Unroller {
 public:
  Unroller(const HeProgram& program, const std::vector<bool>& is_unrolled)
      : program_(program), is_unrolled_(is_unrolled) {}

  auto run() -> std::vector<HeStatement> {
    copy(0, program_.body.size());
    return std::move(body_);
  }

  /// Where the loop that begins at `at` ends.
  static auto end_of(const HeProgram& program, size_t at) -> size_t {
    size_t depth = 0;
    for (;; ++at) {
      depth += program.body[at].opcode == HeOpcode::For ? 1 : 0;
      depth -= program.body[at].opcode == HeOpcode::End ? 1 : 0;
      if (depth == 0) {
        return at;
      }
    }
  }

 private:
  void copy(size_t at, size_t end) {
    for (; at < end; ++at) {
      const HeStatement& statement = program_.body[at];
      if (statement.opcode != HeOpcode::For) {
        body_.push_back(rewritten(statement));
        continue;
      }
      const size_t last = end_of(program_, at);
      if (is_unrolled_[at]) {
        for (int64_t i = statement.low; i < statement.high; ++i) {
          loops_.push_back({.is_there = false, .value = i});
          copy(at + 1, last);
          loops_.pop_back();
        }
      } else {
        body_.push_back(statement);
        loops_.push_back({.is_there = true, .value = 0});
        copy(at + 1, last);
        loops_.pop_back();
        body_.push_back(program_.body[last]);
      }
      at = last;
    }
  }

  auto rewritten(HeStatement statement) const -> HeStatement {
    const auto rewrite = [&](engine::HeAffine& affine) {
      std::vector<engine::HeTerm> terms;
      for (const engine::HeTerm& term : affine.terms) {
        if (!loops_[term.variable].is_there) {
          affine.constant += term.factor * loops_[term.variable].value;
          continue;
        }
        uint32_t n_before = 0;
        for (uint32_t i = 0; i < term.variable; ++i) {
          n_before += loops_[i].is_there ? 1 : 0;
        }
        terms.push_back({.variable = n_before, .factor = term.factor});
      }
      affine.terms = std::move(terms);
    };
    for (engine::HeAffine& index : statement.result.indices) {
      rewrite(index);
    }
    for (HeAccess& operand : statement.operands) {
      for (engine::HeAffine& index : operand.indices) {
        rewrite(index);
      }
    }
    rewrite(statement.steps);
    return statement;
  }

  struct Loop {
    bool is_there = true;
    int64_t value = 0;  ///< if it is not
  };

  const HeProgram& program_;
  const std::vector<bool>& is_unrolled_;
  std::vector<Loop> loops_;
  std::vector<HeStatement> body_;
};

}  // namespace

auto trace_of(const HeProgram& program, std::shared_ptr<const std::vector<NoiseStage>> stages)
    -> Trace {
  Trace trace = Tracer(program).run();
  if (stages != nullptr && !stages->empty()) {
    trace.stages = std::move(stages);
    trace.n_registers = static_cast<uint32_t>(program.registers.size());
    for (const HeStatement& statement : program.body) {
      trace.statement_register.push_back(statement.result.reg);
    }
  }
  return trace;
}

auto with_unrolled_products(HeProgram program) -> HeProgram {
  const std::vector<bool> piles = piling_products(program);
  std::vector<bool> is_unrolled(program.body.size());
  for (size_t at = 0; at < program.body.size(); ++at) {
    if (program.body[at].opcode == HeOpcode::For) {
      const size_t end = Unroller::end_of(program, at);
      is_unrolled[at] =
          std::any_of(piles.begin() + static_cast<std::ptrdiff_t>(at),
                      piles.begin() + static_cast<std::ptrdiff_t>(end), [](bool b) { return b; });
    }
  }
  std::vector<HeStatement> body = Unroller(program, is_unrolled).run();
  if (body.size() <= kMostStatements) {
    program.body = std::move(body);
  }
  return program;
}

auto straightened(HeProgram program) -> std::optional<HeProgram> {
  size_t n = 0;
  for (engine::HeWalk walk(program); walk.next();) {
    if (++n > kMostStatements) {
      return std::nullopt;
    }
  }
  std::vector<bool> is_unrolled(program.body.size());
  for (size_t at = 0; at < program.body.size(); ++at) {
    is_unrolled[at] = program.body[at].opcode == HeOpcode::For;
  }
  program.body = Unroller(program, is_unrolled).run();
  return program;
}

}  // namespace tacet::he_lower
