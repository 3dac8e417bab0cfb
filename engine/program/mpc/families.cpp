#include "engine/program/mpc/families.h"

#include <array>
#include <utility>

#include "base/check.h"

namespace tacet::engine {

namespace {

constexpr std::pair<MpcOpcode, MpcControlKind> kControl[] = {
    {MpcOpcode::For, MpcControlKind::For},
    {MpcOpcode::Loop, MpcControlKind::Loop},
    {MpcOpcode::If, MpcControlKind::If},
    {MpcOpcode::Else, MpcControlKind::Else},
    {MpcOpcode::End, MpcControlKind::End},
    {MpcOpcode::Break, MpcControlKind::Break},
    {MpcOpcode::Continue, MpcControlKind::Continue},
    {MpcOpcode::Stop, MpcControlKind::Stop},
};
constexpr std::pair<MpcOpcode, MpcMovementKind> kMovement[] = {
    {MpcOpcode::View, MpcMovementKind::View},     {MpcOpcode::Pick, MpcMovementKind::Pick},
    {MpcOpcode::Place, MpcMovementKind::Place},   {MpcOpcode::PlaceAdd, MpcMovementKind::PlaceAdd},
    {MpcOpcode::Concat, MpcMovementKind::Concat},
};
constexpr std::pair<MpcOpcode, MpcSecretMovementKind> kSecretMovement[] = {
    {MpcOpcode::GatherSecret, MpcSecretMovementKind::Gather},
    {MpcOpcode::ScatterSecret, MpcSecretMovementKind::Scatter},
    {MpcOpcode::Shuffle, MpcSecretMovementKind::Shuffle},
    {MpcOpcode::Sort, MpcSecretMovementKind::Sort},
    {MpcOpcode::SortBy, MpcSecretMovementKind::SortBy},
    {MpcOpcode::TopK, MpcSecretMovementKind::TopK},
    {MpcOpcode::Permute, MpcSecretMovementKind::Permute},
};
constexpr std::pair<MpcOpcode, MpcOpcode> kJoining[] = {
    {MpcOpcode::Sum, MpcOpcode::Add},        {MpcOpcode::Product, MpcOpcode::Mul},
    {MpcOpcode::ReduceMin, MpcOpcode::Min},  {MpcOpcode::ReduceMax, MpcOpcode::Max},
    {MpcOpcode::ReduceAnd, MpcOpcode::Land}, {MpcOpcode::ReduceOr, MpcOpcode::Lor},
    {MpcOpcode::ReduceXor, MpcOpcode::Xor},
};

/// The members of `pairs` by opcode.
template <class Kind, size_t n>
constexpr auto by_opcode(const std::pair<MpcOpcode, Kind> (&pairs)[n]) {
  std::array<Kind, 256> kinds{};
  for (const auto& [op, kind] : pairs) {
    kinds[static_cast<size_t>(op)] = kind;
  }
  return kinds;
}

constexpr auto kControlKinds = by_opcode(kControl);
constexpr auto kMovementKinds = by_opcode(kMovement);
constexpr auto kSecretMovementKinds = by_opcode(kSecretMovement);

}  // namespace

auto control_kind_of(MpcOpcode op) -> MpcControlKind {
  return kControlKinds[static_cast<size_t>(op)];
}

auto movement_kind_of(MpcOpcode op) -> MpcMovementKind {
  return kMovementKinds[static_cast<size_t>(op)];
}

auto secret_movement_kind_of(MpcOpcode op) -> MpcSecretMovementKind {
  return kSecretMovementKinds[static_cast<size_t>(op)];
}

auto family_of(MpcOpcode op) -> MpcFamily {
  switch (op) {
    case MpcOpcode::For:
    case MpcOpcode::Loop:
    case MpcOpcode::If:
    case MpcOpcode::Else:
    case MpcOpcode::End:
    case MpcOpcode::Break:
    case MpcOpcode::Continue:
    case MpcOpcode::Stop:
      return MpcFamily::Control;
    case MpcOpcode::Constant:
    case MpcOpcode::Iota:
      return MpcFamily::Literal;
    case MpcOpcode::Copy:
      return MpcFamily::Copy;
    case MpcOpcode::Draw:
      return MpcFamily::Draw;
    case MpcOpcode::DrawSecret:
      return MpcFamily::DrawSecret;
    case MpcOpcode::Add:
    case MpcOpcode::Sub:
      return MpcFamily::Addition;
    case MpcOpcode::Neg:
      return MpcFamily::Negation;
    case MpcOpcode::Mul:
    case MpcOpcode::MulWide:
      return MpcFamily::Multiplication;
    case MpcOpcode::Div:
    case MpcOpcode::Mod:
    case MpcOpcode::DivWide:
      return MpcFamily::Division;
    case MpcOpcode::Lt:
    case MpcOpcode::Leq:
    case MpcOpcode::Gt:
    case MpcOpcode::Geq:
      return MpcFamily::Order;
    case MpcOpcode::Eq:
    case MpcOpcode::Neq:
      return MpcFamily::Equality;
    case MpcOpcode::And:
    case MpcOpcode::Or:
    case MpcOpcode::Xor:
    case MpcOpcode::Land:
    case MpcOpcode::Lor:
    case MpcOpcode::Not:
    case MpcOpcode::Invert:
      return MpcFamily::Logic;
    case MpcOpcode::Shl:
    case MpcOpcode::Shr:
    case MpcOpcode::Ashr:
      return MpcFamily::Shift;
    case MpcOpcode::Select:
      return MpcFamily::Select;
    case MpcOpcode::Min:
    case MpcOpcode::Max:
    case MpcOpcode::Abs:
      return MpcFamily::Extremum;
    case MpcOpcode::Cast:
      return MpcFamily::Cast;
    case MpcOpcode::Wrap:
      return MpcFamily::Wrap;
    case MpcOpcode::Reciprocal:
    case MpcOpcode::Sqrt:
    case MpcOpcode::Rsqrt:
    case MpcOpcode::Exp:
    case MpcOpcode::Log:
    case MpcOpcode::Sigmoid:
    case MpcOpcode::Tanh:
    case MpcOpcode::Erf:
    case MpcOpcode::Sin:
    case MpcOpcode::Cos:
      return MpcFamily::FixedFunction;
    case MpcOpcode::Sum:
      return MpcFamily::Sum;
    case MpcOpcode::Product:
    case MpcOpcode::ReduceMin:
    case MpcOpcode::ReduceMax:
    case MpcOpcode::ReduceAnd:
    case MpcOpcode::ReduceOr:
    case MpcOpcode::ReduceXor:
      return MpcFamily::Reduction;
    case MpcOpcode::Dot:
    case MpcOpcode::Matmul:
      return MpcFamily::InnerProduct;
    case MpcOpcode::View:
    case MpcOpcode::Pick:
    case MpcOpcode::Place:
    case MpcOpcode::PlaceAdd:
    case MpcOpcode::Concat:
      return MpcFamily::Movement;
    case MpcOpcode::GatherSecret:
    case MpcOpcode::ScatterSecret:
    case MpcOpcode::Shuffle:
    case MpcOpcode::Sort:
    case MpcOpcode::SortBy:
    case MpcOpcode::TopK:
    case MpcOpcode::Permute:
      return MpcFamily::SecretMovement;
    case MpcOpcode::Reveal:
      return MpcFamily::Reveal;
  }
  TACET_CHECK(false, "an instruction without a family");
  return MpcFamily::Control;
}

auto joining_operator(MpcOpcode op) -> MpcOpcode {
  for (const auto& [reduction, joining] : kJoining) {
    if (op == reduction) {
      return joining;
    }
  }
  TACET_CHECK(false, "no sum and no reduction");
}

}  // namespace tacet::engine
