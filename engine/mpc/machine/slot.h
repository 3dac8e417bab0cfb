#pragma once

#include <array>
#include <coroutine>
#include <memory>
#include <utility>
#include <vector>

#include "engine/mpc/dispatch/context.h"

/// What instructions give, as the machine holds it. Private to this folder.
namespace tacet::mpc {

/// A pointer to something that counts its owners, in one thread.
template <class T>
class Shared {
 public:
  Shared() = default;
  explicit Shared(T* object) : object_(object) { retain(); }
  Shared(const Shared& other) : object_(other.object_) { retain(); }
  Shared(Shared&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  auto operator=(Shared other) noexcept -> Shared& {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Shared() {
    if (object_ != nullptr && --object_->n_owners == 0) {
      delete object_;
    }
  }

  auto operator*() const -> T& { return *object_; }
  auto operator->() const -> T* { return object_; }
  [[nodiscard]] auto get() const -> T* { return object_; }
  explicit operator bool() const { return object_ != nullptr; }
  friend auto operator==(const Shared&, const Shared&) -> bool = default;

 private:
  void retain() const {
    if (object_ != nullptr) {
      ++object_->n_owners;
    }
  }

  T* object_ = nullptr;
};

/// A value that slots have, or have elements of.
struct HeldValue {
  uint32_t n_owners = 0;
  Value value{};
};

/// Who waits for a slot: an instruction, or else a task.
struct SlotListener {
  SlotListener* next = nullptr;
  LaterListener* instruction = nullptr;
  std::coroutine_handle<> task{};
};

/// What an instruction gives, once it has run: a value, or one element of a value that the elements
/// of many instructions are in, or a public number.
class Slot {
 public:
  static constexpr uint32_t kWhole = UINT32_MAX;

  uint32_t n_owners = 0;

  [[nodiscard]] auto is_there() const -> bool { return is_number_ || held_; }
  [[nodiscard]] auto is_number() const -> bool { return is_number_; }
  /// Of a public scalar.
  [[nodiscard]] auto number() const -> const engine::Cell& { return number_; }
  [[nodiscard]] auto held() const -> const Shared<HeldValue>& { return held_; }
  /// Which element of the value it is.
  [[nodiscard]] auto index() const -> uint32_t { return index_; }
  [[nodiscard]] auto is_element() const -> bool { return held_ && index_ != kWhole; }

  /// What is there, as a value of `type`.
  [[nodiscard]] auto value(const engine::MpcType& type) const -> Value;
  /// Of a truth value: where the number that it is will be.
  auto truth_as_number(Ring ring) -> std::unique_ptr<Later<Share>>&;

  /// Once: who waits for it, the first one first.
  auto set(Shared<HeldValue> held, uint32_t index = kWhole) -> SlotListener* {
    held_ = std::move(held);
    index_ = index;
    return take_listeners();
  }
  auto set_number(engine::Cell number) -> SlotListener* {
    number_ = number;
    is_number_ = true;
    return take_listeners();
  }
  /// `listener` outlives the waiting.
  void listen(SlotListener& listener) {
    listener.next = nullptr;
    (last_ == nullptr ? first_ : last_->next) = &listener;
    last_ = &listener;
  }

 private:
  auto take_listeners() -> SlotListener* {
    last_ = nullptr;
    return std::exchange(first_, nullptr);
  }

  uint32_t index_ = kWhole;
  bool is_number_ = false;
  engine::Cell number_ = 0;
  Shared<HeldValue> held_;
  SlotListener* first_ = nullptr;
  SlotListener* last_ = nullptr;
  /// Of an element; those of a whole are its value's.
  std::unique_ptr<std::array<std::unique_ptr<Later<Share>>, 3>> numbers_;
};

using SlotPtr = Shared<Slot>;

inline auto new_slot() -> SlotPtr {
  return SlotPtr(new Slot);
}
/// Elements of a slot's value: all from its first one on, or a single one.
struct SlotElements {
  const Value* value = nullptr;
  uint32_t first = 0;
  engine::Cell number = 0;  ///< of a public scalar, if there is no value

  [[nodiscard]] auto size() const -> size_t {
    return value == nullptr || first != Slot::kWhole ? 1 : value->size();
  }
};

inline auto elements_of(const Slot& slot) -> SlotElements {
  return slot.is_number() ? SlotElements{.number = slot.number()}
                          : SlotElements{.value = &slot.held()->value, .first = slot.index()};
}

}  // namespace tacet::mpc

template <class T>
struct std::hash<tacet::mpc::Shared<T>> {
  auto operator()(const tacet::mpc::Shared<T>& pointer) const noexcept -> size_t {
    return std::hash<T*>()(pointer.get());
  }
};
