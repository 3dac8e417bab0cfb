#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace tacet::lsp {

/// Several reads of one file may be concurrent, and end in any order. The result of the last one
/// started is the newest: a change of the file after its start starts another. Reads started before
/// the file or a folder around it was reported removed are outdated, too.
class ReadOrder {
 public:
  /// When a read began, as the number of reads that had begun.
  using Ticket = uint64_t;

  auto begin() -> Ticket;
  /// A read has ended, and what it found was taken.
  void end();
  [[nodiscard]] auto n_in_flight() const -> size_t { return n_in_flight_; }

  /// May what a read found of this file replace what is known?
  auto take(std::string_view path, Ticket ticket) -> bool;
  /// A file, or a folder with what is in it, is no more, or not what it was.
  void set_removed(std::string_view path);

 private:
  Ticket last_ = 0;
  size_t n_in_flight_ = 0;
  // Of files and folders, as long as reads that it affects are in progress.
  std::map<std::string, Ticket, std::less<>> taken_;
  std::map<std::string, Ticket, std::less<>> removed_;
};

}  // namespace tacet::lsp
