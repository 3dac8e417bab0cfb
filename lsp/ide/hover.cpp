#include "lsp/ide/hover.h"

#include <fmt/format.h>

namespace tacet::ide {

auto hover(const check::FrontendSnapshot& snapshot, FileId file, uint32_t offset)
    -> std::optional<Hover> {
  auto data = snapshot.hover(file, offset);
  if (!data) {
    return std::nullopt;
  }
  std::string markdown = fmt::format("```tacet\n{}\n```", data->code);
  if (!data->documentation.empty()) {
    markdown += fmt::format("\n---\n{}", data->documentation);
  }
  if (!data->node.empty()) {
    markdown += fmt::format("\n---\nImplements `{}`", data->node);
  }
  std::string specifications;
  for (names::ItemId specification : data->specifications) {
    if (specification.has_value()) {
      specifications += snapshot.describe(specification) + "\n";
    }
  }
  if (!specifications.empty()) {
    markdown += fmt::format("\n---\nSpecified by\n```tacet\n{}```", specifications);
  }
  return Hover{data->range, std::move(markdown)};
}

}  // namespace tacet::ide
