//! Rules of registers against the plainest model of them: a map, and a stack of maps. Programs at random set, restore,
//! remember and go back (DWARF 5 sections 6.4.2.3 and 6.4.2.4).

mod common;

use std::collections::BTreeMap;

use common::{Layout, faults, rows};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::RngSeed;

/// Registers of every kind of place: few, so that a program meets them often.
const REGISTERS: [u64; 9] = [0, 1, 63, 64, 127, 128, 129, 200, 0x12_3456_789a];

#[derive(Clone, Copy, Debug)]
enum Step {
    Offset(u64, u8),
    Undefined(u64),
    Restore(u64),
    Remember,
    RestoreState,
    CfaOffset(u8),
    Advance(u8),
}

fn steps(length: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Step>> {
    let register = || select(&REGISTERS[..]);
    let step = prop_oneof![
        6 => (register(), 0..0x80u8).prop_map(|(register, operand)| Step::Offset(register, operand)),
        2 => register().prop_map(Step::Undefined),
        4 => register().prop_map(Step::Restore),
        2 => Just(Step::Remember),
        2 => Just(Step::RestoreState),
        1 => (0..0x80u8).prop_map(Step::CfaOffset),
        3 => (0..0x40u8).prop_map(Step::Advance),
    ];
    prop::collection::vec(step, length)
}

fn number(value: u64) -> String {
    let mut text = String::new();
    let mut rest = value;
    while rest >= 0x80 {
        text += &format!("{:02x}", rest & 0x7f | 0x80);
        rest >>= 7;
    }
    text + &format!("{rest:02x}")
}

fn encode(step: Step) -> String {
    match step {
        Step::Offset(register @ 0..64, operand) => format!("{:02x}{operand:02x}", 0x80 | register),
        Step::Offset(register, operand) => format!("05{}{operand:02x}", number(register)),
        Step::Undefined(register) => format!("07{}", number(register)),
        Step::Restore(register @ 0..64) => format!("{:02x}", 0xc0 | register),
        Step::Restore(register) => format!("06{}", number(register)),
        Step::Remember => "0a".into(),
        Step::RestoreState => "0b".into(),
        Step::CfaOffset(offset) => format!("0e{offset:02x}"),
        Step::Advance(delta) => format!("{:02x}", 0x40 | delta),
    }
}

#[derive(Clone, Default)]
struct State {
    cfa_offset: u8,
    rules: BTreeMap<u64, String>,
}

/// The state after the CIE's steps, and the rows of the FDE at 0x1000 with 0x10000 bytes; the data factor is -4.
fn model(cie: &[Step], fde: &[Step]) -> Vec<String> {
    let mut state = State::default();
    let (mut initial, mut stack) = (State::default(), Vec::new());
    let (mut location, mut rows) = (0x1000u64, Vec::new());
    let row = |start: u64, end: u64, state: &State| {
        let rules: String =
            state.rules.iter().map(|(register, rule)| format!(" r{register}:{rule}")).collect();
        format!("{start:x}-{end:x} r7+{}{rules}", state.cfa_offset)
    };
    for (index, &step) in cie.iter().chain(fde).enumerate() {
        if index == cie.len() {
            initial = state.clone();
            stack.clear();
        }
        match step {
            Step::Offset(register, operand) => {
                let offset = -4 * i64::from(operand);
                state.rules.insert(register, format!("c{offset:+}"));
            }
            Step::Undefined(register) => drop(state.rules.insert(register, "u".into())),
            Step::Restore(register) => match initial.rules.get(&register) {
                Some(rule) => drop(state.rules.insert(register, rule.clone())),
                None => drop(state.rules.remove(&register)),
            },
            Step::Remember => stack.push(state.clone()),
            Step::RestoreState => state = stack.pop().unwrap_or(state),
            Step::CfaOffset(offset) => state.cfa_offset = offset,
            Step::Advance(delta) => {
                rows.push(row(location, location + u64::from(delta), &state));
                location += u64::from(delta);
            }
        }
    }
    rows.push(row(location, 0x1_1000, &state));
    rows
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2000,
        rng_seed: RngSeed::Fixed(0xc0f1),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn rules_are_those_of_a_map(cie in steps(0..12), fde in steps(1..60)) {
        // A CIE has neither locations nor rules to go back to.
        let allowed = |step: &Step| !matches!(step, Step::Advance(_) | Step::Restore(_) | Step::RestoreState);
        let cie: Vec<Step> = cie.into_iter().filter(allowed).collect();
        let program = |steps: &[Step]| steps.iter().map(|&step| encode(step)).collect::<String>();
        let mut layout = Layout::debug_frame();
        layout.cie(&format!("01 00 01 7c 10 0c0700 {}", program(&cie)));
        layout.plain_fde(0, 0x1000, 0x1_0000, &program(&fde));
        let entry = layout.read_fde();
        prop_assert!(faults(&entry).len() <= 1, "restore_state without a state, once");
        prop_assert_eq!(rows(&entry), model(&cie, &fde));
    }
}
