#include "engine/he_distributed/rank_session.h"

#include <fmt/format.h>

#include <utility>

namespace tacet::engine {

auto start_note(RankWord word) -> WireWriter {
  WireWriter writer;
  writer.number(static_cast<uint64_t>(word));
  return writer;
}

auto goes_along_tree(RankWord word) -> bool {
  return word == RankWord::Key || word == RankWord::Value;
}

auto tree_children(size_t place, size_t n_receivers) -> std::vector<size_t> {
  std::vector<size_t> children;
  for (size_t step = 1; place + step <= n_receivers; step *= 2) {
    if (step > place) {
      children.push_back(place + step);
    }
  }
  return {children.rbegin(), children.rend()};
}

auto start_note(RankWord word, std::span<const uint32_t> receivers) -> WireWriter {
  WireWriter writer = start_note(word);
  writer.number(receivers.size());
  for (const uint32_t rank : receivers) {
    writer.number(rank);
  }
  return writer;
}

RankSession::RankSession(RankLink& link) : link_(link), reader_([this] { read(); }) {}

RankSession::~RankSession() {
  {
    const std::lock_guard lock(mutex_);
    is_closing_ = true;
  }
  link_.close();
  reader_.join();
}

auto RankSession::next() -> Result<RankNote> {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return failure_ || !notes_.empty(); });
  if (notes_.empty()) {
    return *failure_;
  }
  RankNote note = std::move(notes_.front());
  notes_.pop_front();
  return note;
}

auto RankSession::next(RankWord word) -> Result<RankNote> {
  Result<RankNote> note = next();
  if (note && note->word != word) {
    return Error{fmt::format("{} sent an unexpected message", name_of_rank(link_, note->from))};
  }
  return note;
}

void RankSession::fail(const std::string& message) {
  {
    const std::lock_guard lock(mutex_);
    if (failure_) {
      return;
    }
  }
  set_failure({message});
  for (uint32_t rank = 0; rank < link_.n_ranks(); ++rank) {
    if (rank != link_.rank()) {
      WireWriter note = start_note(RankWord::Failure);
      note.text(message);
      send(rank, std::move(note));
    }
  }
}

auto RankSession::send_along_tree(std::span<const uint32_t> receivers, WireWriter note) -> size_t {
  const HeldBytes message = HeldBytes::of(note.take());
  const std::vector<size_t> children = tree_children(0, receivers.size());
  for (const size_t place : children) {
    link_.send(receivers[place - 1], message);
  }
  return children.size();
}

auto RankSession::bytes_passed_on(uint64_t part) -> uint64_t {
  const std::lock_guard listening(listening_);
  return passed_on_[part];
}

auto RankSession::pass_on(RankNote& note, WireReader reader) -> bool {
  std::vector<uint32_t> receivers(reader.count(sizeof(uint64_t)));
  size_t place = 0;
  for (size_t i = 0; i < receivers.size(); ++i) {
    const uint64_t rank = reader.number();
    if (rank >= link_.n_ranks()) {
      return false;
    }
    receivers[i] = static_cast<uint32_t>(rank);
    place = rank == link_.rank() ? i + 1 : place;
  }
  if (!reader.is_good() || place == 0) {
    return false;
  }
  note.n_before = sizeof(uint64_t) * (2 + receivers.size());
  for (const size_t child : tree_children(place, receivers.size())) {
    link_.send(receivers[child - 1], note.held);
    if (note.word == RankWord::Value) {
      const std::lock_guard listening(listening_);
      passed_on_[reader.peek_number()] += note.held.bytes.size();
    }
  }
  return true;
}

void RankSession::listen(uint64_t part, Listener listener) {
  const std::lock_guard listening(listening_);
  const Listener& known = listeners_[part] = std::move(listener);
  for (const RankNote& note : std::exchange(early_[part], {})) {
    WireReader reader = note.reader();
    reader.number();
    known.on_value(reader, note.held.holder);
  }
  const std::lock_guard lock(mutex_);
  if (failure_) {
    known.on_failure(*failure_);
  }
}

void RankSession::stop(uint64_t part) {
  const std::lock_guard listening(listening_);
  listeners_.erase(part);
}

void RankSession::read() {
  while (true) {
    Result<RankMessage> message = link_.receive();
    if (!message) {
      set_failure(message.error());
      return;
    }
    WireReader reader(message->held.bytes);
    const uint64_t word = reader.number();
    if (!reader.is_good() || word > static_cast<uint64_t>(RankWord::End)) {
      set_failure({fmt::format("{} sent an unknown message", name_of_rank(link_, message->from))});
      return;
    }
    RankNote note{message->from, static_cast<RankWord>(word), std::move(message->held)};
    if (goes_along_tree(note.word) && !pass_on(note, reader)) {
      set_failure({fmt::format("{} sent a damaged message", name_of_rank(link_, note.from))});
      return;
    }
    take(std::move(note));
  }
}

void RankSession::take(RankNote note) {
  switch (note.word) {
    case RankWord::Value:
      take_value(note);
      return;
    case RankWord::Failure:
      set_failure({fmt::format("{}: {}", name_of_rank(link_, note.from), note.reader().text())});
      return;
    case RankWord::Job:
    case RankWord::AskKeys:
    case RankWord::Lacks:
    case RankWord::Key:
    case RankWord::Stored:
    case RankWord::Done:
    case RankWord::End: {
      const std::lock_guard lock(mutex_);
      notes_.push_back(std::move(note));
      changed_.notify_all();
      return;
    }
  }
}

void RankSession::take_value(const RankNote& note) {
  const std::lock_guard listening(listening_);
  WireReader reader = note.reader();
  const uint64_t part = reader.number();
  const auto known = listeners_.find(part);
  if (known == listeners_.end()) {
    early_[part].push_back(note);
    return;
  }
  known->second.on_value(reader, note.held.holder);
}

void RankSession::set_failure(Error error) {
  const std::lock_guard listening(listening_);
  {
    const std::lock_guard lock(mutex_);
    if (is_closing_) {
      return;
    }
    if (!failure_) {
      failure_ = std::move(error);
    }
    changed_.notify_all();
  }
  for (const auto& [part, listener] : listeners_) {
    listener.on_failure(*failure_);
  }
}

}  // namespace tacet::engine
