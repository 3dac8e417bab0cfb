"""Programs that the tests share."""

DOT = """#version 0.1.0
fn(he) dot(x: secret [i64; 4] in 0..256 from client, w: [i64; 4] in 0..256 from server) -> secret i64 {
    sum(for i: 4 { x[i] * w[i] })
}
"""

INTEGERS = ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"]

# Functions that give what they are given: of each type, a number, a vector and a matrix.
COPIES = "#version 0.1.0\n" + "".join(
    f"fn(mpc) {name}_of_{element}(x: secret {shape}) -> secret {shape} {{ x }}\n"
    for element in ["bool", *INTEGERS, "fxp"]
    for name, shape in (("one", element), ("some", f"[{element}; 3]"), ("table", f"[{element}; 2, 3]")))

PEOPLE = """#version 0.1.0
type Person = { age: secret u8, income: secret i32, region: i32 };

fn(mpc) oldest'<n>(people: [Person; n], region: i32) -> secret Person {
    var best = Person(0, 0, region);
    for p in people {
        if p.region == region && p.age > best.age {
            best = p;
        }
    }
    best
}
"""

REALS = """#version 0.1.0
fn(he) smoothed(days: secret [fxp; 5] in -50..50 from client) -> secret [fxp; 5] {
    for d: 5 { 0.25 * days[d - 1] + 0.5 * days[d] + 0.25 * days[d + 1] }
}
"""

COMPARISON = """#version 0.1.0
fn(he) larger(a: secret u8 from client, b: secret u8 from client) -> (secret u8, secret bool) {
    (max(a, b), a > b)
}
"""

PARTIES = """#version 0.1.0
party alice
party bob
fn(mpc) richer(a: secret i64 from alice, b: secret i64 from bob) -> bool { reveal(a > b) }
"""

LEAKY = """#version 0.1.0
fn(mpc) find(list: secret [i64; 8] from client, x: secret i64 from server) -> secret i64 {
    for i in 0..8 {
        if list[i] == x {
            return i;
        }
    }
    return 8;
}
"""
