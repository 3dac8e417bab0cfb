#include "compiler/device/oblivious/scan_accesses.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/device/oblivious/may_apply.h"
#include "compiler/device/oblivious/occurrences.h"
#include "compiler/device/oblivious/open_scan.h"
#include "compiler/device/oblivious/scan_writer.h"
#include "compiler/device/oblivious/secrecy.h"
#include "compiler/device/oblivious/transform_expr.h"

namespace tacet::oblivious {

using namespace kernel;
using types::Operator;
using Update = ScanWriter::Update;

namespace {

class ScanAccesses {
 public:
  explicit ScanAccesses(Rewriting& rewriting)
      : rewriting_(rewriting),
        source_(rewriting.kernel),
        secrecy_(analyse_secrecy(source_)),
        kernel_(rewriting.kernel),
        writer_(kernel_),
        scans_(writer_) {}

  auto run() -> bool {
    kernel_.body = block(kernel_.body);
    return is_changed_;
  }

 private:
  auto block(const Block& block) -> Block {
    Block out;
    OpenScan open;
    for (StatementId id : block) {
      replace_blocks(kernel_, id, [&](const Block& inner) { return this->block(inner); });
      at_ = id;
      statement(id, out, open);
    }
    return out;
  }

  void statement(StatementId id, Block& out, OpenScan& open) {
    out_ = &out;
    open_ = &open;
    if (!std::holds_alternative<While>(kernel_.statements[id].node)) {
      // A store's own target may be read and written by one scan.
      const auto* store = std::get_if<StoreElement>(&kernel_.statements[id].node);
      if (store != nullptr && rewriting_.wanted(kernel_.statements[id].place) &&
          is_secret_any(store->indices)) {
        write(StoreElement(*store));
        return;
      }
      replace_exprs(kernel_, id, [&](ExprId expr) { return value(expr); });
    }
    out.push_back(id);
    open.pass_over(kernel_, id);
  }

  /// Of expressions of the source alone.
  auto is_secret(ExprId expr) const -> bool { return secrecy_.is_secret(at_, expr); }
  auto is_secret_any(const std::vector<ExprId>& exprs) const -> bool {
    return std::any_of(exprs.begin(), exprs.end(), [&](ExprId expr) { return is_secret(expr); });
  }

  /// `expr` of the source without secret indices.
  auto value(ExprId expr) -> ExprId {
    const auto* tabulate = std::get_if<Tabulate>(&kernel_.exprs[expr].node);
    if (tabulate != nullptr) {
      bound_.push_back(tabulate->index);
    }
    const ExprId result = with_operands(kernel_, expr, [&](ExprId id) { return value(id); });
    if (tabulate != nullptr) {
      bound_.pop_back();
    }
    // An access is looked up by its own location: it may be part of something that is not an
    // access.
    if (!rewriting_.wanted(source_.exprs[expr].place)) {
      return result;
    }
    if (const auto* element = std::get_if<Element>(&source_.exprs[expr].node);
        element != nullptr && is_secret_any(element->indices)) {
      writer_.set_place(source_.exprs[expr].place);
      return read(access(element->indices, Element(std::get<Element>(kernel_.exprs[result].node))));
    }
    if (const auto* rotate = std::get_if<Rotate>(&source_.exprs[expr].node);
        rotate != nullptr && is_secret(rotate->by)) {
      writer_.set_place(source_.exprs[expr].place);
      return rotation(Rotate(std::get<Rotate>(kernel_.exprs[result].node)));
    }
    return result;
  }

  /// Is it inside of a `for` expression whose index it reads?
  auto is_bound(ExprId expr) const -> bool {
    return std::any_of(bound_.begin(), bound_.end(),
                       [&](VariableId index) { return reads(kernel_, expr, index); });
  }

  auto is_atom(ExprId expr) const -> bool {
    const auto& node = kernel_.exprs[expr].node;
    return std::holds_alternative<Read>(node) || std::holds_alternative<Literal>(node);
  }

  /// `expr` as a literal or a variable, which is assigned in front; itself inside of a `for`
  /// expression that it needs.
  auto held(ExprId expr, std::string_view name) -> ExprId {
    if (is_atom(expr) || is_bound(expr)) {
      return expr;
    }
    const VariableId variable = writer_.variable(name, writer_.type(expr));
    before_.push_back(writer_.assign(variable, expr));
    return writer_.read(variable);
  }

  /// `indices` are those of the source, `element` is what became of them.
  auto access(const std::vector<ExprId>& indices, const Element& element) -> Access {
    Access access{element.array, element.indices, {}};
    for (size_t k = 0; k < indices.size(); ++k) {
      access.is_secret.push_back(is_secret(indices[k]));
      if (access.is_secret[k]) {
        access.indices[k] = held(writer_.cast(access.indices[k], engine::kI64), "at");
      } else {
        access.indices[k] = held(access.indices[k], "at");
      }
    }
    return access;
  }

  auto read(Access access) -> ExprId {
    note(access, "read");
    const ExprId whole = writer_.element(access.array, access.indices);
    if (is_bound(whole)) {
      flush();
      return scans_.expression(access);
    }
    access.array = held(access.array, "whole");
    if (const VariableId known = open_->picked(kernel_, access); known.has_value()) {
      flush();
      return writer_.read(known);
    }
    const VariableId picked = writer_.mutable_variable("picked", writer_.type(whole));
    before_.push_back(writer_.assign(picked, writer_.zero(writer_.type(whole))));
    if (open_->may_join(kernel_, access, before_)) {
      open_->join(kernel_, *out_, before_, scans_.read_part(access, picked, open_->counter()));
      before_.clear();
    } else {
      begin(scans_.read(access, picked), access);
    }
    open_->add_picked(access, picked);
    return writer_.read(picked);
  }

  /// Emits the statements that precede the present one.
  void flush() {
    for (StatementId id : before_) {
      out_->push_back(id);
      open_->pass_over(kernel_, id);
    }
    before_.clear();
  }

  void begin(const ScanWriter::Scan& scan, const Access& access) {
    before_.insert(before_.end(), scan.before.begin(), scan.before.end());
    flush();
    *open_ = OpenScan(kernel_, access, scan.loop, scan.counter, out_->size());
    out_->push_back(scan.loop);
  }

  void write(StoreElement store) {
    const std::vector<ExprId> source_indices = store.indices;
    writer_.set_place(kernel_.statements[at_].place);
    // What the text evaluates first, first.
    const auto [update, operand] = updated(store);
    ExprId value = this->value(operand);
    for (ExprId& index : store.indices) {
      index = this->value(index);
    }
    writer_.set_place(kernel_.statements[at_].place);
    value = held(value, "value");
    const Access access = this->access(source_indices, {writer_.read(store.array), store.indices});
    note(access, update == Update::Replace ? "write" : "update");
    if (open_->may_join(kernel_, access, before_) &&
        open_->may_write(kernel_, store.array, value, before_)) {
      open_->join(
          kernel_, *out_, before_,
          scans_.write_part(store.array, access, store.lenient, value, update, open_->counter()));
      before_.clear();
    } else {
      begin(scans_.write(store.array, access, store.lenient, value, update), access);
    }
    open_->wrote();
  }

  /// `a[k] = a[k] + v`, `a[k] = v + a[k]`, `a[k] = a[k] - v`: what is done to the element, and `v`.
  auto updated(const StoreElement& store) const -> std::pair<Update, ExprId> {
    const auto* binary = std::get_if<Binary>(&kernel_.exprs[store.value].node);
    if (binary != nullptr && is_target(store, binary->left)) {
      if (binary->op == Operator::Add) {
        return {Update::Add, binary->right};
      }
      if (binary->op == Operator::Sub) {
        return {Update::Subtract, binary->right};
      }
    }
    if (binary != nullptr && binary->op == Operator::Add && is_target(store, binary->right)) {
      return {Update::Add, binary->left};
    }
    return {Update::Replace, store.value};
  }

  auto is_target(const StoreElement& store, ExprId expr) const -> bool {
    const auto* element = std::get_if<Element>(&kernel_.exprs[expr].node);
    const auto* array =
        element == nullptr ? nullptr : std::get_if<Read>(&kernel_.exprs[element->array].node);
    if (array == nullptr || array->variable != store.array ||
        element->indices.size() != store.indices.size()) {
      return false;
    }
    for (size_t k = 0; k < store.indices.size(); ++k) {
      if (!same_expr(kernel_, element->indices[k], store.indices[k])) {
        return false;
      }
    }
    return true;
  }

  auto rotation(const Rotate& rotate) -> ExprId {
    const Type type = writer_.type(rotate.operand);
    const int64_t n = type.extents.front();
    const ExprId extent = writer_.integer(n);
    ExprId by = writer_.binary(Operator::Mod, writer_.cast(rotate.by, engine::kI64), extent);
    by = held(by, "by");
    const ExprId raised = writer_.binary(Operator::Add, by, extent);
    by = held(writer_.pick(writer_.binary(Operator::Lt, by, writer_.integer(0)), raised, by), "by");
    rewriting_.rewrites.push_back({RewriteKind::Access,
                                   kernel_.exprs[rotate.by].place,
                                   fmt::format("a selection among all {} rotations", n),
                                   {n, n_elements(type) * n, n}});
    is_changed_ = true;
    if (is_bound(rotate.operand) || is_bound(by)) {
      flush();
      return scans_.rotation(rotate.operand, by);
    }
    const VariableId picked = writer_.mutable_variable("rotated", type);
    before_.push_back(writer_.assign(picked, writer_.zero(type)));
    const ScanWriter::Scan scan = scans_.rotation(rotate.operand, by, picked);
    before_.push_back(scan.loop);
    flush();
    return writer_.read(picked);
  }

  void note(const Access& access, std::string_view done) {
    const RewriteCost cost = scans_.cost(access);
    std::string of;
    if (const auto* array = std::get_if<Read>(&kernel_.exprs[access.array].node)) {
      of = fmt::format(" of `{}`", kernel_.variables[array->variable].name);
    }
    rewriting_.rewrites.push_back(
        {RewriteKind::Access, kernel_.exprs[access.array].place,
         fmt::format("a scan over {} elements{} to {} one", cost.iterations, of, done), cost});
    is_changed_ = true;
  }

  Rewriting& rewriting_;
  const Kernel source_;  ///< what the analysis speaks of
  const Secrecy secrecy_;
  Kernel& kernel_;
  Writer writer_;
  ScanWriter scans_;
  StatementId at_{};               ///< whose expressions are being rewritten
  Block* out_ = nullptr;           ///< the block in front of it
  OpenScan* open_ = nullptr;       ///< the last scan in that block
  Block before_;                   ///< what the next scan needs, not in the block yet
  std::vector<VariableId> bound_;  ///< indices of the `for` expressions around
  bool is_changed_ = false;
};

}  // namespace

auto scan_accesses(Rewriting& rewriting) -> bool {
  return may_scan_accesses(rewriting) && ScanAccesses(rewriting).run();
}

}  // namespace tacet::oblivious
