#include "compiler/views/emit/print_draws.h"

#include <fmt/format.h>

#include "compiler/device/draws/elaborate.h"

namespace tacet::emit {

using names::ItemId;
using names::ItemKind;

static auto words(uint32_t n_iterations, std::string last) -> std::string {
  std::string text;
  for (uint32_t i = 0; i < n_iterations; ++i) {
    text += " iteration";
  }
  text += last.empty() ? "" : " " + last;
  return text.empty() ? " -" : text;
}

auto print_draws(const program::FrontendSnapshot& snapshot, FileId file, std::string_view text)
    -> std::string {
  draws::Elaborator elaborator(snapshot);
  const LineIndex lines(text);
  std::string out;
  for (const names::FileItem& item : snapshot.items(file)->items) {
    const draws::Elaboration found = item.kind == ItemKind::Fn || item.kind == ItemKind::Program
                                         ? elaborator.elaborate(item.id)
                                         : draws::Elaboration{};
    if (!found.uses_randomness()) {
      continue;
    }
    out += fmt::format("{}\n", snapshot.describe(item.id));
    const names::ItemTree tree = snapshot.tree(item.id);
    auto line = [&](uint32_t node, std::string_view name, const std::string& rest) {
      const uint32_t at =
          snapshot.item_begin(item.id) + syntax::Node(tree.get(), node).range().begin;
      const LineColumn place = lines.position(text, at, PositionEncoding::Utf8);
      out += fmt::format("  {:<8}{:<18}{}\n",
                         fmt::format("{}:{}", place.line + 1, place.column + 1), name, rest);
    };
    for (const draws::Draw& draw : found.draws) {
      const std::string bits = engine::bit_string_text(draw.bits);
      line(draw.node, names::builtin_text(draw.function),
           fmt::format("static {:<10} dynamic{}{}", bits.empty() ? "-" : bits,
                       words(draw.n_iterations, ""), draw.is_secret ? ", secret" : ""));
    }
    for (const draws::Call& call : found.calls) {
      line(call.node, snapshot.interner().text(snapshot.item_key(call.callee).name),
           fmt::format("{:<17} dynamic{}", "call",
                       words(call.n_iterations, fmt::format("{:x}", call.word))));
    }
  }
  return out;
}

}  // namespace tacet::emit
