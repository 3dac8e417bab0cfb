#include "engine/program/mpc/families.h"

#include "base/check.h"

namespace tacet::engine {

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
  switch (op) {
    case MpcOpcode::Sum:
      return MpcOpcode::Add;
    case MpcOpcode::Product:
      return MpcOpcode::Mul;
    case MpcOpcode::ReduceMin:
      return MpcOpcode::Min;
    case MpcOpcode::ReduceMax:
      return MpcOpcode::Max;
    case MpcOpcode::ReduceAnd:
      return MpcOpcode::Land;
    case MpcOpcode::ReduceOr:
      return MpcOpcode::Lor;
    case MpcOpcode::ReduceXor:
      return MpcOpcode::Xor;
    default:
      TACET_CHECK(false, "no sum and no reduction");
      return op;
  }
}

}  // namespace tacet::engine
