#include "lsp/ide/folding.h"

#include <algorithm>

namespace tacet::ide {

using syntax::NodeKind;

/// What stands between the braces of one unit, which may be unbalanced in a broken one.
static void fold_braces(const syntax::Unit& unit, std::vector<Fold>& folds) {
  std::vector<uint32_t> open;
  for (const syntax::NodeData& node : unit.tree->nodes) {
    if (node.kind == NodeKind::LeftBrace) {
      open.push_back(node.begin);
    } else if (node.kind == NodeKind::RightBrace && !open.empty()) {
      folds.push_back({TextRange{open.back(), node.end}.shifted(unit.begin), FoldKind::Block});
      open.pop_back();
    }
  }
}

/// Is there nothing but white space and at most one line end in `text[begin, end)`?
static auto is_line_break(std::string_view text, uint32_t begin, uint32_t end) -> bool {
  std::string_view between = text.substr(begin, end - begin);
  auto n_ends = std::count(between.begin(), between.end(), '\n');
  return n_ends <= 1 && between.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

static void fold_comments(const syntax::Unit& unit, std::vector<Fold>& folds) {
  const std::string& text = unit.tree->text;
  TextRange run;  // empty: none
  auto end_run = [&] {
    if (!run.is_empty()) {
      folds.push_back({run.shifted(unit.begin), FoldKind::Comment});
      run = {};
    }
  };
  for (const syntax::Comment& comment : unit.tree->comments) {
    if (comment.kind == syntax::CommentKind::Block) {
      end_run();
      folds.push_back({comment.range.shifted(unit.begin), FoldKind::Comment});
    } else if (!run.is_empty() && is_line_break(text, run.end, comment.range.begin)) {
      run.end = comment.range.end;
    } else {
      end_run();
      run = comment.range;
    }
  }
  end_run();
}

static void fold_imports(const syntax::FileSyntax& file, std::vector<Fold>& folds) {
  TextRange run;  // empty: none
  auto end_run = [&] {
    if (!run.is_empty()) {
      folds.push_back({run, FoldKind::Imports});
      run = {};
    }
  };
  for (const syntax::Unit& unit : file.units) {
    syntax::Node item = unit.item();
    if (item.is(NodeKind::ImportItem)) {
      TextRange range = item.range().shifted(unit.begin);
      run = run.is_empty() ? range : cover(run, range);
    } else if (item) {
      end_run();
    }
  }
  end_run();
}

auto folding_ranges(const syntax::FileSyntax& file) -> std::vector<Fold> {
  std::vector<Fold> folds;
  for (const syntax::Unit& unit : file.units) {
    fold_braces(unit, folds);
    fold_comments(unit, folds);
  }
  fold_imports(file, folds);
  std::sort(folds.begin(), folds.end(),
            [](const Fold& a, const Fold& b) { return a.range.begin < b.range.begin; });
  return folds;
}

}  // namespace tacet::ide
