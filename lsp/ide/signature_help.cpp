#include "lsp/ide/signature_help.h"

#include <algorithm>

#include "lsp/ide/completion_site.h"

namespace tacet::ide {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

/// Behind `name(` or `name'<T: number, n>(`.
static auto begin_of_parameters(std::string_view head, std::string_view name) -> size_t {
  const std::string generic = std::string(name) + "'<";
  size_t at = head.find(generic);
  if (at == std::string_view::npos) {
    at = head.find(std::string(name) + "(");
    return at == std::string_view::npos ? at : at + name.size() + 1;
  }
  int depth = 1;
  for (at += generic.size(); at < head.size() && depth > 0; ++at) {
    depth += head[at] == '<' ? 1 : head[at] == '>' ? -1 : 0;
  }
  return at < head.size() && head[at] == '(' ? at + 1 : std::string_view::npos;
}

auto parameters_of_head(std::string_view head, std::string_view name) -> std::vector<TextRange> {
  std::vector<TextRange> parameters;
  const size_t first = begin_of_parameters(head, name);
  if (first == std::string_view::npos) {
    return parameters;
  }
  size_t begin = first;
  int depth = 0;
  for (size_t i = first; i < head.size(); ++i) {
    const char c = head[i];
    const bool is_arrow = c == '>' && head[i - 1] == '-';
    if (depth == 0 && (c == ',' || c == ')')) {
      while (begin < i && head[begin] == ' ') {
        ++begin;
      }
      if (begin < i) {
        parameters.push_back({static_cast<uint32_t>(begin), static_cast<uint32_t>(i)});
      }
      begin = i + 1;
      if (c == ')') {
        break;
      }
    } else if (c == '(' || c == '[' || c == '{' || c == '<') {
      ++depth;
    } else if (!is_arrow && (c == ')' || c == ']' || c == '}' || c == '>')) {
      --depth;
    }
  }
  return parameters;
}

namespace {

/// A call that is being written.
struct OpenCall {
  uint32_t function = 0;  ///< where its name begins in the file
  uint32_t n_before = 0;  ///< arguments in front of the cursor
};

}  // namespace

/// Where a name could be made up: in front of a number that the cursor is in.
static auto in_front_of_number(std::string_view text, uint32_t offset) -> uint32_t {
  const auto is_word = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  uint32_t begin = offset;
  while (begin > 0 && (is_word(text[begin - 1]) || text[begin - 1] == '.')) {
    --begin;
  }
  const bool is_number = begin < offset && text[begin] >= '0' && text[begin] <= '9';
  return is_number ? begin : offset;
}

static auto open_call(const CompletionSite& site) -> std::optional<OpenCall> {
  for (auto node = site.path.rbegin(); node != site.path.rend(); ++node) {
    if (!node->is(NodeKind::Arguments) || node + 1 == site.path.rend()) {
      continue;
    }
    const Node function = (node + 1)->child(Field::Function);
    if (!function.is(NodeKind::Identifier)) {
      return std::nullopt;
    }
    OpenCall call{site.in_file(function).begin, 0};
    for (Node child : node->children()) {
      call.n_before += child.is(NodeKind::Comma) ? 1 : 0;
    }
    return call;
  }
  return std::nullopt;
}

static auto signature(std::string head, std::string documentation, std::string_view name)
    -> SignatureHelp::Signature {
  std::vector<TextRange> parameters = parameters_of_head(head, name);
  return {std::move(head), std::move(documentation), std::move(parameters)};
}

/// What a built-in function's documentation says in front of the colon: `` `rotate(a, k)`: … ``.
static auto builtin_signatures(names::Builtin builtin) -> std::vector<SignatureHelp::Signature> {
  const std::string_view documentation = names::builtin_documentation(builtin);
  std::vector<SignatureHelp::Signature> found;
  size_t end = 0;
  // Several heads are listed in sequence, each between backticks.
  for (size_t begin = 0; documentation.substr(begin, 1) == "`"; begin = end + 1) {
    end = documentation.find('`', begin + 1);
    if (end == std::string_view::npos) {
      break;
    }
    found.push_back(signature(std::string(documentation.substr(begin + 1, end - begin - 1)), {},
                              names::builtin_text(builtin)));
    if (documentation.substr(end + 1, 2) == ", ") {
      end += 2;
    }
  }
  const size_t text = documentation.find(": ", end);
  for (SignatureHelp::Signature& one : found) {
    one.documentation = text == std::string_view::npos ? "" : documentation.substr(text + 2);
  }
  return found;
}

static auto is_callable(names::ItemKind kind) -> bool {
  return names::is_specification(kind) || kind == names::ItemKind::Extern ||
         kind == names::ItemKind::Fn;
}

static auto signatures_of(const program::FrontendSnapshot& snapshot, const program::Entity& entity)
    -> std::vector<SignatureHelp::Signature> {
  if (entity.meaning.is(names::Meaning::Builtin)) {
    return builtin_signatures(static_cast<names::Builtin>(entity.meaning.index()));
  }
  if (!entity.item.has_value()) {
    return {};
  }
  std::vector<names::ItemId> items = {entity.item};
  if (snapshot.item_key(entity.item).kind == names::ItemKind::Feq) {
    items = snapshot.equivalence_class(entity.item)->members;
  }
  std::vector<SignatureHelp::Signature> found;
  for (names::ItemId item : items) {
    const names::ItemKey& key = snapshot.item_key(item);
    if (is_callable(key.kind) && key.name.has_value()) {
      found.push_back(signature(snapshot.describe(item), snapshot.documentation(item),
                                snapshot.interner().text(key.name)));
    }
  }
  return found;
}

auto signature_help(const program::FrontendSnapshot& snapshot, FileId file, uint32_t offset)
    -> std::optional<SignatureHelp> {
  const auto syntax = snapshot.query().get<syntax::ParseFile>(file);
  const auto text = snapshot.query().get<syntax::SourceText>(file).text;
  const auto site = find_completion_site(*syntax, *text, in_front_of_number(*text, offset));
  const std::optional<OpenCall> call = site ? open_call(*site) : std::nullopt;
  const auto entity = call ? snapshot.entity_at(file, call->function) : std::nullopt;
  if (!entity) {
    return std::nullopt;
  }
  SignatureHelp help;
  help.signatures = signatures_of(snapshot, *entity);
  if (help.signatures.empty()) {
    return std::nullopt;
  }
  help.parameter = call->n_before;
  const auto fitting =
      std::find_if(help.signatures.begin(), help.signatures.end(),
                   [&](const auto& one) { return one.parameters.size() > call->n_before; });
  help.active =
      fitting == help.signatures.end() ? 0 : static_cast<size_t>(fitting - help.signatures.begin());
  return help;
}

}  // namespace tacet::ide
