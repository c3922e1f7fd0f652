//! libdw, the library of elfutils: asked through the protocol of external readers by a client in C, which is compiled
//! where libdw is.
//!
//! It decodes by code of its own, not by that of eu-readelf's printer, and answers for single addresses.

use std::time::Duration;

use crate::compiled::Client;
use crate::external::External;
use crate::{Missing, registry};

/// The name under which reports list it.
pub const NAME: &str = "libdw";

const CLIENT: Client =
    Client { name: NAME, source: include_str!("clients/libdw.c"), libraries: &["-ldw", "-lelf"] };

/// The version that the client is linked with. It may take this much time for a file.
///
/// # Errors
/// When there is no compiler, or libdw or its headers are missing.
pub fn probe(time_out: Duration) -> Result<External, Missing> {
    CLIENT.start(time_out).map_err(|why| Missing {
        name: NAME.to_owned(),
        why,
        install: registry::tool(NAME).map_or_else(String::new, |tool| tool.install.to_owned()),
    })
}
