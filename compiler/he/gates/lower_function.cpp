#include <fmt/format.h>

#include <algorithm>

#include "compiler/he/gates/lowering.h"
#include "engine/program/common/function.h"

namespace tacet::gates {

using engine::Function;
using kernel::ExprId;

namespace {

/// What is sorted: its key, and what goes with it.
struct Item {
  Word key;
  std::vector<Word> parts;
};

void exchange_if(KernelLowering& lowering, Signal condition, Word& a, Word& b) {
  Word first = select(lowering.build, condition, b, a);
  b = select(lowering.build, condition, a, b);
  a = std::move(first);
}

/// Batcher's odd-even merge sort (Knuth, The Art of Computer Programming, volume 3, algorithm
/// 5.2.2M): n log² n / 4 comparisons, log² n / 2 after one another. Ascending.
void sort_items(KernelLowering& lowering, std::vector<Item>& items, Signedness signedness) {
  const size_t n = items.size();
  size_t top = 1;
  while (2 * top < n) {
    top *= 2;
  }
  for (size_t p = n < 2 ? 0 : top; p > 0; p /= 2) {
    size_t q = top;
    size_t r = 0;
    size_t d = p;
    for (;;) {
      for (size_t i = 0; i + d < n; ++i) {
        if ((i & p) == r && !lowering.problem) {
          Item& a = items[i];
          Item& b = items[i + d];
          const Signal is_greater =
              less(lowering.build, b.key, a.key, signedness, lowering.options.carries);
          exchange_if(lowering, is_greater, a.key, b.key);
          for (size_t k = 0; k < a.parts.size(); ++k) {
            exchange_if(lowering, is_greater, a.parts[k], b.parts[k]);
          }
        }
      }
      if (q == p) {
        break;
      }
      d = q - p;
      q /= 2;
      r = p;
    }
  }
}

/// The place as the lowest bits of each key, so that equal ones stay in their order.
void add_places(std::vector<Item>& items) {
  size_t n_bits = 0;
  while ((size_t{1} << n_bits) < items.size()) {
    ++n_bits;
  }
  for (size_t i = 0; i < items.size(); ++i) {
    const Word place = constant(i, n_bits);
    items[i].key.insert(items[i].key.begin(), place.begin(), place.end());
  }
}

auto sorted(KernelLowering& lowering, ExprId id, const kernel::Apply& node) -> Value {
  const Value first = value(lowering, node.arguments[0]);
  const Signedness signedness =
      signedness_of(lowering.kernel.exprs[node.arguments[0]].type.element);
  std::vector<Item> items;
  for (const Word& key : first.cells) {
    items.push_back({key, {}});
  }
  Value result;
  if (node.function == Function::SortBy) {
    const Value second = value(lowering, node.arguments[1]);
    const size_t n_parts = items.empty() ? 0 : second.cells.size() / items.size();
    for (size_t i = 0; i < items.size(); ++i) {
      const auto begin = second.cells.begin() + static_cast<std::ptrdiff_t>(i * n_parts);
      items[i].parts.assign(begin, begin + static_cast<std::ptrdiff_t>(n_parts));
    }
    add_places(items);
    sort_items(lowering, items, signedness);
    for (Item& item : items) {
      std::move(item.parts.begin(), item.parts.end(), std::back_inserter(result.cells));
    }
    return result;
  }
  sort_items(lowering, items, signedness);
  if (node.function == Function::TopK) {
    std::reverse(items.begin(), items.end());
    items.resize(n_cells(lowering.kernel.exprs[id].type));
  }
  for (Item& item : items) {
    result.cells.push_back(std::move(item.key));
  }
  return result;
}

/// The lesser of two, or the greater one.
auto choice(KernelLowering& lowering, Function function, Signedness signedness, const Word& a,
            const Word& b) -> Word {
  const bool is_min = function == Function::Min;
  const Signal takes_b =
      less(lowering.build, is_min ? b : a, is_min ? a : b, signedness, lowering.options.carries);
  return select(lowering.build, takes_b, b, a);
}

auto chosen(KernelLowering& lowering, ExprId id, const kernel::Apply& node) -> Value {
  const Value first = value(lowering, node.arguments[0]);
  const kernel::Type& type = lowering.kernel.exprs[node.arguments[0]].type;
  const Signedness signedness = signedness_of(type.element);
  const size_t n = n_cells(lowering.kernel.exprs[id].type);
  Value result;
  if (node.arguments.size() > 1) {
    const Value second = value(lowering, node.arguments[1]);
    for (size_t i = 0; i < n; ++i) {
      result.cells.push_back(choice(lowering, node.function, signedness,
                                    first.cells[first.cells.size() == 1 ? 0 : i],
                                    second.cells[second.cells.size() == 1 ? 0 : i]));
    }
    return result;
  }
  for (size_t i = 0; i < n; ++i) {
    std::vector<Word> open;
    for (size_t at = i; at < first.cells.size(); at += n) {
      open.push_back(first.cells[at]);
    }
    // In a tree, so that few comparisons wait for one another.
    while (open.size() > 1) {
      std::vector<Word> next;
      for (size_t k = 0; k + 1 < open.size(); k += 2) {
        next.push_back(choice(lowering, node.function, signedness, open[k], open[k + 1]));
      }
      if (open.size() % 2 != 0) {
        next.push_back(open.back());
      }
      open = std::move(next);
    }
    result.cells.push_back(open.empty() ? word_of(0, type.element) : std::move(open.front()));
  }
  return result;
}

}  // namespace

auto apply(KernelLowering& lowering, ExprId id, const kernel::Apply& node) -> Value {
  switch (engine::function_kind(node.function)) {
    case engine::FunctionKind::Fixed:
      stick(lowering, lowering.kernel.exprs[id].place,
            fmt::format("`{}` is not supported in circuits of bits",
                        engine::function_name(node.function)),
            "use CKKS (`--scheme ckks`) or `fn(mpc)`");
      return {};
    case engine::FunctionKind::Number: {
      Value result = value(lowering, node.arguments[0]);
      const auto signedness = signedness_of(lowering.kernel.exprs[id].type.element);
      for (Word& cell : result.cells) {
        if (signedness == Signedness::Signed) {
          cell = negate_if(lowering.build, cell.back(), cell);
        }
      }
      return result;
    }
    case engine::FunctionKind::Choice:
      return chosen(lowering, id, node);
    case engine::FunctionKind::Order:
      return sorted(lowering, id, node);
  }
  TACET_CHECK(false, "unknown kind of function");
}

}  // namespace tacet::gates
