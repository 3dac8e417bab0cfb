#include "linter/rewrite_fix.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "compiler/core/diagnostics/code.h"
#include "compiler/device/kernel/print.h"
#include "compiler/device/kernel/walk.h"
#include "compiler/device/loops/combine_iterations.h"
#include "compiler/device/oblivious/make_oblivious.h"
#include "compiler/front/names/file_items.h"

namespace tacet::linter {

using kernel::Block;
using kernel::Kernel;
using kernel::Statement;
using kernel::StatementId;
using kernel::VariableId;
using syntax::Node;
using syntax::NodeKind;

namespace {

/// Statements of a block before and after, of which those in the middle differ.
struct Difference {
  Block before, after;
  size_t n_front = 0, n_back = 0;  ///< the others, which are the same
};

/// The blocks that a statement holds itself.
auto blocks_of(const Statement& statement) -> std::vector<const Block*> {
  std::vector<const Block*> blocks;
  kernel::visit_blocks(statement, [&](const Block& block) { blocks.push_back(&block); });
  return blocks;
}

/// Is what the statement does itself the same, whatever is in its blocks? Passes add expressions
/// and never change one.
auto same_head(const Statement& a, const Statement& b) -> bool {
  const auto without_blocks = [](Statement statement) {
    kernel::visit_blocks(statement, [](Block& block) { block.clear(); });
    return statement;
  };
  return without_blocks(a) == without_blocks(b);
}

class Differ {
 public:
  Differ(const Kernel& before, const Kernel& after) : before_(before), after_(after) {}

  /// Where two blocks differ: in one statement's only block that does, as deep as that goes.
  auto find(const Block& a, const Block& b) const -> Difference {
    size_t n_front = 0;
    while (n_front < a.size() && n_front < b.size() && same(a[n_front], b[n_front])) {
      ++n_front;
    }
    size_t n_back = 0;
    while (n_back < a.size() - n_front && n_back < b.size() - n_front &&
           same(a[a.size() - 1 - n_back], b[b.size() - 1 - n_back])) {
      ++n_back;
    }
    const auto middle = [&](const Block& all) {
      return Block(all.begin() + static_cast<std::ptrdiff_t>(n_front),
                   all.end() - static_cast<std::ptrdiff_t>(n_back));
    };
    Difference found{middle(a), middle(b), n_front, n_back};
    if (found.before.empty() && n_back > 0) {  // something was put in front: of this
      add_next(a, b, found);
    }
    return found;
  }

  /// Takes one more of those that are the same: the next one, or the one in front.
  static void add_next(const Block& a, const Block& b, Difference& difference) {
    difference.before.push_back(a[a.size() - difference.n_back]);
    difference.after.push_back(b[b.size() - difference.n_back]);
    --difference.n_back;
  }
  static void add_previous(const Block& a, Difference& difference) {
    --difference.n_front;
    difference.before.insert(difference.before.begin(), a[difference.n_front]);
    difference.after.insert(difference.after.begin(), a[difference.n_front]);
  }

  auto same(StatementId a, StatementId b) const -> bool {
    const Statement& left = before_.statements[a];
    const Statement& right = after_.statements[b];
    if (!same_head(left, right)) {
      return false;
    }
    const auto inner_left = blocks_of(left);
    const auto inner_right = blocks_of(right);
    return std::equal(inner_left.begin(), inner_left.end(), inner_right.begin(), inner_right.end(),
                      [&](const Block* x, const Block* y) {
                        return std::equal(x->begin(), x->end(), y->begin(), y->end(),
                                          [&](StatementId p, StatementId q) { return same(p, q); });
                      });
  }

  auto before() const -> const Kernel& { return before_; }
  auto after() const -> const Kernel& { return after_; }

 private:
  const Kernel& before_;
  const Kernel& after_;
};

/// Statements of the text that are in one block without a value: what they are replaced by are
/// statements again.
class SourceBlock {
 public:
  explicit SourceBlock(Node block) : block_(block) {}

  /// The innermost such block around `range`; null if there is none.
  static auto around(const syntax::Tree& tree, TextRange range) -> std::optional<SourceBlock> {
    const Node function = names::item_node(tree);
    Node block = function.child(syntax::Field::Body);
    if (!block || !block.range().contains(range)) {
      return std::nullopt;
    }
    for (Node inner = inner_block(block, range); inner; inner = inner_block(inner, range)) {
      block = inner;
    }
    return SourceBlock(block);
  }

  /// The statements that `range` touches, as a whole.
  auto statements(TextRange range) const -> std::optional<TextRange> {
    std::optional<TextRange> all;
    for (Node child : block_.children()) {
      const TextRange own = child.range();
      const bool is_touched = own.begin < range.end && range.begin < own.end;
      if (is_touched && syntax::is_named(child.kind())) {
        all = all ? cover(*all, own) : own;
      }
    }
    return all;
  }

 private:
  /// The body of a statement right in `block` that holds `range`.
  static auto inner_block(Node block, TextRange range) -> Node {
    for (Node child : block.children()) {
      if (!child.range().contains(range)) {
        continue;
      }
      const bool is_loop = child.is(NodeKind::ForStatement) || child.is(NodeKind::WhileStatement) ||
                           child.is(NodeKind::DoStatement);
      return is_loop ? body_with(child.child(syntax::Field::Body), range) : Node();
    }
    return {};
  }

  static auto body_with(Node body, TextRange range) -> Node {
    return body && body.range().contains(range) ? body : Node();
  }

  Node block_;
};

/// All variables that statements mention, and all that occur before them.
class Variables {
 public:
  explicit Variables(const Kernel& kernel) : kernel_(kernel) {}

  void add(const Block& block) {
    for (VariableId variable : kernel::variables_read(kernel_, block)) {
      all.insert(variable);
    }
    for (VariableId variable : kernel::variables_written(kernel_, block)) {
      all.insert(variable);
    }
  }

  std::set<VariableId> all;

 private:
  const Kernel& kernel_;
};

/// The writer of one fix.
class FixWriter {
 public:
  FixWriter(const Kernel& before, const Kernel& after, const syntax::Tree& tree, FileId own)
      : differ_(before, after), tree_(tree), own_(own) {}

  auto write() -> FixOrReason {
    Block before = differ_.before().body;
    Block after = differ_.after().body;
    std::set<VariableId> outer(differ_.before().parameters.begin(),
                               differ_.before().parameters.end());
    std::optional<std::pair<TextRange, std::string>> best;
    std::string reason = "the code cannot be separated from its surroundings";
    while (true) {
      const Difference difference = differ_.find(before, after);
      if (auto edit = edit_of(before, after, difference, outer, reason)) {
        best = std::move(edit);
      }
      add_before(before, difference, outer);
      if (!step_in(difference, before, after, outer)) {
        break;
      }
    }
    if (!best) {
      return reason;
    }
    if (without_unused(tree_.text.substr(best->first.begin, best->first.length())) ==
        without_unused(best->second)) {
      // Marks that text has not, such as that both sides of a choice are computed.
      return "the compiler's oblivious form has the same text";
    }
    return Fix{"make oblivious", Applicability::Safe, {{best->first, std::move(best->second)}}};
  }

 private:
  /// `let _ = …` for `let unused_2 = …`, as kernels call the second `_`, which the linter would
  /// have written as `_` again.
  static auto without_unused(const std::string& text) -> std::string {
    static constexpr std::string_view kUnused = "let unused";
    std::string result;
    size_t done = 0;
    for (size_t at = 0; (at = text.find(kUnused, at)) != std::string::npos;) {
      const size_t end = text.find_first_not_of("_0123456789", at + kUnused.size());
      if (end != std::string::npos && text[end] == ' ') {
        result += text.substr(done, at - done) + "let _";
        done = end;
      }
      at += kUnused.size();
    }
    return result + text.substr(done);
  }

  /// What occurs in front of a difference is declared there.
  void add_before(const Block& block, const Difference& difference,
                  std::set<VariableId>& outer) const {
    const Block front(block.begin(),
                      block.begin() + static_cast<std::ptrdiff_t>(difference.n_front));
    Variables variables(differ_.before());
    variables.add(front);
    outer.insert(variables.all.begin(), variables.all.end());
  }

  /// Goes into the only block that differs of the only statement that does.
  auto step_in(const Difference& difference, Block& before, Block& after,
               std::set<VariableId>& outer) const -> bool {
    if (difference.before.size() != 1 || difference.after.size() != 1) {
      return false;
    }
    const Statement& left = differ_.before().statements[difference.before[0]];
    const Statement& right = differ_.after().statements[difference.after[0]];
    if (!same_head(left, right)) {
      return false;
    }
    const auto inner_left = blocks_of(left);
    const auto inner_right = blocks_of(right);
    if (inner_left.size() != 1 || inner_right.size() != 1) {
      return false;
    }
    before = *inner_left[0];
    after = *inner_right[0];
    if (const auto* loop = std::get_if<kernel::For>(&left.node)) {
      outer.insert(loop->counter);
    }
    return true;
  }

  /// The statements of the text that a difference is about: one of the text may be several here,
  /// of which some stay the same.
  auto widened(const Block& before, const Block& after, Difference& difference,
               std::string& reason) const -> std::optional<TextRange> {
    while (true) {
      const auto statements = statements_of(difference, reason);
      if (!statements) {
        return std::nullopt;
      }
      const auto is_part = [&](StatementId id) {
        const FileRange place = differ_.before().statements[id].place;
        return place.file == own_ && statements->contains(place.range);
      };
      if (difference.n_front > 0 && is_part(before[difference.n_front - 1])) {
        Differ::add_previous(before, difference);
      } else if (difference.n_back > 0 && is_part(before[before.size() - difference.n_back])) {
        Differ::add_next(before, after, difference);
      } else {
        return statements;
      }
    }
  }

  auto statements_of(const Difference& difference, std::string& reason) const
      -> std::optional<TextRange> {
    std::optional<TextRange> range;
    for (StatementId id : difference.before) {
      const FileRange place = differ_.before().statements[id].place;
      if (place.file != own_) {
        reason = "the code is in another function that is inlined here";
        return std::nullopt;
      }
      range = range ? cover(*range, place.range) : place.range;
    }
    const auto block = range ? SourceBlock::around(tree_, *range) : std::nullopt;
    return block ? block->statements(*range) : std::nullopt;
  }

  /// The replacement of the statements of the text that a difference is about.
  auto edit_of(const Block& before_block, const Block& after_block, Difference difference,
               std::set<VariableId> outer, std::string& reason) const
      -> std::optional<std::pair<TextRange, std::string>> {
    if (difference.before.empty() || difference.after.empty()) {
      return std::nullopt;
    }
    const auto statements = widened(before_block, after_block, difference, reason);
    if (!statements || others_are_in(*statements, difference)) {
      return std::nullopt;
    }
    add_before(before_block, difference, outer);
    // What is declared here and used behind keeps its name as well.
    std::set<VariableId> named = outer;
    Variables behind(differ_.before());
    behind.add(Block(before_block.end() - static_cast<std::ptrdiff_t>(difference.n_back),
                     before_block.end()));
    named.insert(behind.all.begin(), behind.all.end());
    if (!names_are_those_of_the_text(difference, named)) {
      reason = "names in the code are shadowed";
      return std::nullopt;
    }
    return std::pair(*statements, text_of(difference.after, outer, *statements));
  }

  /// Do statements that stay have their place in what would be replaced?
  auto others_are_in(TextRange range, const Difference& difference) const -> bool {
    const Kernel& kernel = differ_.before();
    std::set<StatementId> replaced;
    kernel::walk_statements(kernel, difference.before,
                            [&](StatementId id) { replaced.insert(id); });
    bool is_found = false;
    kernel::walk_statements(kernel, kernel.body, [&](StatementId id) {
      const FileRange place = kernel.statements[id].place;
      is_found =
          is_found || (!replaced.contains(id) && place.file == own_ && range.contains(place.range));
    });
    return is_found;
  }

  auto names_are_those_of_the_text(const Difference& difference,
                                   const std::set<VariableId>& named) const -> bool {
    Variables used(differ_.after());
    used.add(difference.after);
    return std::all_of(used.all.begin(), used.all.end(), [&](VariableId id) {
      if (!named.contains(id)) {
        return true;
      }
      const kernel::Variable& variable = differ_.after().variables[id];
      const TextRange place = variable.place.range;
      return variable.place.file == own_ && place.end <= tree_.text.size() &&
             std::string_view(tree_.text).substr(place.begin, place.length()) == variable.name;
    });
  }

  /// `statements` as text in the place of `replaced`, with the comments that are there.
  auto text_of(const Block& statements, const std::set<VariableId>& outer, TextRange replaced) const
      -> std::string {
    Kernel part = differ_.after();
    part.body = statements;
    for (VariableId variable : outer) {  // declared already
      part.variables[variable].kind = kernel::VariableKind::Parameter;
    }
    const std::string printed = kernel::print(part);
    const std::string_view text = tree_.text;
    const size_t line = text.rfind('\n', replaced.begin);
    const size_t begin = line == std::string_view::npos ? 0 : line + 1;
    const size_t code = std::min(text.find_first_not_of(" \t", begin), size_t{replaced.begin});
    const std::string indentation(text.substr(begin, code - begin));
    std::string result;
    const auto add_line = [&](std::string_view written) {
      result += result.empty() ? std::string(written) : "\n" + indentation + std::string(written);
    };
    for (const syntax::Comment& comment : tree_.comments) {
      if (replaced.contains(comment.range)) {
        add_line(text.substr(comment.range.begin, comment.range.length()));
      }
    }
    // The head of the function and its last brace are not wanted, nor one step of indentation.
    static constexpr size_t kIndentation = 4;
    size_t at = printed.find('\n') + 1;
    const size_t end = printed.rfind('}');
    while (at < end) {
      const size_t next = printed.find('\n', at);
      add_line(std::string_view(printed).substr(at + kIndentation, next - at - kIndentation));
      at = next + 1;
    }
    return result;
  }

  Differ differ_;
  const syntax::Tree& tree_;
  FileId own_;
};

/// The statement that a finding is about: a branch or loop is found at its condition.
auto statement_of(const Kernel& kernel, FileRange condition) -> FileRange {
  FileRange place = condition;
  kernel::walk_statements(kernel, kernel.body, [&](StatementId id) {
    const Statement& statement = kernel.statements[id];
    kernel::visit_exprs(statement, [&](kernel::ExprId expr) {
      if (kernel.exprs[expr].place == condition && !blocks_of(statement).empty()) {
        place = statement.place;
      }
    });
  });
  return place;
}

auto place_to_rewrite(const Kernel& kernel, const Diagnostic& finding) -> FileRange {
  const bool is_about_condition =
      finding.code == DiagnosticCode::T5001 || finding.code == DiagnosticCode::T5002;
  return is_about_condition ? statement_of(kernel, finding.place) : finding.place;
}

}  // namespace

auto rewrite_fix(const Kernel& kernel, const Diagnostic& finding, const syntax::Tree& tree)
    -> FixOrReason {
  const oblivious::ObliviousForm form =
      oblivious::make_oblivious_at(kernel, place_to_rewrite(kernel, finding));
  if (form.rewrites.empty()) {
    return form.diagnostics.empty() ? std::string("the compiler would not change it")
                                    : form.diagnostics.front().message;
  }
  return FixWriter(kernel, form.kernel, tree, finding.place.file).write();
}

auto combined_loop_fix(const Kernel& kernel, FileRange loop, const syntax::Tree& tree)
    -> FixOrReason {
  const oblivious::ObliviousForm form = oblivious::make_oblivious_at(kernel, loop);
  const loops::Combined combined = loops::combine_iterations(
      form.kernel,
      [&](const Kernel& in, StatementId id) { return in.statements[id].place != loop; });
  if (combined.loops.empty()) {
    return std::string("iterations have no form that a tree could combine");
  }
  FixOrReason fix = FixWriter(kernel, combined.kernel, tree, loop.file).write();
  if (auto* edit = std::get_if<Fix>(&fix)) {
    edit->title = "combine the iterations as a tree";
  }
  return fix;
}

}  // namespace tacet::linter
