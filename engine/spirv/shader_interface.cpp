#include "engine/spirv/shader_interface.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

namespace tacet::engine {

namespace {

constexpr uint32_t kMagic = 0x07230203;
constexpr size_t kHeaderWords = 5;

/// Of arrays in a buffer. A module that no compiler wrote may have types in a circle.
constexpr int kMostDimensions = 8;

/// Numbers of the specification of SPIR-V, as far as they matter here: it has many more.
namespace op {
constexpr uint16_t kName = 5;
constexpr uint16_t kEntryPoint = 15;
constexpr uint16_t kExecutionMode = 16;
constexpr uint16_t kCapability = 17;
constexpr uint16_t kTypeInt = 21;
constexpr uint16_t kTypeFloat = 22;
constexpr uint16_t kTypeArray = 28;
constexpr uint16_t kTypeRuntimeArray = 29;
constexpr uint16_t kTypeStruct = 30;
constexpr uint16_t kTypePointer = 32;
constexpr uint16_t kConstant = 43;
constexpr uint16_t kFunctionCall = 57;
constexpr uint16_t kVariable = 59;
constexpr uint16_t kLoad = 61;
constexpr uint16_t kStore = 62;
constexpr uint16_t kCopyMemory = 63;
constexpr uint16_t kCopyMemorySized = 64;
constexpr uint16_t kAccessChain = 65;
constexpr uint16_t kInBoundsAccessChain = 66;
constexpr uint16_t kPtrAccessChain = 67;
constexpr uint16_t kDecorate = 71;
constexpr uint16_t kMemberDecorate = 72;
constexpr uint16_t kCopyObject = 83;
constexpr uint16_t kAtomicLoad = 227;
constexpr uint16_t kAtomicStore = 228;
constexpr uint16_t kAtomicExchange = 229;
constexpr uint16_t kAtomicXor = 242;
}  // namespace op

enum class Storage : uint8_t { UniformConstant = 0, Uniform = 2, PushConstant = 9, Buffer = 12 };

constexpr uint32_t kComputeModel = 5;
constexpr uint32_t kLocalSizeMode = 17;
constexpr uint32_t kBlock = 2;
constexpr uint32_t kBufferBlock = 3;
constexpr uint32_t kArrayStride = 6;
constexpr uint32_t kBinding = 33;
constexpr uint32_t kDescriptorSet = 34;
constexpr uint32_t kOffset = 35;

/// One instruction: its operands do not count the word with its length.
struct Instruction {
  uint16_t op = 0;
  std::span<const uint32_t> operands;

  [[nodiscard]] auto at(size_t i) const -> uint32_t {
    return i < operands.size() ? operands[i] : 0;
  }
};

struct Type {
  uint16_t op = 0;
  std::vector<uint32_t> operands;
};

struct Variable {
  uint32_t id = 0;
  uint32_t pointer_type = 0;
  uint32_t storage = 0;
};

/// A string from operand `first` on; sets `n_words` to its length.
auto text_at(const Instruction& at, size_t first, size_t& n_words) -> std::string {
  std::string text;
  for (size_t i = first; i < at.operands.size(); ++i) {
    for (unsigned shift = 0; shift < 32; shift += 8) {
      const auto byte = static_cast<char>(at.operands[i] >> shift & 0xff);
      if (byte == '\0') {
        n_words = i - first + 1;
        return text;
      }
      text += byte;
    }
  }
  n_words = at.operands.size() - std::min(first, at.operands.size());
  return text;
}

/// Everything that the declarations of a module say.
class Module {
 public:
  /// False if the words are no module.
  auto read(std::span<const uint32_t> words) -> bool {
    if (words.size() < kHeaderWords || words[0] != kMagic) {
      return false;
    }
    for (size_t at = kHeaderWords; at < words.size();) {
      const size_t n = words[at] >> 16;
      if (n == 0 || n > words.size() - at) {
        return false;
      }
      instruction({static_cast<uint16_t>(words[at] & 0xffff), words.subspan(at + 1, n - 1)});
      at += n;
    }
    return true;
  }

  auto take() -> ShaderInterface {
    for (const Variable& variable : variables_) {
      add(variable);
    }
    std::sort(result_.bindings.begin(), result_.bindings.end(),
              [](const ShaderBinding& a, const ShaderBinding& b) {
                return std::tie(a.group, a.binding) < std::tie(b.group, b.binding);
              });
    return std::move(result_);
  }

 private:
  struct Use {
    bool is_read = false;
    bool is_written = false;
  };

  void instruction(const Instruction& at) {
    size_t n_words = 0;
    switch (at.op) {
      case op::kName:
        names_[at.at(0)] = text_at(at, 1, n_words);
        return;
      case op::kEntryPoint:
        if (at.at(0) == kComputeModel) {
          entry_ids_.push_back(at.at(1));
          result_.entries.push_back({text_at(at, 2, n_words)});
        }
        return;
      case op::kExecutionMode:
        for (size_t i = 0; i < entry_ids_.size(); ++i) {
          if (entry_ids_[i] == at.at(0) && at.at(1) == kLocalSizeMode) {
            result_.entries[i].local_size = {at.at(2), at.at(3), at.at(4)};
          }
        }
        return;
      case op::kCapability:
        result_.capabilities.push_back(at.at(0));
        return;
      case op::kDecorate:
        decorations_[{at.at(0), at.at(1)}] = at.at(2);
        return;
      case op::kMemberDecorate:
        if (at.at(2) == kOffset) {
          offsets_[{at.at(0), at.at(1)}] = at.at(3);
        }
        return;
      case op::kTypeInt:
      case op::kTypeFloat:
      case op::kTypeArray:
      case op::kTypeRuntimeArray:
      case op::kTypeStruct:
      case op::kTypePointer:
        if (!at.operands.empty()) {
          types_[at.at(0)] = {at.op, {at.operands.begin() + 1, at.operands.end()}};
        }
        return;
      case op::kConstant:
        constants_[at.at(1)] = at.at(2);
        return;
      case op::kVariable:
        variable(at);
        return;
      default:
        use(at);
    }
  }

  void variable(const Instruction& at) {
    const uint32_t storage = at.at(2);
    result_.has_push_constants |= storage == static_cast<uint32_t>(Storage::PushConstant);
    if (storage == static_cast<uint32_t>(Storage::UniformConstant) ||
        storage == static_cast<uint32_t>(Storage::Uniform) ||
        storage == static_cast<uint32_t>(Storage::Buffer)) {
      roots_[at.at(1)] = at.at(1);
      variables_.push_back({at.at(1), at.at(0), storage});
    }
  }

  /// What the instructions of functions do with the variables.
  void use(const Instruction& at) {
    switch (at.op) {
      case op::kAccessChain:
      case op::kInBoundsAccessChain:
      case op::kPtrAccessChain:
      case op::kCopyObject:
        if (const auto root = roots_.find(at.at(2)); root != roots_.end()) {
          roots_[at.at(1)] = root->second;
        }
        return;
      case op::kLoad:
      case op::kAtomicLoad:
        mark(at.at(2), true, false);
        return;
      case op::kStore:
      case op::kAtomicStore:
        mark(at.at(0), false, true);
        return;
      case op::kCopyMemory:
      case op::kCopyMemorySized:
        mark(at.at(0), false, true);
        mark(at.at(1), true, false);
        return;
      case op::kFunctionCall:
        for (size_t i = 3; i < at.operands.size(); ++i) {
          mark(at.operands[i], true, true);
        }
        return;
      default:
        if (at.op >= op::kAtomicExchange && at.op <= op::kAtomicXor) {
          mark(at.at(2), true, true);
        }
    }
  }

  void mark(uint32_t pointer, bool reads, bool writes) {
    if (const auto root = roots_.find(pointer); root != roots_.end()) {
      uses_[root->second].is_read |= reads;
      uses_[root->second].is_written |= writes;
    }
  }

  [[nodiscard]] auto decoration(uint32_t id, uint32_t kind) const -> std::optional<uint32_t> {
    const auto found = decorations_.find({id, kind});
    return found == decorations_.end() ? std::nullopt : std::optional(found->second);
  }

  [[nodiscard]] auto type(uint32_t id) const -> const Type* {
    const auto found = types_.find(id);
    return found == types_.end() ? nullptr : &found->second;
  }

  [[nodiscard]] auto name(uint32_t id) const -> std::string {
    const auto found = names_.find(id);
    return found == names_.end() ? std::string() : found->second;
  }

  /// A number, or nothing for other types.
  [[nodiscard]] static auto scalar(const Type& type) -> std::optional<ShaderElements> {
    if (type.op == op::kTypeInt && type.operands.size() == 2) {
      return ShaderElements{type.operands[1] != 0 ? ShaderScalar::Signed : ShaderScalar::Unsigned,
                            type.operands[0]};
    }
    if (type.op == op::kTypeFloat && !type.operands.empty()) {
      return ShaderElements{ShaderScalar::Float, type.operands[0]};
    }
    return std::nullopt;
  }

  /// The only member of a block, if it is elements without gaps.
  [[nodiscard]] auto elements(uint32_t block) const -> std::optional<ShaderElements> {
    const Type* structure = type(block);
    if (structure == nullptr || structure->op != op::kTypeStruct ||
        structure->operands.size() != 1) {
      return std::nullopt;
    }
    const auto offset = offsets_.find({block, 0});
    if (offset == offsets_.end() || offset->second != 0) {
      return std::nullopt;
    }
    return elements_of_member(structure->operands[0], 0);
  }

  /// A scalar, or an array of arrays of them; only the outermost may have any length.
  [[nodiscard]] auto elements_of_member(uint32_t id, int depth) const
      -> std::optional<ShaderElements> {
    const Type* member = type(id);
    if (member == nullptr || member->operands.empty() || depth > kMostDimensions) {
      return std::nullopt;
    }
    const bool is_runtime = member->op == op::kTypeRuntimeArray;
    if (!is_runtime && member->op != op::kTypeArray) {
      return scalar(*member);
    }
    std::optional<ShaderElements> found = elements_of_member(member->operands[0], depth + 1);
    if (!found || (is_runtime && (depth > 0 || found->is_array)) ||
        decoration(id, kArrayStride) != found->bits / 8 * found->n_elements) {
      return std::nullopt;
    }
    found->is_array = true;
    const auto length = constants_.find(member->operands.size() < 2 ? 0 : member->operands[1]);
    if (!is_runtime && length == constants_.end()) {
      return std::nullopt;
    }
    found->n_elements = is_runtime ? 0 : found->n_elements * length->second;
    return found;
  }

  void add(const Variable& variable) {
    ShaderBinding found;
    found.group = decoration(variable.id, kDescriptorSet).value_or(0);
    found.binding = decoration(variable.id, kBinding).value_or(0);
    found.name = name(variable.id);
    const Type* pointer = type(variable.pointer_type);
    const uint32_t block =
        pointer == nullptr || pointer->operands.size() < 2 ? 0 : pointer->operands[1];
    if (found.name.empty()) {
      found.name = name(block);
    }
    const bool is_storage =
        (variable.storage == static_cast<uint32_t>(Storage::Buffer) && decoration(block, kBlock)) ||
        (variable.storage == static_cast<uint32_t>(Storage::Uniform) &&
         decoration(block, kBufferBlock));
    if (is_storage) {
      const std::optional<ShaderElements> known = elements(block);
      found.kind = known ? ShaderBinding::Kind::Storage : ShaderBinding::Kind::Structure;
      found.elements = known.value_or(ShaderElements());
    }
    const auto how = uses_.find(variable.id);
    if (how != uses_.end()) {
      found.is_read = how->second.is_read;
      found.is_written = how->second.is_written;
    }
    result_.bindings.push_back(std::move(found));
  }

  using Key = std::pair<uint32_t, uint32_t>;

  ShaderInterface result_;
  std::vector<uint32_t> entry_ids_;
  std::vector<Variable> variables_;
  std::map<uint32_t, std::string> names_;
  std::map<uint32_t, Type> types_;
  std::map<uint32_t, uint32_t> constants_;
  std::map<Key, uint32_t> decorations_;  ///< by id and kind
  std::map<Key, uint32_t> offsets_;      ///< by structure and member
  std::map<uint32_t, uint32_t> roots_;   ///< by pointer: the variable that it points into
  std::map<uint32_t, Use> uses_;         ///< by variable
};

}  // namespace

auto elements_text(const ShaderElements& elements) -> std::string {
  std::string text;
  switch (elements.scalar) {
    case ShaderScalar::Signed:
      text = elements.bits == 32 ? "int" : fmt::format("int{}_t", elements.bits);
      break;
    case ShaderScalar::Unsigned:
      text = elements.bits == 32 ? "uint" : fmt::format("uint{}_t", elements.bits);
      break;
    case ShaderScalar::Float:
      text = elements.bits == 32   ? "float"
             : elements.bits == 64 ? "double"
                                   : fmt::format("float{}_t", elements.bits);
  }
  if (!elements.is_array) {
    return text;
  }
  return elements.n_elements == 0 ? text + "[]" : fmt::format("{}[{}]", text, elements.n_elements);
}

auto read_shader_interface(std::span<const uint32_t> words) -> Result<ShaderInterface> {
  Module module;
  if (!module.read(words)) {
    return Error{"the kernel's file is no SPIR-V module"};
  }
  return module.take();
}

}  // namespace tacet::engine
