//! What lies behind a finding and what to do about it, in words for an auditor who is no
//! programmer. `--explain`, docs/findings.md and the text report are made from this table.
//!
//! A bound's action says how to lift it; whether to accept it instead is the reader's decision.

use super::Code;

macro_rules! prose {
    ($($variant:ident $cause:literal $action:literal;)*) => {
        impl Code {
            /// What usually lies behind it.
            pub fn cause(self) -> &'static str {
                match self { $(Code::$variant => $cause,)* }
            }

            /// What to do next.
            pub fn action(self) -> &'static str {
                match self { $(Code::$variant => $action,)* }
            }
        }
    };
}

prose! {
    NotJson
        "The file was edited by hand, mixed with other output, or damaged in transit."
        "Ask for a fresh export from the source and compare the line with it.";
    NotAnObject
        "Something else than a ledger row was written into the file, a list or a bare text for example."
        "Ask the operator what wrote this line, and for a fresh export.";
    InvalidUtf8
        "The file was converted between character sets, cut inside a character, or damaged in transit."
        "Ask for a fresh export, copied as a binary file.";
    DuplicateKey
        "The row was edited so that two readers see two different values, or a faulty writer made it."
        "Treat the row as tampered with until the operator shows the original. Do not trust either value.";
    NumberOutOfRange
        "The row was edited, or its writer lets numbers grow beyond what the format can carry."
        "Ask for the original row and for the writer's version.";
    NestingTooDeep
        "The row was built to make a reader fail. No honest row is nested this deep."
        "Ask where the row comes from.";
    RowTooLong
        "Line ends were lost, so that many rows became one, or a very large value was stored in a row."
        "Ask for a fresh export. If the row is meant to be this long, raise the limit with --max-row-bytes.";
    TornRow
        "The export was taken while the ledger was being written, or copying it was interrupted."
        "Ask for a fresh export. The rows before the torn one were checked and stand.";
    FieldMissing
        "A member was removed from the row, or the file is of another format."
        "Check that the profile is the right one. If it is, treat the row as edited.";
    FieldMalformed
        "A value was edited or re-formatted: other letters, another length, another type."
        "Compare the row with the source. A format converter between source and export can also do this.";
    HashMismatch
        "The row's content was changed after it was written. If every row has this fault, the ledger follows \
         another way of hashing."
        "Compare the row with the source system's own copy. Find out who could write to the export.";
    SignatureMissing
        "The signature was removed, or the row was written by something that does not hold the key."
        "Ask how the row came to be written without the key.";
    SignatureMalformed
        "The signature was cut, edited or re-formatted."
        "Ask for a fresh export and compare the signature's text.";
    SignatureAlgorithm
        "The row was written by another system, or someone tries to have it checked by weaker rules."
        "Treat the row as unsigned until the operator explains the other algorithm.";
    SignatureInvalid
        "The row was changed and hashed anew without the key, or signed with another key. If all rows have this \
         fault and no other, the wrong key was given."
        "Make sure that the key is the ledger's own. If it is, treat the rows as forged.";
    UnknownKey
        "The ledger changed its key, or someone else signed the row."
        "Ask the operator for this key by a way you trust, and give it with --key as well.";
    LinkBroken
        "Rows before this one were deleted, inserted, replaced or put in another order."
        "Compare the rows on both sides of the break with the source. Everything inside each side still holds together.";
    Fork
        "Two writers wrote at the same time, or a different history was written beside the first."
        "Ask which of the two branches counts and why. Two writers at one time are a fault of the system, not of a person.";
    GenesisBroken
        "The first rows were cut off and the new first row was dressed up as a beginning, or its number was edited."
        "Ask for the ledger from its true first row.";
    SecondGenesis
        "Two exports were joined into one file, or the ledger was started anew."
        "Ask for one file for each ledger, and what happened when it was started anew.";
    SequenceGap
        "Rows were deleted, or numbers were handed out for rows that were never written."
        "Ask for the missing rows. If the link of this row is whole, nothing was cut out after signing.";
    SequenceRepeated
        "A row was copied into the file again, or two rows were given one number."
        "Compare both rows. Equal ones come from repeated exporting, different ones need an explanation.";
    SequenceBackwards
        "Rows were put in another order, or parts of an export were given in the wrong order."
        "Check the order of the files. If it is right, compare the rows with the source.";
    ChainMixed
        "A row of another chain was put into this one, or exports of several chains were joined."
        "Ask for one export for each chain.";
    ReversalInvalid
        "The record of an undo was edited or invented, or the system undid something twice."
        "Look at the row that it names, and ask for the system's own record of the undo.";
    UnchainedRow
        "The row's link was removed, so that what stood before it could be changed unseen, or a writer that knows \
         no chain wrote it."
        "Treat the place as a break of the chain.";
    BindMismatch
        "The part, or the file that the row names, was changed after the row was written."
        "Compare it with the source's own copy.";
    RowUnmatched
        "A line was edited, lost its partner, or does not belong to the ledger."
        "Look at the line and at its neighbours, and check that the profile is the right one.";
    HeadMismatch
        "Rows were cut off the end, or the end was rewritten, or the manifest belongs to an earlier state."
        "Check that the manifest was made with this export. If the ledger went on after it, anchor its earlier head \
         with --head.";
    ManifestMismatch
        "Manifest and export were not made together, or one of them was changed."
        "Ask for the pair that was made together.";
    AnchorConflict
        "The history was rewritten between the two anchors, or one of them belongs to another ledger."
        "Find out where each anchor comes from. If both are genuine, the ledger told two histories.";
    PrefixChanged
        "History was rewritten after that report was made; or the report is of another export, or of one in other parts."
        "Run it without --since to see what is wrong with the rows, and compare with the export that the report is of.";
    ExpectationFailed
        "The export is an older, shorter or another one than was asked for, or the expectation is wrong."
        "Ask for the export of the whole period. If it is the right one, correct the --expect option.";
    NoKey
        "The verifier was run without the ledger's public key."
        "Give the public key with --key FILE, received by another way than the export.";
    KeyUnused
        "The format has no signatures, or the key belongs to another ledger."
        "Leave the key out, or choose the profile that the key is for.";
    KeysInterleaved
        "An old key was used again after its successor took over, or two writers share one chain."
        "Ask when each key was valid. Bind keys to chains with --key ID=FILE where there are several.";
    UnsignedTail
        "The format signs only some rows, and the export ends between two of them."
        "Ask for an export that ends with a signed row.";
    NoAnchor
        "The verifier was given nothing but the export itself."
        "Give --manifest FILE, or a head seen earlier with --head HASH@SEQUENCE.";
    ManifestUnsigned
        "A manifest lay beside the export. Whoever could change the export could change it too."
        "If you know where the manifest comes from, name it with --manifest FILE, or ask for a signed one.";
    WitnessBroken
        "The witness's file was edited, cut in the middle or put in another order, or damaged in transit."
        "Ask the witness for its pins again. What a broken store says is neither proof nor disproof.";
    WitnessNoRecord
        "The namespace is spelled otherwise, the ledger was never pinned, or its pins were taken out of the end."
        "Check --namespace, and ask the witness for its pins of this ledger.";
    PartialStart
        "The export is an excerpt, or old rows were deleted as the rules for keeping them allow."
        "Ask for the whole ledger, or anchor the start: --head with the hash and sequence of the row before it.";
    AfterAnchor
        "The ledger went on after the anchor was made."
        "Ask for a newer manifest or head.";
    PrechainRows
        "The chain was switched on when the ledger already held rows."
        "Nothing in the export can vouch for these rows. Compare them with another source, or accept the bound.";
    DeclaredBreak
        "The system noticed a break in its own chain and wrote down why."
        "Read the declaration and decide whether its reason convinces you, then accept the bound.";
    ImpreciseNumber
        "The system writes integers that are longer than its format can carry exactly."
        "Compare the number with the source, and ask for such numbers to be written as text.";
    ReversalUnchecked
        "The export is an excerpt, and the row that was undone stands before it."
        "Ask for an export that starts earlier.";
    ChainReset
        "The format lets a ledger begin anew, after a restart for example. Rows before that point could have been \
         deleted unseen."
        "Ask for the reason of the restart, and for the head before it.";
    Empty
        "The file is empty or holds blank lines only. The export failed, or everything was deleted."
        "Ask for the export again. This bound cannot be accepted.";
    Bom
        "A program of the Windows world saved the file."
        "Nothing: the mark stands outside the rows.";
    BlankLine
        "The file was joined or edited by hand."
        "Nothing: empty lines carry no content. They keep their line numbers.";
    Crlf
        "The file passed through a program that writes line ends of the Windows world."
        "Nothing: the character stands outside the rows.";
    NoFinalNewline
        "The writer leaves the last line open, or the export was taken while it was writing."
        "Nothing, if the anchor fits: the last row is whole.";
    ClockBackwards
        "The system's clock was set back, or several machines write with different clocks."
        "Do not derive the order of rows from their time stamps. The chain gives the order.";
    UncoveredField
        "The format leaves this member out of what it hashes, or it was added after the row was written."
        "Do not rely on the values of this member.";
    SidecarIgnored
        "A manifest of another ledger, or a damaged one, lies beside the export."
        "If it is meant for this export, name it with --manifest FILE to see what is wrong with it.";
    DeclarationUnused
        "The ledger explains a break that this export does not have, or the line has another text than the one that is pinned, or a later declaration counts for it."
        "Read it in the list of declared breaks, which says whether its pin holds.";
    ArtefactInconsistent
        "The writer made it so: its digest is malformed, of a kind that is not known, or not the one of its subject."
        "Do not rely on what the row says of this artefact. The row itself is whole.";
    ArtefactUnchecked
        "The folder given with --artefacts has no file of that name, or none that may be read."
        "Ask for the artefact, put it into the folder under its name, and run again.";
    RestoreMismatch
        "The undo met a state that had changed in the meantime, and the system recorded that."
        "Ask what the state was after the undo. The record itself is whole.";
}
