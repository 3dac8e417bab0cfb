#include "lsp/server/read_order.h"

#include "base/check.h"

namespace tacet::lsp {

auto ReadOrder::begin() -> Ticket {
  ++n_in_flight_;
  return ++last_;
}

void ReadOrder::end() {
  TACET_CHECK(n_in_flight_ > 0, "a read ended that had not begun");
  if (--n_in_flight_ == 0) {
    taken_.clear();
    removed_.clear();
  }
}

auto ReadOrder::take(std::string_view path, Ticket ticket) -> bool {
  for (std::string_view around = path;;) {
    const auto removed = removed_.find(around);
    if (removed != removed_.end() && removed->second > ticket) {
      return false;
    }
    const size_t slash = around.rfind('/');
    if (slash == std::string_view::npos) {
      break;
    }
    around = around.substr(0, slash);
  }
  const auto [entry, is_new] = taken_.try_emplace(std::string(path), ticket);
  if (entry->second > ticket) {
    return false;
  }
  entry->second = ticket;
  return true;
}

void ReadOrder::set_removed(std::string_view path) {
  if (n_in_flight_ > 0) {
    removed_.insert_or_assign(std::string(path), ++last_);
  }
}

}  // namespace tacet::lsp
