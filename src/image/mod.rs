//! From a path or bytes to cases.
