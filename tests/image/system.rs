//! Real files, against what `readelf -wNf` says of them here and now.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use super::{alone, locations, open};

/// First and last location of each FDE, in order, by case name.
type Locations = BTreeMap<String, Vec<(u64, u64)>>;

/// What readelf prints, or `None` when it is not installed.
fn readelf(path: &Path) -> Option<Locations> {
    let output = Command::new("readelf").arg("-wNf").arg(path).output().ok()?;
    let mut all = Locations::new();
    let mut name = path.display().to_string();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        if let Some(member) = line.strip_prefix("File: ") {
            name = member.to_owned();
        } else if let (true, Some((_, range))) = (line.contains(" FDE "), line.split_once(" pc=")) {
            let number = |digits| u64::from_str_radix(digits, 16).expect("a number of readelf's");
            let (start, end) = range.split_once("..").expect("a range of readelf's");
            all.entry(name.clone()).or_default().push((number(start), number(end)));
        }
    }
    Some(all)
}

fn check(path: &str) {
    let path = Path::new(path);
    if !path.exists() {
        println!("skipped: {} not found", path.display());
        return;
    }
    let Some(expected) = readelf(path) else {
        println!("skipped: readelf not found");
        return;
    };
    let mut all = Locations::new();
    for case in open(path, &alone()).cases {
        let of_case: Vec<_> =
            case.frame_sections().flat_map(|(_, section)| locations::of(section, &case.target)).collect();
        if !of_case.is_empty() {
            all.entry(case.name).or_default().extend(of_case);
        }
    }
    assert!(!all.is_empty(), "{}", path.display());
    assert_eq!(all, expected, "{}", path.display());
}

#[test]
fn a_program() {
    check("/bin/true");
}

#[test]
fn an_object_of_the_c_library() {
    check("/usr/lib/x86_64-linux-gnu/crt1.o");
}

#[test]
fn an_archive_of_the_c_library() {
    check("/usr/lib/x86_64-linux-gnu/libc_nonshared.a");
    check("/usr/lib/x86_64-linux-gnu/libc.a");
}
