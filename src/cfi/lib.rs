//! The in-house reader of call frame information.
