#include "compiler/views/emit/print_tree.h"

namespace tacet::emit {

auto print_tree(const syntax::FileSyntax& file) -> std::string {
  std::string text = "source_file\n";
  for (const syntax::Unit& unit : file.units) {
    const std::string tree = syntax::dump(unit.tree->root());
    text += tree.substr(tree.find('\n') + 1);
  }
  return text;
}

}  // namespace tacet::emit
