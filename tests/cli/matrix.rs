//! `cfidiff corpus --matrix`: readers on the suite.

use serde_json::Value;

use crate::support::run;

const CFIDIFF: &str = env!("CARGO_BIN_EXE_cfidiff");

#[test]
fn each_reader_has_each_case_in_one_class() {
    let mine = format!("mine={CFIDIFF} reader");
    let options = ["corpus", "--matrix", "--reader", "gimli", "--reader-cmd", &mine, "--format", "json"];
    let matrix: Value = serde_json::from_str(&run(options).exits(0).stdout).expect("one object");
    let all = &matrix["all"];
    let cases = all["cases"].as_u64().expect("a number");
    for (number, name) in ["gimli", "mine"].into_iter().enumerate() {
        let cell = &all["cells"][number];
        assert_eq!((&matrix["readers"][number]["name"], &cell["reader"]), (&name.into(), &name.into()));
        let count = |class: &str| cell[class].as_u64().expect("a number");
        let sum: u64 = ["pass", "wrong", "rejected", "unsupported"].into_iter().map(count).sum();
        assert_eq!(sum, cases, "{name}");
    }
    // Ours as another reader is right on all that it can be asked about.
    let mine = &all["cells"][1];
    assert_eq!((&mine["wrong"], &mine["rejected"]), (&0.into(), &0.into()));
    assert!(mine["pass"].as_u64().is_some_and(|pass| pass > 400));
    let causes = matrix["causes"].as_array().expect("a list");
    let omitted = causes.iter().find(|cause| cause["id"] == "gimli-omitted-lsda").expect("gimli has it");
    assert_eq!(
        (&omitted["example"], &omitted["class"]),
        (&"augmentation/aug-lsda-omit".into(), &"rejected".into())
    );
}

#[test]
fn the_matrix_is_text_or_markdown() {
    let text = run(["corpus", "--matrix", "--reader", "gimli", "-v"]);
    text.exits(0).says("topic").says("augmentation").says("pass/wrong/rejected/unsupported");
    text.says("  rejected gimli-omitted-lsda: gimli 1, first augmentation/aug-lsda-omit\n      ");
    let markdown = run(["corpus", "--matrix", "--reader", "gimli", "--format", "markdown"]);
    markdown
        .exits(0)
        .says("| topic | cases | gimli 0.")
        .says("| all | ")
        .says("| `gimli-omitted-lsda` | rejected | ");
}

#[test]
fn what_is_of_the_matrix_alone_is_refused_without_it() {
    run(["corpus", "--format", "markdown"]).exits(2).logs("the matrix alone has a form in Markdown");
    run(["corpus", "--list", "--reader", "gimli"]).exits(2).logs("readers are asked for --matrix alone");
    run(["corpus", "--matrix", "--list"]).exits(2);
}
