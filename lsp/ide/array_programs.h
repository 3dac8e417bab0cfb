#pragma once

#include "compiler/spec/program/frontend.h"
#include "compiler/views/mpc/item_costs.h"
#include "lsp/ide/plan_store.h"
#include "lsp/ide/results.h"

/// What the user sees of programs for the homomorphic device.
namespace tacet::ide {

/// The array program of an item, if it is one without mistakes that make it none.
auto array_program(const program::FrontendSnapshot& snapshot, names::ItemId item)
    -> std::shared_ptr<const he_views::ItemProgram>;

/// Whether a function for the homomorphic device runs bit by bit.
auto is_bit_by_bit(const program::FrontendSnapshot& snapshot, names::ItemId item) -> bool;

/// Feature: gates, in the hover of what is computed bit by bit
///
/// Of an operator, a function, an `if` or an access to an element, in a function that runs under
/// CGGI: its bootstraps, how many iterations these are of, and to how many bits ranges narrow it.
/// Empty elsewhere. Of functions above 20,000 gates only that they are.
auto gates_text(const program::FrontendSnapshot& snapshot, const program::Entity& entity)
    -> std::string;

/// What a person calls it: its name, or that of the file.
auto program_name(const program::FrontendSnapshot& snapshot, names::ItemId item) -> std::string;

/// Feature: the cost of an array program, above it
///
/// `6 rotations · 1 ct×ct · 0 ct×pt · depth 1 · 1 ciphertext · ~1.6 ms`, under its own schedule or
/// the one that is found in the background; until then that it is searched for.
auto cost_text(const program::FrontendSnapshot& snapshot, names::ItemId item, PlanStore& plans)
    -> std::string;

/// What running an array program takes.
auto run_target(const program::FrontendSnapshot& snapshot, names::ItemId item)
    -> std::optional<RunTarget>;

/// The same of the array program, or the function on secret shares, of that name in a file; of a
/// `.tlhe` file if it is empty.
auto find_run_target(const program::FrontendSnapshot& snapshot, FileId file,
                     std::string_view function, const mpc_views::Parties& parties)
    -> std::optional<RunTarget>;

/// How layouts are shown: as text, or as images that are part of the Markdown.
enum class Pictures : uint8_t { Text, Svg };

/// Feature: the layout of an array, in its hover
///
/// Of a parameter, a `let` or a use of one: its dimensions, what is read of it and how (offsets and
/// strides), and a picture of which element is in which slot. Markdown, empty elsewhere.
auto layout_text(const program::FrontendSnapshot& snapshot, const program::Entity& entity,
                 PlanStore& plans, Pictures pictures) -> std::string;

/// Feature: pinning a schedule
///
/// Writes down the schedule that is found, in the place of the clause if there is one: where the
/// head of an array program is in `range`; and where its clause cannot be obeyed as a fix of that.
auto schedule_actions(const program::FrontendSnapshot& snapshot, FileId file, TextRange range,
                      std::span<const Diagnostic> diagnostics, PlanStore& plans)
    -> std::vector<Action>;

}  // namespace tacet::ide
