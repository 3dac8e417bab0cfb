#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/device/array/program.h"
#include "engine/program/he/reader.h"

/// Private to this folder.
namespace tacet::array {

/// Reads the statements of a text. Their expressions are read as they stand first, since a shared
/// one may follow its use and a dimension may be bound in another line; then they are numbered as
/// `ExpressionPool` numbers them, operands first and from the left, dimensions as they are met.
class StatementReader : protected engine::HeReader {
 protected:
  StatementReader(std::string_view text, Program& program) : HeReader(text), program_(program) {}

  void statement();
  void add_array(Array array, const engine::HeToken& name);

  [[nodiscard]] auto is_next_word() -> bool;
  auto word(std::string_view what) -> std::string;
  /// Any number of 64 bits.
  auto number() -> int64_t;
  auto extent() -> int64_t;
  auto extents_in_brackets() -> std::vector<int64_t>;
  void check_size(const std::vector<int64_t>& extents, const engine::HeToken& place);

 private:
  /// A term of an index as it is written.
  struct WrittenTerm {
    engine::HeToken dim;
    IndexTerm term;  ///< without its dimension
    int64_t modulus = 0;
  };
  struct WrittenIndex {
    engine::HeToken place;
    int64_t offset = 0;
    std::vector<WrittenTerm> terms;
  };
  enum class WrittenKind : uint8_t { Number, Shared, Site, Operation, Reduction, Function };
  struct Written {
    WrittenKind kind = WrittenKind::Number;
    engine::HeToken place;
    int64_t number = 0;  ///< also of what is shared
    Operator op = Operator::Add;
    size_t left = 0, right = 0;  ///< the body of a reduction stands left
    ArrayId array{};
    std::vector<WrittenIndex> indices;
    Dim dim;  ///< of a reduction
    FunctionKind function = FunctionKind::Equal;
    Width width{};                 ///< of a function's operands
    std::vector<size_t> operands;  ///< of a function
    uint32_t height = 1;
  };

  auto expression() -> size_t;
  auto product() -> size_t;
  auto atom() -> size_t;
  auto reduction() -> size_t;
  auto function(FunctionKind kind, Width width) -> size_t;
  auto site() -> size_t;
  auto index() -> WrittenIndex;
  void term(WrittenIndex& index, bool is_added);
  auto dimension() -> WrittenTerm;
  auto add(Written written) -> size_t;
  auto magnitude() -> uint64_t;
  auto signed_number(uint64_t magnitude, bool is_negative, const engine::HeToken& place) -> int64_t;

  auto build(size_t written) -> ExprId;
  auto build_shared(const Written& written) -> ExprId;
  auto build_site(const Written& written) -> Site;
  auto new_dim(const Dim& dim, const engine::HeToken& place) -> DimId;

  Program& program_;
  std::map<std::string, ArrayId, std::less<>> arrays_;
  uint32_t depth_ = 0;
  // Of one statement.
  std::vector<Written> written_;
  std::map<int64_t, size_t> shared_;
  std::map<size_t, ExprId> built_;  ///< of what is shared
  std::map<std::string, DimId, std::less<>> dims_;
  std::map<std::vector<int64_t>, ExprId> exprs_;  ///< by key
  Statement statement_;
};

}  // namespace tacet::array
