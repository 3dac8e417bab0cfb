#pragma once

#include <optional>

#include "compiler/front/names/resolve_body.h"
#include "compiler/spec/program/frontend.h"
#include "lsp/ide/completion_site.h"

namespace tacet::ide {

/// Which functions a call at some place may be of, by the devices on which they run.
class CallableHere {
 public:
  /// Any function, as in a test.
  CallableHere() = default;

  /// A call in the body `item` of the kind `kind`; none if nothing is known of the item.
  static auto in_body(const program::FrontendSnapshot& snapshot, names::BodyKind kind,
                      names::ItemId item) -> CallableHere;
  /// A call that is encoded on the encoder of the statement around the cursor.
  static auto encoded(const CompletionSite& site) -> CallableHere;

  [[nodiscard]] auto has(const program::FrontendSnapshot& snapshot, names::ItemId callee) const
      -> bool;

 private:
  /// Would it run encrypted, as a part of a function on shares?
  [[nodiscard]] auto is_encrypted_part(const types::Signature& callee) const -> bool;

  enum class From : uint8_t { Anywhere, Coordinator, Device, Encoder };

  From from_ = From::Anywhere;
  /// That of the function, or of the encoder where it is known.
  std::optional<names::Device> device_;
  /// The second one of `fn(he, mpc)`.
  std::optional<names::Device> second_device_;
};

}  // namespace tacet::ide
