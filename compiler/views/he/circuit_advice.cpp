#include "compiler/views/he/circuit_advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "compiler/core/diagnostics/code.h"
#include "compiler/device/kernel/walk.h"
#include "compiler/front/names/queries.h"
#include "compiler/he/gates/compile.h"
#include "compiler/he/gates/table_forms.h"
#include "compiler/views/he/circuit_costs.h"
#include "compiler/views/he/item_program.h"

namespace tacet::he_views {

namespace {

using kernel::ExprId;
using kernel::VariableId;
using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

/// Finds the parameters that are indices, and of how many elements at most.
class IndexSearch {
 public:
  explicit IndexSearch(const kernel::Kernel& kernel) : kernel_(kernel) {
    kernel::walk_statements(kernel, kernel.body, [&](kernel::StatementId id) {
      const kernel::Statement& statement = kernel.statements[id];
      if (const auto* store = std::get_if<kernel::StoreElement>(&statement.node)) {
        add_all(store->indices, kernel.variables[store->array].type);
      }
      kernel::visit_exprs(statement, [&](ExprId root) {
        kernel::walk_exprs(kernel, root, [&](ExprId inner) {
          if (const auto* element = std::get_if<kernel::Element>(&kernel.exprs[inner].node)) {
            add_all(element->indices, kernel.exprs[element->array].type);
          }
        });
      });
    });
  }

  [[nodiscard]] auto found() const -> const std::map<VariableId, int64_t>& { return found_; }

 private:
  void add_all(const std::vector<ExprId>& indices, const kernel::Type& array) {
    for (size_t k = 0; k < indices.size(); ++k) {
      add(indices[k], array.extents[k]);
    }
  }

  void add(ExprId id, int64_t n_elements) {
    const kernel::Expr& expr = kernel_.exprs[id];
    if (const auto* cast = std::get_if<kernel::Cast>(&expr.node)) {
      add(cast->operand, n_elements);
    } else if (const auto* element = std::get_if<kernel::Element>(&expr.node)) {
      add(element->array, n_elements);
    } else if (const auto* read = std::get_if<kernel::Read>(&expr.node)) {
      if (kernel_.variables[read->variable].kind == kernel::VariableKind::Parameter) {
        int64_t& most = found_[read->variable];
        most = std::max(most, n_elements);
      }
    }
  }

  const kernel::Kernel& kernel_;
  std::map<VariableId, int64_t> found_;
};

class Advice {
 public:
  Advice(query::Context& context, names::ItemId item, const gates::Circuit& circuit)
      : view_(context, item),
        item_(item),
        tree_(context.get<names::SyntaxOfItem>(item)),
        circuit_(circuit),
        times_(context.get<BootstrapTimesOfMachine>({})) {}

  auto find() -> std::vector<Diagnostic> {
    find_wide_indices();
    for (const gates::TableRead& read : circuit_.tables) {
      look_at(read);
    }
    sort_diagnostics(found_);
    return std::move(found_);
  }

 private:
  void find_wide_indices() {
    const IndexSearch search(circuit_.kernel);
    for (size_t i = 0; i < circuit_.kernel.parameters.size(); ++i) {
      const auto index = search.found().find(circuit_.kernel.parameters[i]);
      if (index != search.found().end()) {
        look_at(i, index->second);
      }
    }
  }

  void look_at(size_t number, int64_t n_elements) {
    const kernel::Variable& parameter =
        circuit_.kernel.variables[circuit_.kernel.parameters[number]];
    const auto declared =
        parameter.bound ? parameter.bound : types::bound_of_type(parameter.type.element);
    const types::Wide n = n_elements;
    if (!declared || !engine::is_integer(parameter.type.element.kind) ||
        (declared->lower >= 0 && declared->upper <= n) || declared->lower >= n) {
      return;
    }
    gates::CompileOptions options{.most_gates = kMostGatesAtOnce, .times = times_};
    options.bounds.resize(number + 1);
    options.bounds[number] =
        types::ValueBound{std::max<types::Wide>(declared->lower, 0), std::min(declared->upper, n)};
    const gates::CircuitLowering narrower = gates::circuit_of(view_, item_, options);
    if (!narrower.circuit) {
      return;
    }
    const size_t before = gates::n_bootstraps(circuit_.graph);
    const size_t after = gates::n_bootstraps(narrower.circuit->graph);
    constexpr size_t kLeastPercent = 10;
    if (after >= before || 100 * (before - after) < kLeastPercent * before) {
      return;
    }
    Diagnostic& finding = found_.emplace_back(make_diagnostic(
        DiagnosticCode::T5021, parameter.place,
        fmt::format("`{}` is an index of {} elements; `in {}` would save {} of {} bootstraps",
                    parameter.name, n_elements, types::bound_text(*options.bounds[number]),
                    before - after, before)));
    finding.notes.emplace_back(
        "an index beyond the array reads 0; with the range it is an error before encryption");
  }

  void look_at(const gates::TableRead& read) {
    const FileRange place = circuit_.kernel.exprs[read.expr].place;
    const Node node = access_at(place.range);
    if (!node) {
      return;  // in the text of another function
    }
    const Node index = node.child(Field::Index);
    const bool is_name = index.text().find_first_not_of(kNameCharacters) == std::string_view::npos;
    const std::string operand =
        is_name ? std::string(index.text()) : fmt::format("({})", index.text());
    const auto form = gates::cheaper_form(read, operand);
    if (!form || 4 * form->n_bootstraps > 3 * form->n_bootstraps_of_table) {
      return;
    }
    Diagnostic& finding = found_.emplace_back(make_diagnostic(
        DiagnosticCode::T5022, place,
        fmt::format("`{}` takes {} bootstraps, and `{}` {}", node.text(),
                    form->n_bootstraps_of_table, form->text,
                    form->n_bootstraps == 0 ? "none" : std::to_string(form->n_bootstraps))));
    finding.notes.emplace_back("both are the same for every index in range");
    if (is_name || form->n_mentions <= 1) {
      finding.fixes.push_back({fmt::format("compute it: `{}`", form->text),
                               Applicability::Safe,
                               {{node.range(), form->text}}});
    }
  }

  [[nodiscard]] auto access_at(TextRange range) const -> Node {
    for (const Node node : syntax::path_to(tree_->root(), range.begin)) {
      if (node.is(NodeKind::IndexExpression) && node.range() == range) {
        return node;
      }
    }
    return {};
  }

  static constexpr std::string_view kNameCharacters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

  program::FrontendSnapshot view_;
  names::ItemId item_;
  names::ItemTree tree_;
  const gates::Circuit& circuit_;
  const cggi::BootstrapTimes times_;
  std::vector<Diagnostic> found_;
};

}  // namespace

auto CircuitAdviceOfItem::compute(query::Context& context, const Key& item) -> Value {
  const auto program = context.get<ProgramOfItem>(item);
  const bool is_looked_at =
      program != nullptr && program->is_bit_by_bit && !program->is_large_circuit;
  const auto made = is_looked_at ? context.get<CircuitOfItem>(item) : nullptr;
  return std::make_shared<const std::vector<Diagnostic>>(
      made != nullptr && made->circuit ? Advice(context, item, *made->circuit).find()
                                       : std::vector<Diagnostic>());
}

}  // namespace tacet::he_views
