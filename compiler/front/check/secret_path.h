#pragma once

#include <cstdint>
#include <vector>

#include "compiler/front/names/report.h"
#include "compiler/front/names/resolve_body.h"

/// Private to this folder.
namespace tacet::check {

/// How the variables of a device function became secret: for each what made it so first, enough to
/// show the path of any secret expression from its source.
class SecretPath {
 public:
  /// Of a body whose expressions are marked as `secret_nodes` says, by node.
  SecretPath(const syntax::Tree& tree, const names::BodyNames& names, const names::ItemTable& items,
             const std::vector<bool>& secret_nodes)
      : tree_(tree),
        names_(names),
        items_(items),
        secret_nodes_(secret_nodes),
        origins_(names.locals.size()) {}

  /// A variable is secret because its type says so.
  void declared(uint32_t local);
  /// A variable was given `value`, which is secret, at `place`.
  void assigned(uint32_t local, syntax::Node place, syntax::Node value);
  /// A variable whose type is public was given `value`, which is secret: reported there, so that
  /// what follows from it is not.
  void reported(uint32_t local, syntax::Node value);
  /// Whether a variable was given something at `place` is up to `condition`, which is secret.
  void decided(uint32_t local, syntax::Node place, syntax::Node condition);

  /// Whether a secret is in the value itself: in more than variables that are secret because of
  /// when they were assigned.
  [[nodiscard]] auto says_secret(syntax::Node value) const -> bool;

  /// Whether all that is secret in the value was reported where variables got it.
  [[nodiscard]] auto is_reported(syntax::Node value) const -> bool;

  /// Labels for each step on the path to `value`, the source of the secret first.
  void show(syntax::Node value, names::Draft& draft) const;

 private:
  enum class Kind : uint8_t { None, Declared, Assigned, Decided };

  struct Origin {
    Kind kind = Kind::None;
    bool is_said = true;  ///< `says_secret` of what made it one
    bool is_reported = false;
    uint32_t place = 0;  ///< nodes
    uint32_t value = 0;
    uint32_t rank = 0;  ///< of the variable among all that became secret
  };

  struct Step {
    TextRange place;
    std::string text;
  };

  void set(uint32_t local, Origin origin);
  /// The expression inside that is secret by itself, or by a variable that was before `rank`.
  [[nodiscard]] auto source(syntax::Node value, uint32_t rank) const -> syntax::Node;
  [[nodiscard]] auto calls_item(syntax::Node value) const -> bool;
  /// A field of a variable whose type says what is secret.
  [[nodiscard]] auto is_declared_field(syntax::Node value) const -> bool;
  /// Its kind, unless it is a variable.
  [[nodiscard]] static auto text_of(syntax::Node source) -> std::string;

  const syntax::Tree& tree_;
  const names::BodyNames& names_;
  const names::ItemTable& items_;
  const std::vector<bool>& secret_nodes_;
  std::vector<Origin> origins_;  ///< by local
  uint32_t n_ranks_ = 0;
};

}  // namespace tacet::check
