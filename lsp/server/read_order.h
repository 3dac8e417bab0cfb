#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace tacet::lsp {

/// Several reads of one file may be under way at once, and end in any order. What the one found
/// that began last is the newest: whatever changed the file after its beginning begins another.
/// What began before a file or a folder around it was told to be gone is old, too.
class ReadOrder {
 public:
  /// When a read began, as the number of reads that had begun.
  using Ticket = uint64_t;

  auto begin() -> Ticket;
  /// A read has ended, and what it found was taken.
  void end();
  [[nodiscard]] auto n_under_way() const -> size_t { return n_under_way_; }

  /// May what a read found of this file replace what is known?
  auto take(std::string_view path, Ticket ticket) -> bool;
  /// A file, or a folder with what is in it, is no more, or not what it was.
  void set_gone(std::string_view path);

 private:
  Ticket last_ = 0;
  size_t n_under_way_ = 0;
  // Of files and folders, as long as reads are under way to which it matters.
  std::map<std::string, Ticket, std::less<>> taken_;
  std::map<std::string, Ticket, std::less<>> gone_;
};

}  // namespace tacet::lsp
