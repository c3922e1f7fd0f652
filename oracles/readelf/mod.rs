//! GNU readelf.
