//! How accesses of one domain are kept in order.

/// `--order`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Order {
    /// The seed's baseline: one access after the other inside a domain, consecutive loads side by side.
    Serial,
    /// Order only where two accesses, one of them a store, may meet (DESIGN 4.4).
    #[default]
    Pipelined,
}
