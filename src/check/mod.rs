//! What one row proves by itself (the integrator's rooms; so far the signature engine).

pub mod ed25519;
