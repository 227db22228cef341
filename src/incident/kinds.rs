//! The table of kinds: permanent names, how each is recognised, what it does not prove, what to do.
//!
//! docs/incidents.md is made from it; the sentences that name rows and files are the report's.

macro_rules! kinds {
    ($($variant:ident $name:literal $title:literal $pattern:literal $limit:literal $next:literal;)*) => {
        /// What most likely happened.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Kind { $(#[doc = $title] $variant,)* }

        impl Kind {
            /// Every kind, in the table's order.
            pub const ALL: &'static [Kind] = &[$(Kind::$variant,)*];

            /// The permanent name, kebab-case.
            pub fn name(self) -> &'static str {
                match self { $(Kind::$variant => $name,)* }
            }

            /// What happened, in a few words.
            pub fn title(self) -> &'static str {
                match self { $(Kind::$variant => $title,)* }
            }

            /// How it is recognised.
            pub fn pattern(self) -> &'static str {
                match self { $(Kind::$variant => $pattern,)* }
            }

            /// What it does not prove.
            pub fn limit(self) -> &'static str {
                match self { $(Kind::$variant => $limit,)* }
            }

            /// What to do next.
            pub fn next(self) -> &'static str {
                match self { $(Kind::$variant => $next,)* }
            }
        }
    };
}

kinds! {
    ContentEdited "content-edited" "Rows were edited after they were hashed."
        "The content does not have the stated digest, and the signature, or the link of the next row, speaks for the stated one."
        "Who edited them and what stood there before. A writer that hashes some values in another way leaves the same trace."
        "Compare the rows with the source system's own copy, member by member. If they are the same there, the writer hashes \
         some value in another way than the profile says.";
    DigestEdited "digest-edited" "The digest that a row states was edited, its content was not."
        "The stated digest is not the content's, but the signature, or the link of the next row, speaks for the content's."
        "Who edited it."
        "Ask for a fresh export. The content itself is vouched for.";
    FieldsDamaged "fields-damaged" "A member of the row was removed or written in another form."
        "A member that the format needs is absent or not in the exact form, and nothing shows what stood there."
        "Whether an edit, a converter or the writer did it."
        "Check that the profile is the right one, and compare the rows with the source.";
    WrittenMalformed "written-malformed" "The writer wrote a member in another form than the format asks for."
        "A member is absent or not in the exact form, but digest and signature fit the row as it stands."
        "That anybody changed the row: nobody did."
        "Ask for the writer's version, and whether the profile is the right one.";
    RowsRehashed "rows-rehashed-without-key" "Rows were replaced and hashed anew by someone without the key."
        "Digests and links are good, signatures fail, and either the next row was chained to other rows or the export ends there."
        "Which of the rows were changed: all of them lost their signature. Rows to the end may also be signed with a new key."
        "Treat the rows as forged. If the ledger changed its key at this row, give the new key with --key as well.";
    KeyChanged "key-changed" "From a row on the ledger is signed with a key that was not given."
        "Signatures fail from a row to the end while all else is good, and an anchor with a valid signature states the head."
        "Whose the other key is."
        "Ask the operator for the new key by a way you trust, and give it with --key as well.";
    WrongKey "wrong-key" "The key given is not the one the ledger was signed with."
        "Every signature fails, while digests, links and numbers are good, and nothing else shows that the key is right."
        "That the ledger is genuine: someone without any key could have written it whole."
        "Ask the operator for the ledger's own public key, by another way than the export, and verify again. If the key was \
         right, treat the whole export as forged.";
    SignaturesReplaced "signatures-replaced" "Signatures were altered, or made with a key that was not given."
        "The signature fails, but a later row that is properly signed was chained to exactly this content."
        "Who signed the rows. That the content was accepted into the chain is proved."
        "Ask who else may sign, and for a fresh export to compare the signatures with.";
    SignaturesStripped "signatures-stripped" "Rows have no signature."
        "The signature is absent or empty while digest and links are good."
        "Whether signatures were removed or never made: rows without one can be written by anybody."
        "Ask why these rows are not signed. Until then nothing vouches for their content.";
    SignaturesAltered "signatures-altered" "The text of signatures was altered."
        "The signature is not in the exact form, or names another algorithm, while digest and links are good."
        "Whether a converter or a person did it."
        "Ask for a fresh export and compare the signatures' text.";
    OtherHashing "other-hashing-convention" "The ledger is hashed in another way than the profile says."
        "Every digest is wrong, while every link, number and signature that was judged is good."
        "That the content is what was hashed: it was not checked at all."
        "Ask which bytes the ledger hashes, and choose the profile that says so.";
    RowsDeleted "rows-deleted" "Rows were deleted."
        "A row names a predecessor that is not in the export, and numbers are missing at the same place."
        "What the rows said and who took them out."
        "Ask for the missing rows. Their digests can be checked: the row behind the gap names the last of them.";
    PartMissing "part-missing" "A file between two of the files is missing."
        "Link and numbers break between the last row of one file and the first row of the next."
        "That it was one whole file: rows may also have been cut off the edge of one of the two."
        "Look for the file that holds the missing numbers and give it in its place.";
    RowsInserted "rows-inserted" "Rows were put in that do not belong there."
        "The row behind them is chained to the row before them."
        "Where the rows come from."
        "Find out where the rows come from. Without them the rows around them hold together.";
    RowsAppended "rows-appended" "Rows were put behind the end of the ledger."
        "The anchor states the head of an earlier row, and the rows behind that one do not hold: link or signature fails."
        "Who wrote them."
        "Treat the rows behind the anchored one as forged until a newer manifest vouches for them.";
    RowsSwapped "rows-swapped" "Two rows changed places."
        "Links and numbers break around two rows, and all of them hold with the two exchanged."
        "Why: a sort by time does this as well as a person."
        "Ask for an export in the order of writing. The rows themselves are unchanged.";
    RowsReordered "rows-reordered" "Rows stand in another order than they were written in."
        "Links break between stretches of rows, and all of them hold in another order."
        "Why: a sort by time does this as well as a person."
        "Ask for an export in the order of writing. The rows themselves are unchanged.";
    PartsOutOfOrder "parts-out-of-order" "The files were given in another order than they were written in."
        "All breaks are at first rows of files, and all links hold with the files in another order."
        "Nothing is left open if the files verify in that order."
        "Give the files in the order named here.";
    RowsCopied "rows-copied" "Rows stand in the export twice."
        "The lines are byte for byte the same as earlier ones."
        "Whether anybody meant to: exporting twice into one file does it."
        "Ask for a fresh export. The copies add nothing and the first ones were checked.";
    ConcurrentWriters "concurrent-writers" "Two writers wrote to the ledger at the same time."
        "Two intact rows follow the same row, both signed, or no key was given."
        "Which branch counts, and that no person forked the ledger on purpose."
        "Ask which of the branches counts and why. Two writers at one time are a fault of the system, not of a person.";
    HistoryRewritten "history-rewritten" "Two versions of the ledger's history meet here."
        "A row names a predecessor that is not in the export, the numbers go on, and nothing else is wrong with the rows on both sides."
        "Which of the two is the true one. A history rewritten to the end with the key leaves no trace at all."
        "Compare the rows before this place with the source or an older export. If signatures hold, only holders of the key can have done it.";
    ConcatenatedExports "concatenated-exports" "Another export was joined to this one."
        "A later row is a first row by link and number, or a file continues none of the others."
        "Whether the ledger was started anew or another one was joined."
        "Ask for one file for each ledger, and what happened if it was started anew.";
    LedgerRestarted "ledger-restarted" "The chain was started anew while the numbers went on."
        "A later row claims to have no predecessor, but carries a later number."
        "That no rows were deleted before it: the chain cannot show it."
        "Ask what happened at that row. Compare the rows before it with another source.";
    ForeignRows "rows-of-another-chain" "Rows of another chain stand in this one."
        "The rows name another chain, but digest, link and number fit the one they stand in."
        "Whether the writer or an edit gave them that name, where no signature was judged."
        "Ask the operator how rows of two chains came to be linked.";
    NumbersWrong "numbers-wrong" "The writer counted wrongly."
        "Numbers are missing, repeated or run backwards, while every link around them is good."
        "That rows which were never written had these numbers: links show only that nothing was taken out afterwards."
        "Ask why the numbers are out of step. If links and signatures hold, no row was taken out after signing.";
    LinesUnreadable "lines-unreadable" "Lines cannot be read."
        "The lines are no rows, whatever the reason; the rows on both sides are good."
        "What stood there. The link over the place is not judged: rows may be missing there too, one for each line at most."
        "Ask for a fresh export, copied as a binary file, and compare the lines.";
    LinesJoined "lines-joined" "Line ends were lost, so that rows share a line."
        "An unreadable line stands where one row more is missing than there are lines."
        "That the rows on the line are unchanged: they were not read."
        "Ask for a fresh export, or restore the line ends in a copy and verify that.";
    TornWrite "torn-write" "The last row was not written to its end."
        "The file ends in the middle of a row."
        "Whether the rest was cut off or never written."
        "Ask for a fresh export, taken while nobody writes. The rows before the torn one were checked and stand.";
    BeginningCut "beginning-cut" "Rows were cut off the beginning."
        "The manifest states an earlier first row, or the first row's number and link contradict each other."
        "What the rows said."
        "Ask for the ledger from its true first row.";
    TailCut "tail-cut" "Rows were cut off the end."
        "The anchor states a later last row or more rows than there are, and another head."
        "That anybody cut them: an export taken before the manifest shows the same."
        "Ask for the export that belongs to the anchor.";
    LogGrown "log-grown-past-manifest" "The ledger went on after the manifest was made."
        "The manifest's head and count are those of an earlier row, and the rows behind it are good."
        "That the rows behind the anchored one are all there are."
        "Ask for a newer manifest, or anchor the earlier head with --head as shown.";
    TwoHistories "two-histories" "Anchor and export tell two different histories."
        "The anchor states another digest for a row that nothing else is wrong with."
        "Which of the two is true, or that the anchor belongs to this ledger at all."
        "Find out where the anchor comes from. If it is genuine, the ledger was rewritten after it was made.";
    ManifestAltered "manifest-altered" "The manifest was altered, or made wrongly."
        "Its signature fails, or it contradicts itself: the head fits the export and another member does not."
        "Who altered it. The export itself need not be touched."
        "Ask for the manifest again, by another way than the export.";
    WrongLedger "wrong-ledger" "The manifest is about another ledger."
        "It names another chain and another head than the export has."
        "Anything about the export: no anchor speaks for it."
        "Give the manifest that was made with this export.";
    ChainMissing "chain-missing" "A whole chain is missing from the export."
        "The manifest has an entry for it, the export has no row of it."
        "Why: a filter does this as well as a person."
        "Ask for the rows of that chain.";
}
