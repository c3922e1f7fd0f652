//! placeholder
/// x
pub fn register_name(_m: crate::Machine, _n: u64) -> Option<&'static str> { None }
/// y
pub fn register_by_name(_m: crate::Machine, _name: &str) -> Option<u64> { None }
