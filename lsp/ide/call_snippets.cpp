#include "lsp/ide/call_snippets.h"

#include <fmt/format.h>

#include "lsp/ide/signature_help.h"

namespace tacet::ide {

auto snippet_escaped(std::string_view text) -> std::string {
  std::string out;
  for (const char c : text) {
    if (c == '$' || c == '}' || c == '\\') {
      out += '\\';
    }
    out += c;
  }
  return out;
}

namespace {

/// Numbers places in the order in which they are visited.
class PlaceWriter {
 public:
  auto place(std::string_view name) -> std::string {
    return fmt::format("${{{}:{}}}", ++n_places_, snippet_escaped(name));
  }
  /// One of the words that `|` stands between.
  auto choice(std::string_view words) -> std::string {
    std::string all(words);
    for (char& c : all) {
      c = c == '|' ? ',' : c;
    }
    return fmt::format("${{{}|{}|}}", ++n_places_, all);
  }

 private:
  int n_places_ = 0;
};

/// Behind a parameter, or as one, stands for more.
constexpr std::string_view kMore = "…";

/// `future…` is any number of them, and `to p` keeps its keyword.
auto argument_place(std::string_view parameter, PlaceWriter& places) -> std::string {
  if (parameter.ends_with(kMore)) {
    parameter.remove_suffix(kMore.size());
  }
  return parameter.find('|') == std::string_view::npos ? places.place(parameter)
                                                       : places.choice(parameter);
}

}  // namespace

auto call_snippet(const program::FrontendSnapshot& snapshot, names::ItemId item,
                  std::string_view name) -> std::string {
  const names::ItemKind kind = snapshot.item_key(item).kind;
  const bool is_called = names::is_specification(kind) || kind == names::ItemKind::Feq ||
                         kind == names::ItemKind::Fn || kind == names::ItemKind::Extern;
  if (!is_called) {
    return {};
  }
  const auto signature = snapshot.signature(item);
  PlaceWriter places;
  std::string values;
  for (uint32_t i = 0; i < signature->n_dims; ++i) {
    values += (i == 0 ? "" : ", ") + places.place(fmt::format("dim{}", i));
  }
  std::string arguments;
  for (const types::SignatureParameter& parameter : signature->parameters) {
    const std::string text =
        parameter.name.has_value()
            ? std::string(snapshot.interner().text(parameter.name))
            : types::type_text(snapshot.types(), snapshot.interner(), parameter.type);
    arguments += (arguments.empty() ? "" : ", ") + places.place(text);
  }
  return fmt::format("{}{}({})", name, values.empty() ? "" : fmt::format("'<{}>", values),
                     arguments);
}

auto call_snippet(names::Builtin builtin) -> std::string {
  const std::string_view name = names::builtin_text(builtin);
  std::string_view head = names::builtin_documentation(builtin);
  head = head.substr(1, head.find('`', 1) - 1);
  PlaceWriter places;
  std::string out(name);
  if (head.substr(name.size(), 1) == "'") {
    const size_t end = head.find('(');
    out += "'" + places.place(head.substr(name.size() + 1, end - name.size() - 1));
    head.remove_prefix(end - name.size());
  }
  std::string arguments;
  const std::string plain = fmt::format("{}{}", name, head.substr(name.size()));
  for (const TextRange range : parameters_of_head(plain, name)) {
    const std::string_view parameter = std::string_view(plain).substr(range.begin, range.length());
    if (parameter != kMore) {
      arguments += (arguments.empty() ? "" : ", ") + argument_place(parameter, places);
    }
  }
  return fmt::format("{}({})", out, arguments);
}

}  // namespace tacet::ide
