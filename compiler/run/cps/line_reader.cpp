#include "compiler/run/cps/line_reader.h"

#include <fmt/format.h>

#include <charconv>
#include <string>

#include "compiler/run/interpret/value.h"

namespace tacet::cps {

static auto is_of_word(char c) -> bool {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || c == '\'' || c == '-' || c == '+';
}

void LineReader::skip_spaces() {
  while (!text_.empty() && text_.front() == ' ') {
    text_.remove_prefix(1);
  }
}

auto LineReader::at_end() -> bool {
  skip_spaces();
  return text_.empty();
}

auto LineReader::next() -> std::string_view {
  skip_spaces();
  size_t n = 0;
  if (text_.starts_with("->")) {
    n = 2;
  } else {
    while (n < text_.size() && is_of_word(text_[n])) {
      ++n;
    }
    n = n == 0 && !text_.empty() ? 1 : n;
  }
  const std::string_view word = text_.substr(0, n);
  text_.remove_prefix(n);
  return word;
}

auto LineReader::take(std::string_view word) -> bool {
  if (peek() != word) {
    return false;
  }
  next();
  return true;
}

auto LineReader::quoted() -> std::optional<std::string_view> {
  const size_t end = text_.find('"');
  if (end == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view result = text_.substr(0, end);
  text_.remove_prefix(end + 1);
  return result;
}

auto LineReader::number() -> std::optional<uint64_t> {
  const std::string_view word = next();
  uint64_t result = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), result);
  const bool is_good = error == std::errc() && end == word.data() + word.size() && !word.empty();
  return is_good ? std::optional(result) : std::nullopt;
}

auto LineReader::type(ProgramTables& tables) -> std::optional<TypeId> {
  Type result;
  if (take("Encoder")) {
    result.kind = TypeKind::Encoder;
  } else if (take("Future")) {
    result.kind = TypeKind::Future;
  } else if (take("Event")) {
    result.kind = TypeKind::Event;
  } else if (take("BufferSpace")) {
    result.kind = TypeKind::BufferSpace;
  } else {
    if (take("&")) {
      result.kind = take("mut") ? TypeKind::MutableReference : TypeKind::Reference;
    } else if (take("var")) {
      result.kind = TypeKind::Variable;
    } else if (take("remote")) {
      result.kind = TypeKind::Remote;
    }
    const bool is_array = take("[");
    std::string name(next());
    if (take("<")) {
      name += fmt::format("<{}>", next());
      if (!take(">")) {
        return std::nullopt;
      }
    }
    if (!engine::find_element_type(name, result.element)) {
      return std::nullopt;
    }
    for (std::string_view between = ";"; is_array && !take("]"); between = ",") {
      const bool is_there = take(between);
      const std::optional<uint64_t> extent = number();
      if (!is_there || !extent) {
        return std::nullopt;
      }
      result.shape.push_back(*extent);
    }
  }
  return tables.type(result);
}

auto LineReader::op(types::Operator& op) -> bool {
  return find_operator(next(), op);
}

auto read_element(engine::ElementType type, std::string_view text) -> uint64_t {
  const bool is_negative = text.substr(0, 1) == "-";
  if (is_negative && engine::is_integer(type.kind)) {
    return engine::evaluate(engine::UnaryOperation::Negate, type,
                            interpret::literal_cell(type, text.substr(1)));
  }
  return interpret::literal_cell(type, text);
}

auto find_operator(std::string_view name, types::Operator& op) -> bool {
  constexpr types::Operator kAll[] = {
#define TACET_OPERATOR(Name, text, token, arity, operands, relation, result) types::Operator::Name,
#include "engine/program/common/operators.def"
  };
  for (types::Operator candidate : kAll) {
    if (types::scheme_of(candidate).name == name) {
      op = candidate;
      return true;
    }
  }
  return false;
}

}  // namespace tacet::cps
