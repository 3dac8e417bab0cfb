#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "lsp/server/handlers/answer.h"
#include "lsp/server/handlers/request_context.h"

namespace tacet::lsp {

/// Answers with a list. A client that takes partial results gets it in parts of some hundred
/// elements, and then an empty list, as the protocol wants it.
template <class Element, class Encode>
auto in_parts(const RequestContext& context, const std::vector<Element>& elements,
              const Encode& encode) -> Answer {
  constexpr size_t kPart = 256;
  if (!context.send_part) {
    return encode(elements);
  }
  const std::span<const Element> all(elements);
  for (size_t begin = 0; begin < all.size(); begin += kPart) {
    context.send_part(encode(all.subspan(begin, std::min(kPart, all.size() - begin))));
  }
  return std::string("[]");
}

}  // namespace tacet::lsp
