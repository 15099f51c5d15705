//! Topology builders: the crossbar tile, the mesh, and the text of the default fabrics.
//!
//! A crossbar tile has one switch and processing elements in ranks around it (docs/design.md, "How H5, H6 and H8 go
//! together"). Registered sources (link FIFOs, turn-around FIFOs, PEs with output buffers) may feed everything; a combinational PE feeds only PEs of higher
//! ranks, PEs with output buffers, links and turn-arounds. So `valid` runs up the ranks and `ready` down, and no
//! configuration closes a combinational cycle (H5). Links begin in a FIFO of the tile they enter (H6).

mod crossbar;
mod defaults;
mod mesh;

pub use crossbar::{crossbar, CrossbarSpec};
pub use defaults::{mesh_toml, mesh_toml_of};
pub use mesh::{mesh, MeshError, MeshMemory, MeshSpec, MAX_SIDE};

/// The four sides of a tile, in the order of ports and of the mesh's boundary.
pub const DIRECTIONS: [char; 4] = ['n', 'e', 's', 'w'];

const SIDES: [&str; 4] = ["the north", "the east", "the south", "the west"];
