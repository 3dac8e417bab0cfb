#pragma once

#include <variant>

#include "compiler/kernel/kernel.h"

/// What stands directly in an expression or statement, for analyses that go through all of them.
/// Each kind is named here, so that a new one does not build until it is said what is in it.
namespace tacet::oblivious {

/// Several function objects as one, told apart by what they take.
template <class... Functions>
struct Overloads : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overloads(Functions...) -> Overloads<Functions...>;

/// Calls `visit(id)` for the expressions directly in `expr`, in the order of the text.
template <class Visit>
void for_each_operand(const kernel::Expr& expr, Visit visit) {
  using namespace kernel;
  const auto all = [&](const std::vector<ExprId>& ids) {
    for (ExprId id : ids) {
      visit(id);
    }
  };
  std::visit(Overloads{
                 [](const Literal&) {},
                 [](const Read&) {},
                 [&](const Element& element) {
                   visit(element.array);
                   all(element.indices);
                 },
                 [&](const Unary& unary) { visit(unary.operand); },
                 [&](const Binary& binary) {
                   visit(binary.left);
                   visit(binary.right);
                 },
                 [&](const Select& select) {
                   visit(select.then);
                   visit(select.condition);
                   visit(select.otherwise);
                 },
                 [&](const Cast& cast) { visit(cast.operand); },
                 [&](const ArrayLiteral& array) { all(array.elements); },
                 [&](const Tabulate& tabulate) { visit(tabulate.body); },
                 [&](const Reduce& reduce) { visit(reduce.body); },
                 [&](const Rotate& rotate) {
                   visit(rotate.operand);
                   visit(rotate.by);
                 },
             },
             expr.node);
}

/// Calls `visit(id)` for the expressions that `statement` itself evaluates, not those in its
/// blocks.
template <class Visit>
void for_each_expr(const kernel::Statement& statement, Visit visit) {
  using namespace kernel;
  const auto all = [&](const std::vector<ExprId>& ids) {
    for (ExprId id : ids) {
      visit(id);
    }
  };
  std::visit(Overloads{
                 [&](const Assign& assign) { visit(assign.value); },
                 [&](const StoreElement& store) {
                   all(store.indices);
                   visit(store.value);
                 },
                 [&](const If& branch) { visit(branch.condition); },
                 [&](const For& loop) {
                   visit(loop.lower);
                   visit(loop.upper);
                   if (loop.step) {
                     visit(*loop.step);
                   }
                   if (loop.max) {
                     visit(*loop.max);
                   }
                 },
                 [&](const While& loop) {
                   visit(loop.condition);
                   if (loop.max) {
                     visit(*loop.max);
                   }
                 },
                 [](const Break&) {},
                 [](const Continue&) {},
                 [&](const Return& result) { all(result.values); },
                 [&](const Call& call) { all(call.arguments); },
                 [&](const Reveal& reveal) { visit(reveal.value); },
                 [](const SecretRegion&) {},
                 [](const Separator&) {},
             },
             statement.node);
}

/// Calls `visit(block)` for the blocks directly in `statement`.
template <class Visit>
void for_each_block(const kernel::Statement& statement, Visit visit) {
  using namespace kernel;
  std::visit(Overloads{
                 [](const Assign&) {},
                 [](const StoreElement&) {},
                 [&](const If& branch) {
                   visit(branch.then);
                   visit(branch.otherwise);
                 },
                 [&](const For& loop) { visit(loop.body); },
                 [&](const While& loop) { visit(loop.body); },
                 [](const Break&) {},
                 [](const Continue&) {},
                 [](const Return&) {},
                 [](const Call&) {},
                 [](const Reveal&) {},
                 [&](const SecretRegion& region) { visit(region.body); },
                 [](const Separator&) {},
             },
             statement.node);
}

/// Calls `visit(variable)` for the variables that `statement` itself gives a value, all or a part.
template <class Visit>
void for_each_target(const kernel::Statement& statement, Visit visit) {
  using namespace kernel;
  std::visit(Overloads{
                 [&](const Assign& assign) { visit(assign.variable); },
                 [&](const StoreElement& store) { visit(store.array); },
                 [](const If&) {},
                 [&](const For& loop) { visit(loop.counter); },
                 [](const While&) {},
                 [](const Break&) {},
                 [](const Continue&) {},
                 [](const Return&) {},
                 [&](const Call& call) {
                   for (VariableId result : call.results) {
                     visit(result);
                   }
                 },
                 [&](const Reveal& reveal) { visit(reveal.variable); },
                 [&](const SecretRegion& region) {
                   for (const SecretRegion::Port& port : region.outputs) {
                     visit(port.outer);
                   }
                 },
                 [](const Separator&) {},
             },
             statement.node);
}

}  // namespace tacet::oblivious
