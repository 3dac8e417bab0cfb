// What the lowering makes of every program there is: it reads back, obeys the rules, and is nothing
// that could be changed without breaking them.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <random>

#include "compiler/run/cps/assemble.h"
#include "compiler/run/cps/check.h"
#include "compiler/run/cps/lower.h"
#include "compiler/run/cps/parse.h"
#include "compiler/run/cps/print.h"
#include "tests/assembly/programs.h"
#include "tests/assembly/random_coordinator.h"

namespace tacet::cps {
namespace {

using testing::SourceProgram;

auto faults_text(const Program& program) -> std::string {
  std::string text;
  for (const Fault& fault : check(program)) {
    text += fault_text(program, fault) + "\n";
  }
  return text;
}

/// The assemblies of all good programs of the repository, and of random ones.
auto assemblies() -> const std::vector<std::pair<std::string, Program>>& {
  static const std::vector<std::pair<std::string, Program>> kAll = [] {
    std::vector<std::pair<std::string, Program>> all;
    std::vector<SourceProgram> sources = testing::all_programs();
    for (uint64_t seed = 0; seed < 20; ++seed) {
      sources.push_back({fmt::format("random {}", seed), testing::conforming_module(seed, 12)});
    }
    for (const SourceProgram& source : sources) {
      program::Frontend frontend;
      const FileId file = frontend.set_file("a.tacet", source.text);
      const program::FrontendSnapshot snapshot = frontend.snapshot();
      if (!testing::is_good(snapshot, file, program::Until::Conformance)) {
        EXPECT_FALSE(source.path.starts_with("random")) << source.text;
        continue;
      }
      Program program = lower_file(snapshot, file).program;
      if (program.functions.size() > 0) {
        all.emplace_back(source.path, std::move(program));
      }
    }
    return all;
  }();
  return kAll;
}

TEST(Assembly, EveryProgramObeysTheRules) {
  EXPECT_GT(assemblies().size(), 40U);
  for (const auto& [path, program] : assemblies()) {
    EXPECT_EQ(faults_text(program), "") << path << "\n" << print(program);
  }
}

TEST(Assembly, EveryProgramReadsBack) {
  for (const auto& [path, program] : assemblies()) {
    const std::string text = print(program);
    Result<Program> back = parse(text);
    ASSERT_TRUE(back) << path << ": " << back.error().message << "\n" << text;
    EXPECT_EQ(print(*back), text) << path;
    EXPECT_EQ(faults_text(*back), faults_text(program)) << path;
  }
}

TEST(Assembly, EveryProgramBecomesOneThatIsSafeToRun) {
  for (const auto& [path, program] : assemblies()) {
    const Assembled assembled = assemble(program);
    const Status status = engine::validate(assembled.program);
    EXPECT_TRUE(status) << path << ": " << (status ? "" : status.error().message);
    EXPECT_EQ(assembled.sources.size(), assembled.program.instructions.size());
  }
}

/// Changes something at random that matters; false if there is nothing of the kind.
using Mutation = std::function<bool(Program&, std::mt19937_64&)>;

auto below(std::mt19937_64& random, size_t n) -> size_t {
  return random() % n;
}

auto any_funclet(Program& program, std::mt19937_64& random) -> Funclet& {
  return program.funclets[FuncletId{static_cast<uint32_t>(below(random, program.funclets.size()))}];
}

auto spec_of(const Program& program, const Funclet& funclet) -> const Spec* {
  const SpecId spec = program.functions[funclet.function].spec;
  return spec.has_value() ? &program.specs[spec] : nullptr;
}

/// Another node than the one that `quotient` is.
auto change_node(const Spec& spec, Quotient& quotient, std::mt19937_64& random) -> bool {
  const NodeId before = node_of(spec, quotient);
  const NodeId other{static_cast<uint32_t>(below(random, spec.nodes.size()))};
  if (!before.has_value() || other == before) {
    return false;
  }
  quotient = {QuotientKind::Node, other.index};
  return true;
}

const std::map<std::string, Mutation>& mutations() {
  static const std::map<std::string, Mutation> kAll = {
      {"a value is another node",
       [](Program& program, std::mt19937_64& random) {
         Funclet& funclet = any_funclet(program, random);
         const Spec* spec = spec_of(program, funclet);
         if (spec == nullptr || funclet.values.size() == funclet.n_parameters) {
           return false;
         }
         const auto at =
             funclet.n_parameters + below(random, funclet.values.size() - funclet.n_parameters);
         return change_node(
             *spec, funclet.values[ValueId{static_cast<uint32_t>(at)}].tags.val.quotient, random);
       }},
      {"a parameter of a funclet is another node",
       [](Program& program, std::mt19937_64& random) {
         Funclet& funclet = any_funclet(program, random);
         const Spec* spec = spec_of(program, funclet);
         const bool is_entry =
             &program.funclets[program.functions[funclet.function].entry] == &funclet;
         if (spec == nullptr || funclet.n_parameters == 0 || is_entry) {
           return false;
         }
         const auto at = static_cast<uint32_t>(below(random, funclet.n_parameters));
         return change_node(*spec, funclet.values[ValueId{at}].tags.val.quotient, random);
       }},
      {"another operator",
       [](Program& program, std::mt19937_64& random) {
         Funclet& funclet = any_funclet(program, random);
         for (Command& command : funclet.commands) {
           if (command.results.size() == 0) {
             continue;
           }
           const Value& result = funclet.values[ValueId{command.results.begin}];
           if (command.opcode == Opcode::Binary &&
               result.tags.val.quotient.kind != QuotientKind::None) {
             command.op =
                 command.op == types::Operator::Add ? types::Operator::Sub : types::Operator::Add;
             return true;
           }
         }
         return false;
       }},
      {"operands change places",
       [](Program& program, std::mt19937_64& random) {
         Funclet& funclet = any_funclet(program, random);
         const Spec* spec = spec_of(program, funclet);
         for (Command& command : funclet.commands) {
           if (command.opcode != Opcode::Binary || spec == nullptr) {
             continue;
           }
           ValueId& left = funclet.operands[command.operands.begin];
           ValueId& right = funclet.operands[command.operands.begin + 1];
           const Value& result = funclet.values[ValueId{command.results.begin}];
           const NodeId node = node_of(*spec, result.tags.val.quotient);
           if (node.has_value() && spec->nodes[node].children[0] != spec->nodes[node].children[1]) {
             std::swap(left, right);
             return true;
           }
         }
         return false;
       }},
      {"another literal",
       [](Program& program, std::mt19937_64& random) {
         Funclet& funclet = any_funclet(program, random);
         for (Command& command : funclet.commands) {
           if (command.results.size() == 0) {
             continue;
           }
           const Value& result = funclet.values[ValueId{command.results.begin}];
           if (command.opcode == Opcode::Constant && !command.text.has_value() &&
               result.tags.val.quotient.kind != QuotientKind::None) {
             funclet.cells[command.cells.begin] += 1;
             return true;
           }
         }
         return false;
       }},
      {"a command is left out",
       [](Program& program, std::mt19937_64& random) {
         Funclet& funclet = any_funclet(program, random);
         if (funclet.commands.empty()) {
           return false;
         }
         const size_t at = below(random, funclet.commands.size());
         // What was never needed may go; everything else has a result or a meaning.
         const Opcode opcode = funclet.commands[at].opcode;
         if (opcode == Opcode::Fail || opcode == Opcode::Await || opcode == Opcode::Store) {
           return false;
         }
         funclet.commands.erase(funclet.commands.begin() + static_cast<ptrdiff_t>(at));
         return true;
       }},
      {"the ways of a select change places",
       [](Program& program, std::mt19937_64& random) {
         Funclet& funclet = any_funclet(program, random);
         if (funclet.tail.kind != TailKind::Select) {
           return false;
         }
         const std::vector<Port>& first = program.funclets[funclet.tail.targets[0].funclet].results;
         const std::vector<Port>& second =
             program.funclets[funclet.tail.targets[1].funclet].results;
         if (first == second) {
           return false;
         }
         std::swap(funclet.tail.targets[0], funclet.tail.targets[1]);
         return true;
       }},
      {"a select by something else",
       [](Program& program, std::mt19937_64& random) {
         Funclet& funclet = any_funclet(program, random);
         if (funclet.tail.kind != TailKind::Select || funclet.n_parameters == 0) {
           return false;
         }
         const ValueId other{static_cast<uint32_t>(below(random, funclet.n_parameters))};
         if (funclet.values[other].type == funclet.values[funclet.tail.condition].type) {
           return false;
         }
         funclet.tail.condition = other;
         return true;
       }},
      {"an argument is left out",
       [](Program& program, std::mt19937_64& random) {
         Tail& tail = any_funclet(program, random).tail;
         for (Slice* slice : {&tail.arguments, &tail.targets[0].arguments,
                              &tail.targets[1].arguments, &tail.join.arguments}) {
           if (slice->size() > 0) {
             --slice->end;
             return true;
           }
         }
         return false;
       }},
      {"an argument is used up twice",
       [](Program& program, std::mt19937_64& random) {
         Funclet& funclet = any_funclet(program, random);
         const Slice given = funclet.tail.arguments;
         for (uint32_t i = given.begin; i + 1 < given.end; ++i) {
           const ValueId first = funclet.operands[i];
           const ValueId second = funclet.operands[i + 1];
           if (first != second && funclet.values[first].type == funclet.values[second].type &&
               program.types[funclet.values[first].type].kind == TypeKind::Value) {
             funclet.operands[i + 1] = first;
             return true;
           }
         }
         return false;
       }},
      {"an argument of another type",
       [](Program& program, std::mt19937_64& random) {
         Funclet& funclet = any_funclet(program, random);
         if (&program.funclets[program.functions[funclet.function].entry] == &funclet) {
           return false;  // maybe nobody calls it
         }
         for (uint32_t i = 0; i < funclet.n_parameters; ++i) {
           TypeId& type = funclet.values[ValueId{i}].type;
           Type other = program.types[type];
           other.element.kind = other.element.kind == engine::ElementKind::I16
                                    ? engine::ElementKind::U8
                                    : engine::ElementKind::I16;
           if (other.kind == TypeKind::Value) {
             type = program.types.add(other);
             return true;
           }
         }
         return false;
       }},
      {"another array expression",
       [](Program& program, std::mt19937_64& random) {
         Funclet& funclet = any_funclet(program, random);
         for (const Command& command : funclet.commands) {
           if (command.opcode != Opcode::Compute ||
               funclet.values[ValueId{command.results.begin}].tags.val.quotient.kind ==
                   QuotientKind::None) {
             continue;
           }
           Formula& formula = program.formulas[command.formula];
           FormulaNode& part = formula.nodes[below(random, formula.nodes.size())];
           if (part.kind == FormulaKind::For || part.kind == FormulaKind::Reduce) {
             ++part.extent;
             return true;
           }
           if (part.kind == FormulaKind::Binary) {
             part.op =
                 part.op == types::Operator::Add ? types::Operator::Sub : types::Operator::Add;
             return true;
           }
           if (part.kind == FormulaKind::Operand || part.kind == FormulaKind::Variable) {
             ++part.number;
             return true;
           }
         }
         return false;
       }},
      {"another step of the timeline",
       [](Program& program, std::mt19937_64& random) {
         Funclet& funclet = any_funclet(program, random);
         const SpecId timeline = program.functions[funclet.function].timeline;
         for (Command& command : funclet.commands) {
           if (timeline.has_value() &&
               (command.opcode == Opcode::EncodeBegin || command.opcode == Opcode::Submit ||
                command.opcode == Opcode::Await) &&
               change_node(program.specs[timeline], command.node, random)) {
             return true;
           }
         }
         return false;
       }},
      {"another event of the timeline",
       [](Program& program, std::mt19937_64& random) {
         Funclet& funclet = any_funclet(program, random);
         const SpecId timeline = program.functions[funclet.function].timeline;
         return timeline.has_value() &&
                change_node(program.specs[timeline],
                            below(random, 2) == 0 ? funclet.event : funclet.event_behind, random);
       }},
      {"an encoder or future is another one of the timeline",
       [](Program& program, std::mt19937_64& random) {
         Funclet& funclet = any_funclet(program, random);
         const SpecId timeline = program.functions[funclet.function].timeline;
         for (uint32_t i = 0; i < funclet.values.size() && timeline.has_value(); ++i) {
           Quotient& quotient = funclet.values[ValueId{i}].tags.tmln.quotient;
           if (change_node(program.specs[timeline], quotient, random)) {
             return true;
           }
         }
         return false;
       }},
      {"a call without its node",
       [](Program& program, std::mt19937_64& random) {
         Funclet& funclet = any_funclet(program, random);
         if (funclet.tail.kind != TailKind::Call || funclet.tail.node.kind == QuotientKind::None) {
           return false;
         }
         funclet.tail.node = {};
         return true;
       }},
      {"no yield",
       [](Program& program, std::mt19937_64& random) {
         Funclet& funclet = any_funclet(program, random);
         if (funclet.tail.kind != TailKind::Yield) {
           return false;
         }
         funclet.tail.kind = TailKind::Jump;
         return true;
       }},
      {"a join that is not waited for",
       [](Program& program, std::mt19937_64& random) {
         Funclet& funclet = any_funclet(program, random);
         if (!funclet.tail.join.funclet.has_value()) {
           return false;
         }
         funclet.tail.join = {};
         return true;
       }},
      {"what is dead is said to be usable",
       [](Program& program, std::mt19937_64& random) {
         Funclet& funclet = any_funclet(program, random);
         const bool may_fail =
             std::any_of(funclet.commands.begin(), funclet.commands.end(),
                         [](const Command& command) { return command.opcode == Opcode::Fail; });
         if (may_fail) {
           return false;  // nothing behind it is read
         }
         for (uint32_t i = funclet.n_parameters; i < funclet.values.size(); ++i) {
           Tag& tag = funclet.values[ValueId{i}].tags.val;
           if (tag.flow == Flow::Dead) {
             tag.flow = Flow::Usable;
             return true;
           }
         }
         return false;
       }},
  };
  return kAll;
}

// Some changes leave a right assembly behind: of two values that are both the same node either may
// be handed on, and an unused name may be anything. So not every mutant dies, but of each kind
// nearly all do.
TEST(Assembly, MutantsAreRejected) {
  std::mt19937_64 random(1);
  std::map<std::string, std::pair<size_t, size_t>> killed;
  std::vector<const Program*> programs;
  for (const auto& [path, program] : assemblies()) {
    if (program.funclets.size() < 400) {
      programs.push_back(&program);
    }
  }
  for (const auto& [name, mutate] : mutations()) {
    for (int attempt = 0; attempt < 20000 && killed[name].first < 200; ++attempt) {
      Program mutant = *programs[below(random, programs.size())];
      if (!mutate(mutant, random)) {
        continue;
      }
      ++killed[name].first;
      killed[name].second += check(mutant).empty() ? 0 : 1;
    }
  }
  size_t n_mutants = 0;
  size_t n_killed = 0;
  for (const auto& [name, counts] : killed) {
    EXPECT_GT(counts.first, 20U) << name;
    EXPECT_GE(counts.second * 100, counts.first * 95)
        << name << ": " << counts.second << " of " << counts.first << " were rejected";
    n_mutants += counts.first;
    n_killed += counts.second;
  }
  EXPECT_GT(n_mutants, 2000U);
  RecordProperty("mutants", static_cast<int>(n_mutants));
  RecordProperty("killed", static_cast<int>(n_killed));
}

}  // namespace
}  // namespace tacet::cps
