//! Exit codes: what a run's end tells a program.

/// How a run ended. The numbers are a contract.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Exit {
    /// 0: everything that was compared agrees or is explained.
    Agree,
    /// 1: there are findings that nothing explains, or, when strict, files that are wrong by themselves or entries of a
    /// list of expected findings that are not in order.
    Findings,
    /// 2: the command line is wrong, or an input that was named cannot be read.
    Usage,
    /// 3: an oracle, a reader or a compiler broke, or one that was asked for is not there.
    ReaderBroke,
    /// 4: nothing was compared.
    NothingCompared,
}

impl Exit {
    /// Every way to end, in the order of the codes.
    pub const ALL: [Exit; 5] =
        [Exit::Agree, Exit::Findings, Exit::Usage, Exit::ReaderBroke, Exit::NothingCompared];

    /// The process's exit code.
    pub fn code(self) -> u8 {
        match self {
            Exit::Agree => 0,
            Exit::Findings => 1,
            Exit::Usage => 2,
            Exit::ReaderBroke => 3,
            Exit::NothingCompared => 4,
        }
    }

    /// What the code says, in a few words.
    pub fn meaning(self) -> &'static str {
        match self {
            Exit::Agree => "everything that was compared agrees or is explained",
            Exit::Findings => {
                "unexplained differences; in invariants or with --strict, what else is out of order"
            }
            Exit::Usage => "wrong usage, or an input that cannot be read",
            Exit::ReaderBroke => "an oracle, reader or compiler broke, or was asked for and is missing",
            Exit::NothingCompared => "nothing was compared",
        }
    }
}
