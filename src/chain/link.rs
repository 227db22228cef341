//! Links: what the next row may state as its predecessor.

use crate::fact::{Digest, DigestFact, Facts, Reading};

/// The last row of a chain, as the next one may name it.
#[derive(Clone, Debug)]
pub struct Tip {
    /// What the next row states, in a format where that is not the digest.
    name: Option<Digest>,
    /// Its digest as it states it.
    stated: Option<Digest>,
    /// Its digest as recomputed, where that is another one.
    recomputed: Recomputed,
}

#[derive(Clone, Debug)]
enum Recomputed {
    /// The stated one, or none can be computed.
    AsStated,
    Unknown,
    One(Digest),
    /// By reading, none of which is settled yet.
    Readings(Box<[Digest]>),
}

impl Tip {
    /// A row whose stated digest fits.
    pub fn fitting(hash: Digest, name: Option<Digest>) -> Self {
        Tip { name, stated: Some(hash), recomputed: Recomputed::AsStated }
    }

    /// Something that is no row of the export, by its name alone.
    pub fn named(name: Digest) -> Self {
        Tip { name: Some(name), stated: None, recomputed: Recomputed::Unknown }
    }

    /// Any row, in this reading.
    pub fn of(facts: &Facts, reading: Option<Reading>) -> Self {
        let recomputed = match &facts.digest {
            DigestFact::Fits => Recomputed::AsStated,
            DigestFact::Recomputed(digest) => Recomputed::One(*digest),
            DigestFact::Unknown => Recomputed::Unknown,
            DigestFact::Readings(digests) => match reading.and_then(|reading| digests.get(usize::from(reading))) {
                Some(digest) => Recomputed::One(*digest),
                None => Recomputed::Readings(digests.clone()),
            },
        };
        Tip { name: facts.name, stated: facts.hash, recomputed }
    }

    /// Whether `prev` names this row; `None` where nothing is known of its digest.
    pub fn is_named_by(&self, prev: &Digest) -> Option<bool> {
        if let Some(name) = &self.name {
            return Some(name == prev);
        }
        if self.stated.as_ref() == Some(prev) {
            return Some(true);
        }
        match &self.recomputed {
            Recomputed::One(digest) => Some(digest == prev),
            Recomputed::Readings(digests) => Some(digests.contains(prev)),
            Recomputed::AsStated => Some(false),
            Recomputed::Unknown => self.stated.map(|_| false),
        }
    }

    /// The digests by which the next row may name it.
    pub fn names(&self) -> impl Iterator<Item = Digest> {
        let (name, stated) = (self.name, self.stated.filter(|_| self.name.is_none()));
        let recomputed: &[Digest] = match &self.recomputed {
            _ if name.is_some() => &[],
            Recomputed::One(digest) => std::slice::from_ref(digest),
            Recomputed::Readings(digests) => digests,
            Recomputed::AsStated | Recomputed::Unknown => &[],
        };
        name.into_iter().chain(stated).chain(recomputed.iter().copied())
    }

    /// Its digest as its bytes prove it, in this reading; never the stated text alone.
    pub fn head(&self, reading: Reading) -> Option<Digest> {
        match &self.recomputed {
            Recomputed::AsStated => self.stated,
            Recomputed::Unknown => None,
            Recomputed::One(digest) => Some(*digest),
            Recomputed::Readings(digests) => digests.get(usize::from(reading)).copied(),
        }
    }

    /// Its digest where only its bytes show it: the row states another one, or none.
    pub fn unstated(&self) -> impl Iterator<Item = Digest> {
        self.names().filter(|digest| self.stated != Some(*digest))
    }
}
