#include "lsp/ide/keyword_documentation.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tacet::ide {

static constexpr std::pair<std::string_view, std::string_view> kKeywords[] = {
    {"#version", "`#version 0.1.0`: the version of the language, on the first line of a file."},
    {"BufferSpace", "The type of buffer spaces, of which `sptl` specifications allocate."},
    {"Encoder",
     "`Encoder'{…}`: the type of an encoder, which collects the work of a device. The "
     "record lists what is on the device."},
    {"Event", "The type of the points in time of which `tmln` specifications speak."},
    {"Fence", "`Fence'{…}`: another word for `Future`."},
    {"Future", "`Future'{…}`: the type of submitted work. The record lists what it will yield."},
    {"RngState", "The type of the state of random draws."},
    {"as", "`e as T`: converts a number to another type."},
    {"await",
     "`(await f).x`: waits for submitted work and reads a field of it. This decrypts or "
     "reveals it, as far as the coordinator may see it."},
    {"bool", "`true` or `false`."},
    {"break",
     "`break;`: ends the loop. Under a secret condition the later iterations have no "
     "effect instead."},
    {"const", "`const name = value`: a constant of the file, which may be an extent."},
    {"continue",
     "`continue;`: continues with the next iteration. Under a secret condition the rest "
     "of this one has no effect instead."},
    {"dead", "The flow of a variable that holds nothing and may be written."},
    {"do",
     "`do { … } while condition max n;`: a loop that runs once at least. `max` is required if "
     "the condition is secret."},
    {"else", "The other branch of an `if`, or the other value of `a if condition else b`."},
    {"encode",
     "`encode e.copy[x_d <- x];`, `encode e.call[y_d <- f(x_d)];`: adds a copy or a call "
     "to the work of the encoder `e`."},
    {"encode-begin", "`let e = encode-begin gpu;`: begins to encode work for a device."},
    {"extern", "`extern(gpu) name(T) -> U { … }`: a function that the host supplies."},
    {"f32", "Floating-point numbers of 32 bits."},
    {"f64", "Floating-point numbers of 64 bits."},
    {"false", "The `bool` that does not hold."},
    {"feq",
     "`feq name { … }`: a class of equivalent functions and specifications. A call of the "
     "class may run any of them."},
    {"fn",
     "`fn name(…) -> T impls v, t, s { … }`: a function of the coordinator, with one "
     "specification of each kind. `fn(he)` and `fn(mpc)` run on their device."},
    {"for",
     "`for i in a..b { … }`: a loop. `for i: n { e }`: an array of `n` elements. A secret "
     "bound requires `max`. `for x in a` and `for x: a`: the same over the elements of an array."},
    {"from", "`x: T from p`: the party that supplies the parameter."},
    {"fxp", "Fixed-point numbers. `fxp<20>` has 20 fraction bits."},
    {"i16", "Signed integers of 16 bits, which wrap."},
    {"i32", "Signed integers of 32 bits, which wrap."},
    {"i64", "Signed integers of 64 bits, which wrap."},
    {"i8", "Signed integers of 8 bits, which wrap."},
    {"if",
     "`if condition { … } else { … }`: a secret condition is rewritten so that both branches "
     "are computed and their results selected. In specifications: `a if condition else b`."},
    {"impls",
     "`impls v, t, s`: the specifications that the function implements. A coordinator "
     "function has one `val`, one `tmln` and one `sptl`, a device function at most a "
     "`val`."},
    {"import", "`import name`: the items of another module of the workspace."},
    {"in",
     "`x: T in a..b`: the bounds of a parameter. `for i in a..b`: those of a loop. `for x in a`: "
     "the elements of an array. "
     "`@in { … };`: tags at the beginning."},
    {"input",
     "`input(val.x)`: a tag for an input of the specification. In array programs: "
     "`input a: [4] from client`."},
    {"let",
     "`let x = e;`: a variable that keeps its value. `let x = e in b`: the same inside an "
     "expression."},
    {"max", "The number of iterations to which a loop with a secret bound or condition is padded."},
    {"need", "The flow of a variable whose value is owed."},
    {"node", "`node(val.x)`: a tag for a node of the specification."},
    {"none", "`none(val)`: a tag for what corresponds to no part of the specification."},
    {"norm",
     "`x: secret [fxp; 784] norm 12.5`: the square root of the sum of the squares of the elements "
     "is at most this; of an array of several dimensions, of each item `x[i]`."},
    {"out", "`@out { … };`: tags at the end."},
    {"output", "`output(val.x)`: a tag for an output of the specification."},
    {"party", "`party name`: someone who supplies inputs or receives results."},
    {"pipeline", "`pipeline name { function }`: a function with which a program starts."},
    {"public",
     "A value that may be seen by everybody who computes. It is the default. "
     "`copy public` encodes a value unencrypted."},
    {"pure", "An extern whose result depends on its arguments alone."},
    {"return",
     "`return e;`: ends the function with this result. Under a secret condition the rest "
     "has no effect instead."},
    {"returns", "`returns e`: the result of a specification."},
    {"saved", "The flow of a variable that may only be read."},
    {"schedule",
     "`schedule { … }`: how an array program is laid out in the slots of "
     "ciphertexts. `schedule ?`: to be found; `tacet fill` writes it."},
    {"secret",
     "A value that is encrypted or shared on `he` and `mpc`. What depends on it is secret, "
     "too, and control never depends on it. It becomes public by `reveal` or `await` "
     "only."},
    {"sptl",
     "`sptl name(s: BufferSpace) -> BufferSpace { … }`: specifies where a function keeps "
     "its data."},
    {"step", "`for i in a..b step s`: the distance of two iterations."},
    {"submit", "`submit e`: hands the encoded work to the device. The result is a `Future`."},
    {"test", "`test \"name\" { … }`: a test, which `tacet test` runs."},
    {"tmln",
     "`tmln name(e: Event) -> Event { … }`: specifies when a function works with "
     "devices."},
    {"to", "`-> T to p`, `reveal(e, to p)`: the party that receives a value."},
    {"true", "The `bool` that holds."},
    {"type", "`type name = T`: a name for a type."},
    {"u16", "Unsigned integers of 16 bits, which wrap."},
    {"u32", "Unsigned integers of 32 bits, which wrap."},
    {"u64", "Unsigned integers of 64 bits, which wrap."},
    {"u8", "Unsigned integers of 8 bits, which wrap."},
    {"usable", "The flow of a variable that may be read, dropped and moved."},
    {"val", "`val name(x: T) -> U { … }`: specifies what a function computes."},
    {"var", "`var x = e;`: a variable that may be assigned."},
    {"where",
     "`fn(he) f'<n, k>(…) where n >= k, n % 2 == 0`: what the sizes of a function must be."},
    {"while",
     "`while condition max n { … }`: a loop. `max` is required if the condition is "
     "secret."},
    {"within",
     "`-> secret [fxp; 10] within 0.01`: how exact an encrypted result of real numbers is."},
};

auto keyword_documentation(std::string_view keyword) -> std::string_view {
  const auto* found = std::find_if(std::begin(kKeywords), std::end(kKeywords),
                                   [&](const auto& known) { return known.first == keyword; });
  return found == std::end(kKeywords) ? std::string_view() : found->second;
}

}  // namespace tacet::ide
