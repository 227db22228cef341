//! Which engine computes the verdicts. None of them gives another verdict than `verify_strict`.

use super::claim::Claim;
use super::fixed_key::FixedKey;
use super::lanes::Ifma;
use super::{portable, verify};

/// What the user asks for (`--signatures`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// The fastest that the processor has.
    #[default]
    Auto,
    /// `verify_strict` for every signature.
    Reference,
    /// Windows of the key, on any processor.
    Portable,
    /// The same in eight lanes, on a processor with AVX-512 IFMA.
    Ifma,
    /// The same verdict on everything, to see that it is found out.
    #[cfg(test)]
    Wrong(bool),
}

/// What computes the verdicts.
#[derive(Clone, Copy, Debug)]
pub enum Engine {
    /// `verify_strict` of ed25519-dalek.
    Reference,
    /// Windows of the key, one signature after the other.
    Portable,
    /// Windows of the key, eight signatures at once.
    Ifma(Ifma),
    /// One that says the same of everything, to see that it is found out.
    #[cfg(test)]
    Wrong(bool),
}

impl Engine {
    /// The engine that was asked for; `None` where the processor does not have it.
    pub fn of(choice: Choice) -> Option<Self> {
        match choice {
            Choice::Auto => Some(Ifma::detect().map_or(Engine::Portable, Engine::Ifma)),
            Choice::Reference => Some(Engine::Reference),
            Choice::Portable => Some(Engine::Portable),
            Choice::Ifma => Ifma::detect().map(Engine::Ifma),
            #[cfg(test)]
            Choice::Wrong(verdict) => Some(Engine::Wrong(verdict)),
        }
    }

    /// The name, as on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Reference => "reference",
            Engine::Portable => "portable",
            Engine::Ifma(_) => "ifma",
            #[cfg(test)]
            Engine::Wrong(_) => "wrong",
        }
    }

    /// Judge each claim under the key; the verdicts are appended in the same order.
    pub fn judge(self, key: &FixedKey, claims: &[Claim<'_>], verdicts: &mut Vec<bool>) {
        match self {
            Engine::Reference => {
                verdicts.extend(claims.iter().map(|claim| verify(key.verifying(), claim.message, claim.signature)));
            }
            Engine::Portable => portable::judge(key, claims, verdicts),
            Engine::Ifma(ifma) => ifma.judge(key, claims, verdicts),
            #[cfg(test)]
            Engine::Wrong(verdict) => verdicts.extend(claims.iter().map(|_| verdict)),
        }
    }
}
