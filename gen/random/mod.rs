//! Random C programs with frames of many shapes.
//!
//! A program has no headers, no undefined behaviour and no input. Its functions call later ones only, or themselves
//! to a bounded depth, so that it ends; all arithmetic is on 32-bit unsigned numbers, so that the checksum that it
//! prints is the same on every machine, for every compiler and at every level of optimization. The same seed gives
//! the same bytes everywhere.

mod shapes;

use std::fmt::Write as _;

use oorandom::Rand64;

use shapes::Shape;

/// How many functions a program has, but for `main` and helpers.
const FUNCTIONS: std::ops::Range<u64> = 5..12;
/// The most calls that a run makes.
const MAX_CALLS: u64 = 20_000;
/// How deep a function calls itself.
const DEPTHS: std::ops::Range<u64> = 2..7;

/// What every program begins with: the helpers that functions use, all of which `main` uses as well.
const PRELUDE: &str = "\
extern int printf(const char *, ...);

#define NOINLINE __attribute__((noinline))
/* LLVM for SPARC cannot align the stack of a function that also grows it. */
#if defined __clang__ && defined __sparc__
#define ALIGNED(bytes)
#else
#define ALIGNED(bytes) __attribute__((aligned(bytes)))
#endif

typedef unsigned word;
struct block {
    word words[11];
};

static volatile word one = 1;

static NOINLINE word mix(word x, word y)
{
    x = (x ^ y) * 2654435761u;
    return x ^ x >> 15;
}

static NOINLINE word sum(word count, ...)
{
    __builtin_va_list list;
    word total = count;
    __builtin_va_start(list, count);
    for (word i = 0; i < count; i++)
        total = mix(total, __builtin_va_arg(list, word));
    __builtin_va_end(list);
    return total;
}

static NOINLINE struct block turn(struct block block, word x)
{
    for (word i = 0; i < 11; i++)
        block.words[i] = mix(block.words[10 - i], x + i);
    return block;
}

static NOINLINE __attribute__((noreturn)) void stop(word x)
{
    printf(\"stopped at %u\\n\", x);
    __builtin_trap();
}
";

/// A program by its seed. `entry` is the name of the function that runs it: `main`, or for a part of another program
/// any name, upon which it returns the checksum and prints nothing.
pub fn program(seed: u64, entry: &str) -> String {
    let mut random = Rand64::new(u128::from(seed));
    let count = random.rand_range(FUNCTIONS) as usize;
    let functions = call_graph(count, &mut random);
    let mut text = format!("/* A random program: seed {seed}. */\n{PRELUDE}\n");
    for index in 0..count {
        let _ = writeln!(text, "static NOINLINE word f{index}(word x, word depth);");
    }
    for (index, function) in functions.iter().enumerate() {
        text += &function.text(index, count, &mut random);
    }
    text += &main(entry, &mut random);
    text
}

/// A function's place in the call graph.
#[derive(Default)]
struct Function {
    /// The functions that it calls, each later than itself.
    callees: Vec<usize>,
    /// How deep it calls itself.
    depth: u64,
}

/// Every function is called by the one before it at least, and none so often that the program would run long.
fn call_graph(count: usize, random: &mut Rand64) -> Vec<Function> {
    let mut calls = vec![1; count];
    let mut functions: Vec<Function> = Vec::new();
    for index in (0..count).rev() {
        let mut function = Function::default();
        let mut cost = 1;
        if index + 1 < count {
            function.callees.push(index + 1);
            cost += calls[index + 1];
        }
        for _ in 0..random.rand_range(0..3) {
            let Some(later) = (count - index).checked_sub(1).filter(|later| *later > 0) else { break };
            let callee = index + 1 + random.rand_range(0..later as u64) as usize;
            if cost + calls[callee] <= MAX_CALLS / 8 {
                function.callees.push(callee);
                cost += calls[callee];
            }
        }
        let depth = random.rand_range(DEPTHS);
        if random.rand_range(0..3) == 0 && cost * (depth + 1) <= MAX_CALLS {
            function.depth = depth;
            cost *= depth + 1;
        }
        calls[index] = cost;
        functions.push(function);
    }
    functions.reverse();
    functions
}

impl Function {
    /// The definition.
    fn text(&self, index: usize, count: usize, random: &mut Rand64) -> String {
        let mut body = String::new();
        let mut shapes = Shape::ALL.to_vec();
        for place in 0..random.rand_range(1..4) {
            let shape = shapes.swap_remove(random.rand_range(0..shapes.len() as u64) as usize);
            body += &shape.text(place, random);
            if let Some(callee) = self.callees.get(place as usize) {
                let _ = writeln!(body, "    r = mix(r, f{callee}(r + {place}, {}));", depth_of(random));
            }
        }
        for callee in self.callees.iter().skip(3) {
            let _ = writeln!(body, "    r += f{callee}(r, 0);");
        }
        if self.depth > 0 {
            // The depth that a caller asks for is bounded here, whatever it is.
            let _ = writeln!(body, "    if (depth % {} > 0)", self.depth + 1);
            let _ = writeln!(body, "        r ^= f{index}(r ^ x, depth % {} - 1);", self.depth + 1);
        }
        if index + 1 < count && random.rand_range(0..4) == 0 {
            let _ = writeln!(body, "    word (*volatile next)(word, word) = f{};", index + 1);
            let _ = writeln!(body, "    if (!one)\n        r += next(r, 0);");
        }
        let end = match random.rand_range(0..4) {
            // The call is the last instruction, so its return address is behind the function.
            0 => "    if (one)\n        return r;\n    stop(r);\n",
            // The last call may be a jump.
            1 => "    return mix(r, x);\n",
            _ => "    return r ^ x;\n",
        };
        format!(
            "\nstatic NOINLINE word f{index}(word x, word depth)\n{{\n    word r = mix(x, depth);\n{body}{end}}}\n"
        )
    }
}

/// A depth to ask for.
fn depth_of(random: &mut Rand64) -> u64 {
    random.rand_range(0..DEPTHS.end)
}

/// The function that runs it all.
fn main(entry: &str, random: &mut Rand64) -> String {
    let start = random.rand_range(1..1 << 32);
    let head = if entry == "main" { "int main(void)".to_owned() } else { format!("unsigned {entry}(void)") };
    let end =
        if entry == "main" { "    printf(\"%08x\\n\", r);\n    return 0;\n" } else { "    return r;\n" };
    let prototype = if entry == "main" { String::new() } else { format!("\n{head};\n") };
    format!(
        "{prototype}\n{head}\n{{\n    struct block block = {{{{0}}}};\n    word r = f0({start}u * one, {});\n    \
         r = sum(3, r, turn(block, r).words[5], one);\n    if (!one)\n        stop(r);\n{end}}}\n",
        depth_of(random)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_bytes_on_every_machine() {
        // Taken from a run on x86-64 whose programs gcc and clang agree on.
        let hash = |text: &str| blake3::hash(text.as_bytes()).to_hex()[..16].to_owned();
        assert_eq!(hash(&program(1, "main")), "0a7ef7bf254f0bfd");
        assert_eq!(hash(&program(2, "companion_1")), "d38bfabfd32c9e6d");
        assert_ne!(program(1, "main"), program(2, "main"));
    }

    #[test]
    fn the_call_graph_has_no_cycles_and_ends_soon() {
        for seed in 0..200 {
            let functions = call_graph(11, &mut Rand64::new(seed));
            let mut calls = vec![0; functions.len()];
            for (index, function) in functions.iter().enumerate().rev() {
                assert!(function.callees.iter().all(|callee| *callee > index), "{seed}");
                let once: u64 = 1 + function.callees.iter().map(|callee| calls[*callee]).sum::<u64>();
                calls[index] = once * (function.depth + 1);
            }
            assert!(calls[0] <= 2 * MAX_CALLS, "{seed}: {} calls", calls[0]);
            assert!(
                functions[..10].iter().enumerate().all(|(index, function)| function.callees[0] == index + 1)
            );
        }
    }
}
