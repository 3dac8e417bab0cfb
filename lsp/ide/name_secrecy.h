#pragma once

#include "compiler/spec/program/frontend.h"
#include "linter/secret_names.h"

namespace tacet::ide {

/// The secrecy of the variables of one item: as the analysis of device functions has it, and where
/// that does not apply (functions with errors, specifications), as types have it.
class NameSecrecy {
 public:
  NameSecrecy(const program::FrontendSnapshot& snapshot, names::ItemId item);

  [[nodiscard]] auto body() const -> const check::Body& { return *body_; }
  /// The type of a variable: secret if what it holds anywhere depends on a secret.
  [[nodiscard]] auto type_of(uint32_t local) const -> types::TypeId;
  /// Whether what `local` holds depends on a secret: where it is read, if the node `name` of the
  /// item's tree reads it, else anywhere.
  [[nodiscard]] auto is_secret(uint32_t name, uint32_t local) const -> bool;

 private:
  [[nodiscard]] auto offset(uint32_t node) const -> uint32_t;

  types::TypeStore* types_;
  names::ItemTree tree_;
  check::BodyPtr body_;
  linter::SecretNamesOfItem::Value found_;
};

}  // namespace tacet::ide
