//! Places where invariants are broken, gathered by invariant and section.

use cfidiff_model::{Address, BrokenInvariant, Case, Invariant, Place, SectionOffset, Severity};

use crate::command_line::path_of;

/// What was found so far.
pub(super) struct Findings {
    max_places: usize,
    clusters: Vec<Cluster>,
}

/// The places of one invariant in one section.
struct Cluster {
    key: Invariant,
    section: String,
    places: Vec<Place>,
    count: u64,
}

impl Findings {
    pub(super) fn new(max_places: usize) -> Findings {
        Findings { max_places, clusters: Vec::new() }
    }

    /// Adds a place: an offset in the section and the code that it is about. The words are asked for only when they
    /// are kept.
    pub(super) fn add(
        &mut self,
        key: Invariant,
        section: &str,
        offset: u64,
        address: u64,
        found: impl FnOnce() -> String,
    ) {
        let known = self.clusters.iter().position(|cluster| cluster.key == key && cluster.section == section);
        let at = known.unwrap_or_else(|| {
            let section = section.to_owned();
            self.clusters.push(Cluster { key, section, places: Vec::new(), count: 0 });
            self.clusters.len() - 1
        });
        let cluster = &mut self.clusters[at];
        cluster.count += 1;
        if cluster.places.len() < self.max_places.max(1) {
            let (offset, address) = (SectionOffset(offset), Address(address));
            cluster.places.push(Place { offset, address, found: found() });
        }
    }

    /// The findings in the order of the report.
    pub(super) fn finish(self, case: &Case) -> Vec<BrokenInvariant> {
        let mut clusters = self.clusters;
        clusters.sort_by(|a, b| {
            let rank = |cluster: &Cluster| (cluster.key.severity(), cluster.key);
            rank(a).cmp(&rank(b)).then_with(|| a.section.cmp(&b.section))
        });
        clusters.into_iter().map(|cluster| broken(cluster, case)).collect()
    }
}

fn broken(cluster: Cluster, case: &Case) -> BrokenInvariant {
    let Cluster { key, section, places, count } = cluster;
    let severity = key.severity();
    let option = match severity {
        Severity::Info => "--severity info ",
        Severity::Error | Severity::Warning => "",
    };
    BrokenInvariant {
        key,
        severity,
        file: case.name.clone(),
        section,
        places,
        count,
        reason: format!("{} ({})", key.must(), key.clause()),
        repro: format!("cfidiff invariants {option}{}", path_of(case)),
    }
}
