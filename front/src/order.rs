//! How accesses of one domain are kept in order.

/// `--order`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Order {
    /// The specification's baseline: one access after the other inside a domain, consecutive loads side by side.
    Serial,
    /// Order only where two accesses, one of them a store, may meet (D3).
    #[default]
    Pipelined,
}
