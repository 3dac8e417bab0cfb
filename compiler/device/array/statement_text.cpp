#include "compiler/device/array/statement_text.h"

#include <algorithm>
#include <charconv>

#include "compiler/device/array/evaluate.h"
#include "compiler/device/array/expr_key.h"
#include "compiler/device/array/find_fault.h"
#include "compiler/device/array/index_formula.h"
#include "compiler/device/array/print.h"
#include "compiler/device/array/width.h"

namespace tacet::array {

using engine::HeToken;

/// Expressions in expressions: what walks programs does so by recursion.
static constexpr uint32_t kMostHeight = 4000;
static constexpr uint32_t kMostNesting = 1000;
static constexpr int64_t kMostElements = int64_t{1} << 31;

auto StatementReader::is_next_word() -> bool {
  const size_t start = position();
  take();
  const bool is = is_word();
  go_back(start);
  return is;
}

auto StatementReader::word(std::string_view what) -> std::string {
  if (!is_word()) {
    expected(what);
    return {};
  }
  return std::string(take());
}

auto StatementReader::magnitude() -> uint64_t {
  uint64_t value = 0;
  const std::string_view text = at().text;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (at().kind != HeToken::Kind::Number || end != text.data() + text.size() ||
      error != std::errc()) {
    expected("a whole number");
    return 0;
  }
  take();
  return value;
}

auto StatementReader::signed_number(uint64_t magnitude, bool is_negative, const HeToken& place)
    -> int64_t {
  const uint64_t most = static_cast<uint64_t>(INT64_MAX) + (is_negative ? 1 : 0);
  if (magnitude > most) {
    fail(place, "number does not fit in 64 bits");
    return 0;
  }
  return static_cast<int64_t>(is_negative ? 0 - magnitude : magnitude);
}

auto StatementReader::number() -> int64_t {
  const HeToken place = at();
  const bool is_negative = accept("-");
  return signed_number(magnitude(), is_negative, place);
}

auto StatementReader::extent() -> int64_t {
  const HeToken place = at();
  const int64_t value = number();
  if (problem().empty() && (value < 1 || value > kMostElements)) {
    fail(place, fmt::format("an extent must be between 1 and {}", kMostElements));
  }
  return problem().empty() ? value : 1;
}

void StatementReader::check_size(const std::vector<int64_t>& extents, const HeToken& place) {
  int64_t n = 1;
  for (const int64_t extent : extents) {
    if (__builtin_mul_overflow(n, extent, &n) || n > kMostElements) {
      fail(place, fmt::format("array has more than {} elements", kMostElements));
      return;
    }
  }
}

auto StatementReader::extents_in_brackets() -> std::vector<int64_t> {
  const HeToken place = at();
  want("[");
  std::vector<int64_t> extents = list("]", [&] { return extent(); });
  if (extents.empty()) {
    fail(place, "a scalar is written without brackets");
  }
  check_size(extents, place);
  return problem().empty() ? extents : std::vector<int64_t>();
}

void StatementReader::add_array(Array array, const HeToken& name) {
  const ArrayId id{static_cast<uint32_t>(program_.arrays.size())};
  if (!arrays_.try_emplace(array.name, id).second) {
    fail(name, fmt::format("`{}` is already defined", array.name));
  }
  program_.arrays.add(std::move(array));
}

auto StatementReader::add(Written written) -> size_t {
  if (written.kind == WrittenKind::Operation || written.kind == WrittenKind::Reduction) {
    written.height = written_[written.left].height + 1;
  }
  if (written.kind == WrittenKind::Operation) {
    written.height = std::max(written.height, written_[written.right].height + 1);
  }
  for (const size_t operand : written.operands) {
    written.height = std::max(written.height, written_[operand].height + 1);
  }
  if (written.height > kMostHeight) {
    fail(written.place, fmt::format("more than {} nested operations", kMostHeight));
  }
  written_.push_back(std::move(written));
  return written_.size() - 1;
}

auto StatementReader::dimension() -> WrittenTerm {
  WrittenTerm result;
  const bool is_factor = is("(") && is_next("(");
  if (is_factor) {
    take();
  }
  const bool is_in_parentheses = accept("(");
  result.dim = at();
  static_cast<void>(word("a dimension"));
  if (is_in_parentheses && accept("+")) {
    result.term.is_cyclic = true;
    result.term.shift = number();
    want(")");
    want("mod");
    result.modulus = number();
  } else if (is_in_parentheses) {
    want(")");
  }
  if (is_factor) {
    want(")");
  }
  return result;
}

void StatementReader::term(WrittenIndex& index, bool is_added) {
  const HeToken place = at();
  if (at().kind != HeToken::Kind::Number) {
    index.terms.push_back(dimension());
    index.terms.back().term.stride = is_added ? 1 : -1;
    return;
  }
  const int64_t factor = signed_number(magnitude(), !is_added, place);
  if (accept("*")) {
    index.terms.push_back(dimension());
    index.terms.back().term.stride = factor;
  } else if (__builtin_add_overflow(index.offset, factor, &index.offset)) {
    fail(place, "index does not fit in 64 bits");
  }
}

auto StatementReader::index() -> WrittenIndex {
  WrittenIndex result;
  result.place = at();
  term(result, !accept("-"));
  while (!is_done() && (is("+") || is("-"))) {
    const bool is_added = take() == "+";
    term(result, is_added);
  }
  return result;
}

auto StatementReader::site() -> size_t {
  Written result;
  result.kind = WrittenKind::Site;
  result.place = at();
  const std::string name = word("an expression");
  const auto array = arrays_.find(name);
  if (problem().empty() && array == arrays_.end()) {
    fail(result.place, fmt::format("`{}` is not defined before its use", name));
  }
  if (accept("[")) {
    result.indices = list("]", [&] { return index(); });
  }
  if (problem().empty()) {
    result.array = array->second;
    const size_t rank = program_.arrays[result.array].extents.size();
    if (rank != result.indices.size()) {
      fail(result.place, fmt::format("`{}` has {} dimensions", name, rank));
    }
  }
  return add(std::move(result));
}

auto StatementReader::reduction() -> size_t {
  Written result;
  result.kind = WrittenKind::Reduction;
  result.place = at();
  result.op = take() == "sum" ? Operator::Add : Operator::Multiply;
  want("[");
  result.dim.name = word("a dimension");
  want(":");
  result.dim.extent = extent();
  want("]");
  want("(");
  result.left = expression();
  want(")");
  return add(std::move(result));
}

auto StatementReader::function(FunctionKind kind, Width width) -> size_t {
  Written result;
  result.width = width;
  result.kind = WrittenKind::Function;
  result.place = at();
  result.function = kind;
  take();
  want("(");
  result.operands = list(")", [&] { return expression(); });
  return add(std::move(result));
}

auto StatementReader::atom() -> size_t {
  Written result;
  result.place = at();
  if (accept("(")) {
    const size_t inside = expression();
    want(")");
    return inside;
  }
  if (is_number()) {
    result.number = number();
    return add(std::move(result));
  }
  if (accept("%")) {
    result.kind = WrittenKind::Shared;
    result.number = number();
    return add(std::move(result));
  }
  if ((is("sum") || is("product")) && is_next("[")) {
    const size_t start = position();
    take();
    take();
    take();
    const bool is_reduction = is(":");
    go_back(start);
    if (is_reduction) {
      return reduction();
    }
  }
  for (const FunctionKind kind : kAllFunctions) {
    // Behind a mistake nothing is taken any more, and the same name would be met again.
    if (!is_done() && is(name_of(kind)) && is_next("(")) {
      return function(kind, {});
    }
    for (const Width width : kAllWidths) {
      if (!is_done() && width.bits != 0 && is(name_of(kind, width)) && is_next("(")) {
        return function(kind, width);
      }
    }
  }
  return site();
}

auto StatementReader::product() -> size_t {
  size_t result = atom();
  while (!is_done() && is("*")) {
    Written operation;
    operation.kind = WrittenKind::Operation;
    operation.place = at();
    take();
    operation.op = Operator::Multiply;
    operation.left = result;
    operation.right = atom();
    result = add(std::move(operation));
  }
  return result;
}

auto StatementReader::expression() -> size_t {
  if (++depth_ > kMostNesting) {
    fail(fmt::format("nested more than {} levels deep", kMostNesting));
  }
  size_t result = product();
  while (!is_done() && (is("+") || is("-"))) {
    Written operation;
    operation.kind = WrittenKind::Operation;
    operation.place = at();
    operation.op = take() == "+" ? Operator::Add : Operator::Subtract;
    operation.left = result;
    operation.right = product();
    result = add(std::move(operation));
  }
  --depth_;
  return result;
}

auto StatementReader::new_dim(const Dim& dim, const HeToken& place) -> DimId {
  const DimId id = statement_.dims.add(dim);
  if (!dims_.try_emplace(dim.name, id).second) {
    fail(place, fmt::format("dimension `{}` is defined twice", dim.name));
  }
  return id;
}

auto StatementReader::build_site(const Written& written) -> Site {
  Site site{written.array, {}};
  for (const WrittenIndex& from : written.indices) {
    ArrayIndex index;
    index.offset = from.offset;
    for (const WrittenTerm& each : from.terms) {
      const auto dim = dims_.find(each.dim.text);
      if (dim == dims_.end()) {
        fail(each.dim, fmt::format("unknown dimension `{}`", each.dim.text));
        return site;
      }
      IndexTerm term = each.term;
      term.dim = dim->second;
      const int64_t extent = statement_.dims[term.dim].extent;
      if (term.is_cyclic && (each.modulus != extent || term.shift < 1 || term.shift >= extent)) {
        fail(each.dim, fmt::format("`{0}` wraps around as `({0} + s) mod {1}`, with `s` in 1..{1}",
                                   each.dim.text, extent));
        return site;
      }
      const bool is_twice = std::any_of(index.terms.begin(), index.terms.end(),
                                        [&](const IndexTerm& t) { return t.dim == term.dim; });
      if (is_twice || term.stride == 0) {
        fail(each.dim, "a dimension must occur at most once in an index, with a nonzero factor");
        return site;
      }
      index.terms.push_back(term);
    }
    std::sort(index.terms.begin(), index.terms.end(),
              [](const IndexTerm& a, const IndexTerm& b) { return a.dim < b.dim; });
    if (!range_of(index, statement_.dims)) {
      fail(from.place, "index does not fit in 64 bits");
    }
    site.indices.push_back(std::move(index));
  }
  return site;
}

/// What a shared expression is, once it was built.
auto StatementReader::build_shared(const Written& written) -> ExprId {
  const auto shared = shared_.find(written.number);
  if (shared == shared_.end()) {
    fail(written.place, fmt::format("`%{}` is not defined", written.number));
    return {};
  }
  // Until it is built it is nothing, so that what contains itself is found.
  const auto [built, is_new] = built_.try_emplace(shared->second);
  if (is_new) {
    const ExprId id = build(shared->second);
    built_[shared->second] = id;
    return id;
  }
  if (!built->second.has_value()) {
    fail(written.place, fmt::format("`%{}` contains itself", written.number));
  }
  return built->second;
}

auto StatementReader::build(size_t at) -> ExprId {
  const Written& written = written_[at];
  if (depth_ > kMostHeight) {
    fail(written.place, fmt::format("nested more than {} levels deep", kMostHeight));
  }
  if (!problem().empty()) {
    return {};
  }
  ++depth_;
  Expr expr;
  switch (written.kind) {
    case WrittenKind::Shared: {
      const ExprId shared = build_shared(written);
      --depth_;
      return shared;
    }
    case WrittenKind::Number:
      expr.node = Literal{written.number};
      break;
    case WrittenKind::Site:
      expr.node = build_site(written);
      break;
    case WrittenKind::Operation: {
      const ExprId left = build(written.left);
      expr.node = Operation{written.op, left, build(written.right)};
      break;
    }
    case WrittenKind::Reduction: {
      const DimId dim = new_dim(written.dim, written.place);
      expr.node = Reduction{written.op, dim, build(written.left)};
      break;
    }
    case WrittenKind::Function: {
      Function function{written.function, {}, written.width};
      for (const size_t operand : std::vector<size_t>(written.operands)) {
        function.operands.push_back(build(operand));
      }
      expr.node = std::move(function);
      break;
    }
  }
  --depth_;
  const auto [known, is_new] = exprs_.try_emplace(key_of(expr));
  if (is_new && problem().empty()) {
    known->second = statement_.exprs.add(std::move(expr));
  }
  return known->second;
}

void StatementReader::statement() {
  written_.clear();
  shared_.clear();
  built_.clear();
  dims_.clear();
  exprs_.clear();
  statement_ = {};
  const HeToken place = at();
  Array result;
  result.owner = Owner::Computed;
  result.name = word("a statement");
  if (accept("[")) {
    list("]", [&] {
      const HeToken dim_place = at();
      Dim dim;
      dim.name = word("a dimension");
      want(":");
      dim.extent = extent();
      result.extents.push_back(dim.extent);
      statement_.shape.push_back(new_dim(dim, dim_place));
      return 0;
    });
    check_size(result.extents, place);
  }
  want("=");
  const size_t root = expression();
  while (!is_done() && is("%")) {
    const HeToken name = at();
    take();
    const int64_t shared = number();
    want("=");
    const size_t written = expression();
    if (!shared_.try_emplace(shared, written).second) {
      fail(name, fmt::format("`%{}` is defined twice", shared));
    }
  }
  statement_.root = build(root);
  if (problem().empty() && built_.size() != shared_.size()) {
    fail(place, "one of its shared expressions is unused");
  }
  statement_.result = ArrayId{static_cast<uint32_t>(program_.arrays.size())};
  add_array(std::move(result), place);
  if (problem().empty()) {
    if (std::string fault = find_fault(program_, statement_); !fault.empty()) {
      fail(place, fault);
    }
    program_.statements.push_back(std::move(statement_));
  }
}

}  // namespace tacet::array
