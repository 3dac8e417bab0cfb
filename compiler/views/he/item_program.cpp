#include "compiler/views/he/item_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "compiler/core/diagnostics/code.h"
#include "compiler/core/syntax/find_hole.h"
#include "compiler/device/array/intervals.h"
#include "compiler/device/array/print.h"
#include "compiler/device/array/real_bounds.h"
#include "compiler/front/check/queries.h"
#include "compiler/front/names/queries.h"
#include "compiler/front/types/queries.h"
#include "compiler/he/gates/compile.h"
#include "compiler/he/lower/alternatives.h"
#include "compiler/he/lower/compile.h"
#include "compiler/he/lower/expand_functions.h"
#include "compiler/he/lower/item_program.h"
#include "compiler/he/lower/ring_costs.h"
#include "compiler/he/schedule/clause.h"
#include "compiler/he/schedule/least_depth.h"
#include "compiler/he/schedule/make_circuit.h"
#include "compiler/spec/infer/report.h"
#include "compiler/spec/program/device_callees.h"
#include "compiler/spec/program/lowerable.h"
#include "compiler/views/he/written_schedule.h"

namespace tacet::he_views {

namespace {

using names::ItemId;
using names::ItemKind;
using syntax::Node;

auto is_for_encryption(query::Context& context, ItemId item, ItemKind kind) -> bool {
  if (kind == ItemKind::Program) {
    return true;
  }
  if (kind != ItemKind::Fn) {
    return false;
  }
  const auto signature = context.get<types::SignatureOf>(item);
  return signature->is_device_function && signature->is_for(names::Device::He);
}

/// Whether phases before have nothing to say, so that it can be lowered, nor of what it mentions.
auto is_good(query::Context& context, ItemId item, const names::ItemKey& key) -> bool {
  if (!program::can_be_lowered(context, item)) {
    return false;
  }
  if (key.kind == ItemKind::Fn) {
    return !check::has_errors(context.get<infer::DiagnosticsOfFunction>(item));
  }
  const auto items = context.get<names::ItemsOfFile>(key.file);
  return std::none_of(items->items.begin(), items->items.end(), [&](const names::FileItem& other) {
    return !context.get<names::SyntaxOfItem>(other.id)->errors.empty() ||
           check::has_errors(context.get<check::DiagnosticsOfItem>(other.id));
  });
}

/// `0 is `p` (4 values), 1 is `d` (3)`: what the numbers of a clause mean.
auto numbers_text(const array::Program& program, size_t statement) -> std::string {
  const array::Statement& of = program.statements[statement];
  std::string text;
  for (uint32_t i = 0; i < of.dims.size(); ++i) {
    const array::Dim& dim = of.dims[array::DimId{i}];
    text += fmt::format("{}{} is `{}` with {} values", text.empty() ? "" : ", ", i, dim.name,
                        dim.extent);
  }
  return text.empty() ? text
                      : fmt::format("dimensions of `{}`: {}", program.arrays[of.result].name, text);
}

auto costs_of(const he_lower::RingRequest& request) -> std::vector<schedule::RingCost> {
  std::vector<schedule::RingCost> costs;
  for (const he_lower::Ring& ring :
       he_lower::possible_rings(he::default_operation_times(), request)) {
    costs.push_back(ring.cost);
  }
  return costs;
}

/// Those that programs are laid out for if nothing says how large their numbers are.
auto all_rings(const array::Program& program) -> const std::vector<schedule::RingCost>& {
  static const std::vector<schedule::RingCost> of_integers = costs_of({});
  static const std::vector<schedule::RingCost> of_reals =
      costs_of({.scheme = he::Scheme::Ckks, .scale_bits = 30});
  return is_real(program) ? of_reals : of_integers;
}

class Inspection {
 public:
  Inspection(query::Context& context, ItemId item)
      : item_(item),
        key_(context.service<names::ItemTable>()[item]),
        // The inputs of a `.tlhe` file are items of their own, which no one item's beginning
        // counts.
        view_(context, key_.kind == ItemKind::Fn ? item : ItemId{}) {}

  auto run() -> std::shared_ptr<const ItemProgram> {
    array::Lowering lowering = he_lower::program_of(view_, item_);
    made_.diagnostics = std::move(lowering.diagnostics);
    // The linter reports what a secret steers, wherever it is.
    std::erase_if(made_.diagnostics, [](const Diagnostic& diagnostic) {
      return code_name(diagnostic.code)[1] == '5';
    });
    const names::ItemTree tree = view_.tree(item_);
    // Holes are remarked on by themselves (T6042).
    std::erase_if(made_.diagnostics, [&](const Diagnostic& diagnostic) {
      return diagnostic.code == DiagnosticCode::T6001 &&
             syntax::has_hole_at(*tree, diagnostic.place.range);
    });
    const Node clause = names::item_node(*tree).child(syntax::Field::Schedule);
    made_.has_clause = static_cast<bool>(clause);
    if (lowering.program && he_lower::n_results_of(view_, item_) == 1) {
      made_.program = std::move(lowering.program);
      made_.text = array::print(*made_.program);
      made_.tolerance = he_lower::tolerance_of(view_, item_, 0);
      if (made_.tolerance) {
        made_.text += fmt::format("within {}\n", *made_.tolerance);
      }
      check_numbers();
      expand();
    }
    if (made_.program) {
      check_depth();
      if (clause) {
        obey(clause);
      }
    }
    check_other_results();
    consider_circuit();
    if (const Node open = schedule_clause(names::item_node(*tree)); open && !clause) {
      remark_open(open);
    }
    return std::make_shared<const ItemProgram>(std::move(made_));
  }

 private:
  void obey(Node clause) {
    schedule::ReadClause read =
        schedule::read_clause(*made_.program, clause, all_rings(*made_.program));
    if (!read.fault) {
      made_.pinned = std::move(read.schedule);
      return;
    }
    if (obey_otherwise(clause)) {
      return;
    }
    const array::Program& program = *made_.program;
    Diagnostic& diagnostic = report(
        DiagnosticCode::T6010, {key_.file, read.fault->at.range().shifted(view_.item_begin(item_))},
        fmt::format("this schedule cannot be applied: {}", read.fault->message));
    const size_t statement = read.fault->statement.value_or(program.statements.size() - 1);
    if (std::string numbers = numbers_text(program, statement); !numbers.empty()) {
      diagnostic.notes.push_back(std::move(numbers));
    }
    diagnostic.notes.emplace_back("without a `schedule`, the compiler searches for a good one");
    diagnostic.fixes.push_back(
        {"remove the `schedule`", Applicability::Unsafe, {{removed(clause), ""}}});
  }

  /// A clause may be of a program that computes the same with other lets inlined, as the search
  /// compares these too.
  auto obey_otherwise(Node clause) -> bool {
    for (array::Program& program : he_lower::alternatives_of(*made_.program, view_, item_)) {
      schedule::ReadClause read = schedule::read_clause(program, clause, all_rings(program));
      if (!read.fault) {
        made_.pinned = std::move(read.schedule);
        made_.text = array::print(program);
        made_.program = std::move(program);
        return true;
      }
    }
    return false;
  }

  /// `schedule ?`
  void remark_open(Node open) {
    const FileRange place{key_.file, open.range().shifted(view_.item_begin(item_))};
    const std::string name(view_.interner().text(key_.name));
    const size_t n_results = he_lower::n_results_of(view_, item_);
    if (made_.program) {
      report(DiagnosticCode::T6040, place, "the compiler searches for this schedule")
          .notes.emplace_back("`tacet fill` writes what it finds");
    } else if (made_.is_bit_by_bit || n_results > 1) {
      report(DiagnosticCode::T6041, place,
             made_.is_bit_by_bit
                 ? fmt::format("`schedule ?` has no effect: `{}` is computed bit by bit", name)
                 : fmt::format("`schedule ?` has no effect: each of the {} results of `{}` has a "
                               "layout of its own",
                               n_results, name))
          .fixes.push_back({"remove it", Applicability::Safe, {{removed(open), ""}}});
    }
    sort_diagnostics(made_.diagnostics);
  }

  /// The clause with the blanks in front of it.
  auto removed(Node clause) -> TextRange {
    TextRange range = clause.range();
    const std::string& text = clause.tree()->text;
    while (range.begin > 0 && (text[range.begin - 1] == ' ' || text[range.begin - 1] == '\n' ||
                               text[range.begin - 1] == '\t' || text[range.begin - 1] == '\r')) {
      --range.begin;
    }
    return range.shifted(view_.item_begin(item_));
  }

  /// Of several results each is a program of its own, none of which is shown; what cannot be
  /// computed of one cannot be run at all.
  void check_other_results() {
    const size_t n_results = he_lower::n_results_of(view_, item_);
    for (size_t result = 0; n_results > 1 && result < n_results; ++result) {
      array::Lowering lowering = he_lower::program_of(view_, item_, result);
      if (result > 0) {
        std::move(lowering.diagnostics.begin(), lowering.diagnostics.end(),
                  std::back_inserter(made_.diagnostics));
      }
      if (lowering.program) {
        made_.program = std::move(lowering.program);
        check_numbers();
        expand();
      }
      if (made_.program) {
        check_depth();
        made_.program.reset();
      }
    }
    // What several results need is found for each of them.
    sort_diagnostics(made_.diagnostics);
    made_.diagnostics.erase(std::unique(made_.diagnostics.begin(), made_.diagnostics.end()),
                            made_.diagnostics.end());
  }

  /// What is not arithmetic is no error if a circuit of bits computes it.
  void consider_circuit() {
    auto& all = made_.diagnostics;
    const auto is_error = [](const Diagnostic& diagnostic) {
      return diagnostic.severity == Severity::Error;
    };
    const auto error = std::find_if(all.begin(), all.end(), is_error);
    if (error == all.end() || key_.kind != ItemKind::Fn || made_.has_clause) {
      return;
    }
    const gates::CircuitLowering lowering = gates::circuit_of(
        view_, item_, {.most_gates = kMostGatesAtOnce, .optimisation = gates::Optimisation::None});
    const bool is_large = lowering.diagnostics.size() == 1 &&
                          lowering.diagnostics.front().code == DiagnosticCode::T6003;
    if (!lowering.circuit && !is_large) {
      return;
    }
    const std::string name(view_.interner().text(key_.name));
    const std::string n =
        is_large ? fmt::format("more than {}", kMostGatesAtOnce)
                 : fmt::format("at most {}", gates::n_bootstraps(lowering.circuit->graph));
    Diagnostic found = make_diagnostic(
        DiagnosticCode::T6005, error->place,
        fmt::format("`{}` is computed bit by bit under CGGI, with {} bootstraps", name, n));
    found.notes.push_back(fmt::format("BFV, BGV and CKKS do not support it: {}", error->message));
    made_.is_bit_by_bit = true;
    made_.is_large_circuit = is_large;
    made_.program.reset();
    std::erase_if(all, is_error);
    all.push_back(std::move(found));
    sort_diagnostics(all);
  }

  /// If the text bounds all inputs: whether results need more than 64 bits, whatever is done.
  void check_numbers() {
    const array::Program& program = *made_.program;
    std::vector<array::Interval> inputs;
    for (const array::Array& array : program.arrays.values()) {
      if (is_input(array.owner)) {
        if (!array.range) {
          return;
        }
        inputs.push_back(*array.range);
      }
    }
    if (is_real(program)) {
      check_fixed_numbers(program);
      return;
    }
    const array::ValueRanges ranges = array::find_ranges(program, inputs);
    const array::Interval result = ranges.output();
    if (result.low != INT64_MIN && result.high != INT64_MAX) {
      return;
    }
    FileRange place = program.arrays[program.statements.back().result].place;
    std::string why;
    if (const auto growth = array::find_growth(program, ranges)) {
      const array::Statement& statement = program.statements[growth->at.statement];
      place = statement.exprs[growth->at.expr].place;
      why = fmt::format(": this computes it from numbers in {}..={}", growth->operands.low,
                        growth->operands.high);
    }
    report(DiagnosticCode::T6011, place, "its result may need more than 64 bits" + why)
        .notes.emplace_back("give the inputs narrower bounds (`in LO..HI`)");
  }

  void check_fixed_numbers(const array::Program& program) {
    const array::RealBounds bounds = array::find_real_bounds(program);
    if (const std::optional<array::ExprPlace> at = bounds.too_large_at) {
      report(
          DiagnosticCode::T6011, program.statements[at->statement].exprs[at->expr].place,
          fmt::format(
              "number may be as large as {:.3g}, but with {} fraction bits it must be below {:.3g}",
              bounds.exprs[at->statement][at->expr.index].largest(), program.fraction_bits,
              std::ldexp(1, 63 - int{program.fraction_bits})))
          .notes.emplace_back("give the inputs narrower bounds (`in LO..HI`)");
    }
  }

  /// Layouts are of arithmetic, for which inputs must be bounded.
  void expand() {
    if (!he_lower::has_functions(*made_.program)) {
      return;
    }
    if (!he_lower::unbounded_inputs(*made_.program, {}).empty()) {
      made_.program.reset();
      return;
    }
    if (is_real(*made_.program)) {
      approximate();
      return;
    }
    he_lower::Expansion expansion = std::move(he_lower::expand_functions(*made_.program).front());
    made_.with_functions = std::exchange(made_.program, std::move(expansion.program));
    made_.diagnostics.insert(made_.diagnostics.end(), expansion.diagnostics.begin(),
                             expansion.diagnostics.end());
  }

  /// As coarsely as results may be, so that no depth is reported that another precision saves.
  void approximate() {
    const array::RealBounds bounds = array::find_real_bounds(*made_.program);
    const double unit = std::ldexp(1, -int{made_.program->fraction_bits});
    const double coarse =
        made_.tolerance.value_or(std::max(unit, he_lower::default_tolerance(bounds.output())));
    he_lower::ApproximatedProgram approximated =
        he_lower::approximate_functions(*made_.program, coarse);
    made_.with_functions = std::exchange(made_.program, std::move(approximated.program));
    made_.diagnostics.insert(made_.diagnostics.end(), approximated.diagnostics.begin(),
                             approximated.diagnostics.end());
  }

  void check_depth() {
    const array::Program& program = *made_.program;
    const std::optional<int64_t> depth = schedule::least_depth(program);
    if (!depth) {
      return;  // it must be laid out otherwise, on which only the search has details
    }
    double most = 0;
    for (const schedule::RingCost& ring : all_rings(program)) {
      most = std::max(most, std::floor(ring.most_depth));
    }
    if (static_cast<double>(*depth) <= most) {
      return;
    }
    const FileRange place = program.arrays[program.statements.back().result].place;
    report(DiagnosticCode::T6011, place,
           fmt::format("multiplicative depth is {}, but the largest ring supports at most "
                       "{:.0f}",
                       *depth, most))
        .notes.emplace_back(
            "multiply independent factors in pairs, as a balanced tree; values that the client "
            "computes before encryption add no depth");
  }

  auto report(DiagnosticCode code, FileRange place, std::string message) -> Diagnostic& {
    return made_.diagnostics.emplace_back(make_diagnostic(code, place, std::move(message)));
  }

  ItemId item_;
  const names::ItemKey& key_;
  program::FrontendSnapshot view_;
  ItemProgram made_;
};

}  // namespace

auto ProgramOfItem::compute(query::Context& context, const Key& item) -> Value {
  const names::ItemKey& key = context.service<names::ItemTable>()[item];
  if (!is_for_encryption(context, item, key.kind) || !is_good(context, item, key)) {
    return nullptr;
  }
  return Inspection(context, item).run();
}

auto WrongProgramsOfChunk::compute(query::Context& context, const Key& chunk) -> Value {
  return names::kept_of_chunk<ProgramOfItem>(
      context, chunk,
      [&](const names::FileItem& item) { return is_for_encryption(context, item.id, item.kind); },
      [](const ItemProgram& program) { return !program.diagnostics.empty(); });
}

auto program_diagnostics(query::Context& context, FileId file) -> std::vector<Diagnostic> {
  std::vector<Diagnostic> all;
  const auto called = context.get<program::DeviceCalleesOfFile>(file);
  const auto& table = context.service<names::ItemTable>();
  names::for_chunks<WrongProgramsOfChunk>(
      context, file, [&](const WrongProgramsOfChunk::Value& wrong) {
        for (const auto& [item, program] : *wrong) {
          const bool is_relative = table[item].kind == ItemKind::Fn;
          const uint32_t begin = is_relative ? context.get<names::BeginOfItem>(item) : 0;
          for (const Diagnostic& diagnostic : program->diagnostics) {
            all.push_back(shifted(diagnostic, begin));
            if (called->contains(item) && all.back().severity == Severity::Error) {
              all.back().severity = Severity::Warning;
            }
          }
        }
      });
  return all;
}

}  // namespace tacet::he_views
