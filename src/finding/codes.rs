//! The table of finding codes: permanent names, classes, and what each one means.
//!
//! The order is the order of findings on one line (DESIGN: faults of a row, of the chain, of an
//! anchor, then bounds, then notes). docs/findings.md and `--explain` are made from this table and from prose.rs, which
//! tells causes and what to do.

/// What a finding does to the verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Proves damage or tampering: the verdict is `broken`.
    Fault,
    /// Limits what was vouched for: the verdict is at best `bounded`.
    Bound,
    /// Changes nothing.
    Note,
}

impl Class {
    /// The word for it in reports.
    pub fn name(self) -> &'static str {
        match self {
            Class::Fault => "fault",
            Class::Bound => "bound",
            Class::Note => "note",
        }
    }
}

macro_rules! codes {
    ($($variant:ident $name:literal $class:ident: $meaning:literal;)*) => {
        /// The kinds of finding, in the order in which they stand on one line.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code { $(#[doc = $meaning] $variant,)* }

        impl Code {
            /// Every code, in the table's order.
            pub const ALL: &'static [Code] = &[$(Code::$variant,)*];

            /// The permanent name, kebab-case.
            pub fn name(self) -> &'static str {
                match self { $(Code::$variant => $name,)* }
            }

            /// The code of this name.
            pub fn named(name: &str) -> Option<Code> {
                Code::ALL.iter().copied().find(|code| code.name() == name)
            }

            /// The class it has unless `--strict` raises it.
            pub fn class(self) -> Class {
                match self { $(Code::$variant => Class::$class,)* }
            }

            /// What it means, in a sentence.
            pub fn meaning(self) -> &'static str {
                match self { $(Code::$variant => $meaning,)* }
            }
        }
    };
}

codes! {
    NotJson "not-json" Fault: "The line is not one strict JSON text (RFC 8259).";
    NotAnObject "not-an-object" Fault: "The line is JSON, but no object.";
    InvalidUtf8 "invalid-utf8" Fault: "The line holds bytes that are not UTF-8.";
    DuplicateKey "duplicate-key" Fault: "An object of the row names a member twice.";
    NumberOutOfRange "number-out-of-range" Fault: "A number has no finite double.";
    NestingTooDeep "nesting-too-deep" Fault: "The row nests deeper than 1,000 levels.";
    RowTooLong "row-too-long" Fault: "The row is longer than the limit.";
    TornRow "torn-row" Fault: "The last line ends in the middle of a row.";
    FieldMissing "field-missing" Fault: "A member that the format needs is absent.";
    FieldMalformed "field-malformed" Fault: "A member does not have the exact form that the format asks for.";
    HashMismatch "hash-mismatch" Fault: "The row's content does not have the digest that the row states.";
    SignatureMissing "signature-missing" Fault: "The row has no signature.";
    SignatureMalformed "signature-malformed" Fault: "The signature's text is not in the exact form.";
    SignatureAlgorithm "signature-algorithm" Fault: "The signature names another algorithm.";
    SignatureInvalid "signature-invalid" Fault: "The signature holds under none of the keys.";
    UnknownKey "unknown-key" Fault: "The row names a key that was not given.";
    LinkBroken "link-broken" Fault: "The row does not state the digest of the row before it.";
    Fork "fork" Fault: "The row states a predecessor that already has a successor.";
    GenesisBroken "genesis-broken" Fault: "The first row's number and link contradict each other.";
    SecondGenesis "second-genesis" Fault: "A later row claims to be the first of the chain.";
    SequenceGap "sequence-gap" Fault: "Sequence numbers are missing.";
    SequenceRepeated "sequence-repeated" Fault: "A row, or a sequence number, stands twice.";
    SequenceBackwards "sequence-backwards" Fault: "The sequence number is lower than the one before.";
    ChainMixed "chain-mixed" Fault: "The row names another chain than the one it stands in.";
    ReversalInvalid "reversal-invalid" Fault: "The row reverses something that cannot be reversed.";
    UnchainedRow "unchained-row" Fault: "A row without link stands in the chain.";
    BindMismatch "bind-mismatch" Fault: "A digest of a part of the row, or of a file it names, does not fit.";
    RowUnmatched "row-unmatched" Fault: "The line does not match the format's line form, or its partner.";
    HeadMismatch "head-mismatch" Fault: "An anchor states another head than the export has.";
    ManifestMismatch "manifest-mismatch" Fault: "The manifest states something else than the export shows.";
    AnchorConflict "anchor-conflict" Fault: "Two anchors state different digests for one sequence.";
    PrefixChanged "prefix-changed" Fault: "The export does not begin with the bytes that the earlier report is of.";
    ExpectationFailed "expectation-failed" Fault: "The export is not what the user expects of it.";
    NoKey "no-key" Bound: "No key was given: no signature was checked.";
    KeyUnused "key-unused" Bound: "A key was given that nothing used.";
    KeysInterleaved "keys-interleaved" Bound: "A key comes back after another one took over.";
    UnsignedTail "unsigned-tail" Bound: "Rows after the last signed row are covered by no signature.";
    NoAnchor "no-anchor" Bound: "Nothing outside the export states its head: rows may have been cut off its end.";
    ManifestUnsigned "manifest-unsigned" Bound: "The manifest was only found beside the export and no key vouches for it.";
    WitnessBroken "witness-broken" Bound: "The witness's own chain of pins is broken: they were not compared.";
    WitnessNoRecord "witness-no-record" Bound: "The witness has no pin of this ledger.";
    PartialStart "partial-start" Bound: "The export starts in the middle of a chain: what came before is not in it.";
    AfterAnchor "after-anchor" Bound: "Rows after the furthest anchor are not pinned.";
    PrechainRows "prechain-rows" Bound: "Rows before the chain starts are not covered by it.";
    DeclaredBreak "declared-break" Bound: "A break that the ledger itself declares and explains.";
    ImpreciseNumber "imprecise-number" Bound: "An integer is not exact as a double: its last digits are not covered by the hash.";
    ReversalUnchecked "reversal-unchecked" Bound: "A row reverses one before the start of the export.";
    ChainReset "chain-reset" Bound: "The chain starts anew, as its format allows.";
    Empty "empty" Bound: "The export holds no row: nothing was examined.";
    Bom "bom" Note: "The file starts with a UTF-8 byte order mark.";
    BlankLine "blank-line" Note: "A line is empty.";
    Crlf "crlf" Note: "A line ends in CR LF.";
    NoFinalNewline "no-final-newline" Note: "The last row is whole but has no line end.";
    ClockBackwards "clock-backwards" Note: "A time stamp is earlier than the one before.";
    UncoveredField "uncovered-field" Note: "No preimage covers this member: anyone can change it.";
    SidecarIgnored "sidecar-ignored" Note: "A manifest found beside the export is malformed or about another ledger.";
    DeclarationUnused "declaration-unused" Note: "A declared break excuses nothing.";
    ArtefactInconsistent "artefact-inconsistent" Note: "A digest of something outside contradicts itself, or is none that could be checked.";
    ArtefactUnchecked "artefact-unchecked" Note: "No copy of the artefact was there to be hashed.";
    RestoreMismatch "restore-mismatch" Note: "The ledger itself says that an undo did not restore what it should.";
}
