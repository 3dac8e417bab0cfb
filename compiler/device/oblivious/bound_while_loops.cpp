#include "compiler/device/oblivious/bound_while_loops.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/device/oblivious/may_apply.h"
#include "compiler/device/oblivious/problems.h"
#include "compiler/device/oblivious/secrecy.h"
#include "compiler/device/oblivious/transform_expr.h"
#include "compiler/device/oblivious/writer.h"

namespace tacet::oblivious {

using namespace kernel;
using types::Operator;

namespace {

class BoundWhileLoops {
 public:
  explicit BoundWhileLoops(Rewriting& rewriting)
      : rewriting_(rewriting),
        source_(rewriting.kernel),
        secrecy_(analyse_secrecy(source_)),
        kernel_(rewriting.kernel),
        writer_(kernel_) {}

  auto run() -> bool {
    kernel_.body = block(kernel_.body);
    return is_changed_;
  }

 private:
  auto block(const Block& block) -> Block {
    Block out;
    for (StatementId id : block) {
      replace_blocks(kernel_, id, [&](const Block& inner) { return this->block(inner); });
      const auto* loop = std::get_if<While>(&kernel_.statements[id].node);
      if (loop == nullptr || !is_secret(id, *loop) || !rewriting_.wanted(place(id)) ||
          !bound(id, While(*loop), out)) {
        out.push_back(id);
      }
    }
    return out;
  }

  auto place(StatementId id) const -> FileRange { return kernel_.statements[id].place; }

  auto is_secret(StatementId id, const While& loop) const -> bool {
    return secrecy_.is_secret(id, loop.condition) ||
           (loop.max && secrecy_.is_secret(id, *loop.max));
  }

  auto bound(StatementId id, While loop, Block& out) -> bool {
    if (!loop.max) {
      rewriting_.diagnostics.push_back(no_bound_of_while(source_, secrecy_, id, loop));
      return false;
    }
    if (const CauseId cause = secrecy_.cause(id, *loop.max); cause.has_value()) {
      rewriting_.diagnostics.push_back(secret_max(source_, secrecy_, cause, place(id)));
      return false;
    }
    is_changed_ = true;
    writer_.set_place(place(id));
    std::optional<int64_t> n = literal_value(kernel_, *loop.max);
    ExprId iterations = *loop.max;
    ExprId continues = loop.condition;
    if (loop.tests_last) {
      // The first iteration is not tested.
      const VariableId again = writer_.mutable_variable("again", {engine::kBool, {}});
      out.push_back(writer_.assign(again, writer_.truth(true)));
      loop.body.push_back(writer_.assign(again, loop.condition));
      continues = writer_.read(again);
      iterations = at_least_one(iterations, n);
    }
    out.push_back(writer_.loop(writer_.counter("iteration", writer_.type(iterations).element),
                               writer_.integer(0, writer_.type(iterations).element), iterations,
                               {writer_.branch(continues, std::move(loop.body))}));
    rewriting_.rewrites.push_back({RewriteKind::Loop,
                                   place(id),
                                   n ? fmt::format("{} iterations, independent of the secret", *n)
                                     : "`max` iterations, independent of the secret",
                                   {0, 0, n.value_or(0)}});
    return true;
  }

  auto at_least_one(ExprId iterations, std::optional<int64_t>& n) -> ExprId {
    const engine::ElementType type = writer_.type(iterations).element;
    const ExprId one = writer_.integer(1, type);
    if (n) {
      n = std::max<int64_t>(*n, 1);
      return *n == 1 ? one : iterations;
    }
    return writer_.select(writer_.binary(Operator::Gt, iterations, one), iterations, one,
                          Obliviousness::MayBranch);
  }

  Rewriting& rewriting_;
  const Kernel source_;  ///< what the analysis speaks of
  const Secrecy secrecy_;
  Kernel& kernel_;
  Writer writer_;
  bool is_changed_ = false;
};

}  // namespace

auto bound_while_loops(Rewriting& rewriting) -> bool {
  return may_bound_while_loops(rewriting) && BoundWhileLoops(rewriting).run();
}

}  // namespace tacet::oblivious
