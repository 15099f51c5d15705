//! The fabric's identity: config.json carries it, and the loader refuses an image made for another fabric.

use crate::model::Adg;
use sha2::{Digest, Sha256};

/// SHA-256 of the canonical fabric MLIR text, in hexadecimal. Equal architectures have equal hashes, whatever form
/// they were read from.
pub fn fabric_hash(adg: &Adg) -> String {
    Sha256::digest(crate::mlir::write(adg).as_bytes()).iter().map(|b| format!("{b:02x}")).collect()
}
