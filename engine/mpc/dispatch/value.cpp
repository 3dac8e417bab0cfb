#include "engine/mpc/dispatch/value.h"

namespace tacet::mpc {

auto Value::size() const -> size_t {
  if (cells != nullptr) {
    return cells->size();
  }
  return secret->share ? secret->share->size() : secret->bits->size();
}

auto secret_value(Share share) -> Value {
  Value value;
  value.type.visibility = engine::MpcVisibility::Secret;
  value.secret = std::make_shared<Secret>();
  value.secret->share = std::move(share);
  return value;
}

auto secret_value(Bits bits) -> Value {
  Value value;
  value.type.visibility = engine::MpcVisibility::Secret;
  value.secret = std::make_shared<Secret>();
  value.secret->bits = std::move(bits);
  return value;
}

auto public_value(engine::MpcType type, engine::MpcCells cells) -> Value {
  Value value;
  value.type = {type.visibility, type.element, std::move(type.extents)};
  value.cells = std::make_shared<const engine::MpcCells>(std::move(cells));
  return value;
}

}  // namespace tacet::mpc
