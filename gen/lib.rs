//! Cases made to order.
