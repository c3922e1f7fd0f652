//! What gives a frame its shape: statements that fold something into the variable `r`.

use std::fmt::Write as _;

use oorandom::Rand64;

/// A shape.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// A local array: a frame of some size.
    Array,
    /// An array of several pages.
    BigArray,
    /// An array of a size that only the run knows, freed with the function.
    Alloca,
    /// The same, freed with its block.
    Vla,
    /// A local with more alignment than the stack has.
    OverAligned,
    /// More values alive over a call than there are registers.
    Registers,
    /// Variable arguments.
    Varargs,
    /// A structure as argument and result.
    Structure,
    /// A jump table.
    Switch,
    /// Labels as values.
    ComputedGoto,
    /// A call through a pointer.
    Pointer,
    /// A return before the rest of the function.
    EarlyReturn,
}

impl Shape {
    /// All shapes.
    pub const ALL: [Shape; 12] = [
        Shape::Array,
        Shape::BigArray,
        Shape::Alloca,
        Shape::Vla,
        Shape::OverAligned,
        Shape::Registers,
        Shape::Varargs,
        Shape::Structure,
        Shape::Switch,
        Shape::ComputedGoto,
        Shape::Pointer,
        Shape::EarlyReturn,
    ];

    /// The statements. `place` makes names different within a function.
    pub fn text(self, place: u64, random: &mut Rand64) -> String {
        let mut between = |from: u64, to: u64| random.rand_range(from..to);
        match self {
            Shape::Array => fill(&format!("volatile word a{place}[{}];", between(2, 60)), place),
            Shape::BigArray => fill(&format!("volatile word a{place}[{}];", between(1100, 20_000)), place),
            Shape::OverAligned => {
                let (align, count) = (32 << between(0, 3), between(2, 20));
                fill(&format!("volatile word a{place}[{count}] ALIGNED({align});"), place)
            }
            Shape::Alloca => {
                let size = format!("(x % {} + 2)", between(3, 90));
                let memory = format!("volatile word *a{place} = __builtin_alloca({size} * sizeof(word));");
                use_sized(&memory, &size, place)
            }
            Shape::Vla => {
                let size = format!("(x % {} + 2)", between(3, 90));
                use_sized(&format!("volatile word a{place}[{size}];"), &size, place)
            }
            Shape::Registers => registers(place, between(6, 20)),
            Shape::Varargs => {
                let count = between(1, 14);
                let values: String = (0..count).map(|index| format!(", r + {index}")).collect();
                format!("    r = sum({count}{values});\n")
            }
            Shape::Structure => {
                let (at, turns) = (between(0, 11), between(1, 4));
                format!(
                    "    struct block b{place} = {{{{x, r}}}};\n    for (word i = 0; i < {turns}; i++)\n        \
                     b{place} = turn(b{place}, r + i);\n    r ^= b{place}.words[{at}];\n"
                )
            }
            Shape::Switch => switch(place, between(4, 12)),
            Shape::ComputedGoto => computed_goto(place, between(2, 6)),
            Shape::Pointer => {
                format!("    word (*volatile p{place})(word, word) = mix;\n    r = p{place}(r, x);\n")
            }
            Shape::EarlyReturn => format!("    if (r % {} == 0)\n        return r + 1;\n", between(3, 40)),
        }
    }
}

/// A declaration of an array whose ends are written and read.
fn fill(declaration: &str, place: u64) -> String {
    let last = format!("sizeof a{place} / sizeof *a{place} - 1");
    format!(
        "    {declaration}\n    a{place}[0] = r;\n    a{place}[{last}] = x;\n    \
         r = mix(a{place}[0], a{place}[{last}]);\n"
    )
}

/// The same in a block of its own, for an array of a size that is computed.
fn use_sized(declaration: &str, size: &str, place: u64) -> String {
    format!(
        "    {{\n        {declaration}\n        for (word i = 0; i < {size}; i++)\n            \
         a{place}[i] = r + i;\n        r = mix(a{place}[0], a{place}[{size} - 1]);\n    }}\n"
    )
}

fn registers(place: u64, count: u64) -> String {
    let mut text = String::new();
    for index in 0..count {
        let _ = writeln!(text, "    word v{place}_{index} = mix(r, {index});");
    }
    let all: Vec<String> = (0..count).map(|index| format!("v{place}_{index} * {}", 2 * index + 1)).collect();
    let _ = writeln!(text, "    r += {};", all.join(" + "));
    text
}

fn switch(place: u64, count: u64) -> String {
    let mut text = format!("    switch (r % {count}) {{\n");
    for index in 0..count - 1 {
        let _ =
            writeln!(text, "    case {index}:\n        r = mix(r, x + {});\n        break;", place + index);
    }
    text + "    default:\n        r += 3;\n        break;\n    }\n"
}

fn computed_goto(place: u64, count: u64) -> String {
    let labels: Vec<String> = (0..count).map(|index| format!("&&l{place}_{index}")).collect();
    let mut text = format!(
        "    static const void *const t{place}[] = {{{}}};\n    goto *t{place}[r % {count}];\n",
        labels.join(", ")
    );
    for index in 0..count {
        let _ = writeln!(text, "l{place}_{index}:\n    r = mix(r, {});", index + 1);
    }
    text
}
