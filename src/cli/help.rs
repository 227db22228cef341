//! The help: one screen, laid by hand. A test holds it to the arguments that there are.

pub(super) const HELP: &str = "\
Tells, offline, whether an exported hash-chained and signed JSONL ledger is whole.

usage: ledger-verify EXPORT... --key FILE [options]          one ledger, in one or more files
       ledger-verify --each EXPORT... --key FILE [options]   each EXPORT a ledger of its own
       ledger-verify head EXPORT... --key FILE [options]     the pin of a whole ledger, for --head
       ledger-verify explain EXPORT... ROW [options]         one row step by step, and near misses
       ledger-verify compare A B [options]                   two exports: the same, longer, forked
       ledger-verify profiles [NAME | check …]               the formats it knows; trying a profile
       ledger-verify bundle DIR|ZIP, or receipt FILE         an evidence bundle; a receipt
       ledger-verify report show|check FILE.json …           an earlier report; does it still fit?
       ledger-verify --explain CODE                          what a finding means and what to do
       EXPORT is a file, - for standard input, or a folder of parts; several are parts in order
A command is the first word, and has a --help of its own; a file named like one is given as ./head.

trust
  --key [ID=]FILE      public key (PEM, DER, OpenSSH, JWK, hex, base64, raw); bound to chain ID;
                       repeat it for rotated keys
  --manifest FILE      what the exporter says the export holds; a sidecar EXPORT.manifest.json is
                       found by itself and counts if one of the keys signed it
  --head HASH[@SEQ]    a head seen earlier, or the format's own pin line; repeat it for several
  --witness FILE --namespace NAME
                       the pins of a witness, and the ledger's name among them
  --artefacts DIR      copies of artefacts that rows name, hashed and compared with what they state
  --since REPORT.json  an earlier report, which vouches for the bytes it is of: new rows are checked
format
  --profile NAME       the ledger's format: a built-in name or a TOML file [detected]
  --recipe READINGS, --genesis TEXT    what the format leaves open, as prev=raw; the first link
judgement
  --accept BOUND, --strict    waive one bound, as no-anchor; those not accepted are faults
  --expect-rows N, --expect-span FROM..TO, --expect-profile NAME
                       what is known of the ledger, as 2026-01-01..2026-03-31; else a fault
  --max-row-bytes N    longest row in bytes [67108864]
  --signatures ENGINE  auto, reference, portable or ifma: the same verdicts, at other speeds [auto]
output
  --report KIND=PATH   text, json, html, junit, intoto, sarif, certificate; a file or -; repeat it
  --operator TEXT, --case-id TEXT    who runs it and for which case, told in reports
  --json, --quiet      the report as JSON; no report, the exit code alone
  --max-findings N, --subject-digest none    findings listed [100]; no SHA-256 of the file
  --color WHEN, --threads N    auto, always or never; one for each core; also --help, --version

examples
  ledger-verify export.jsonl --key pk.pem
  ledger-verify export.jsonl --key old.pem --key new.pem --manifest manifest.json
  ledger-verify export.jsonl --key pk.pem --head 0xa10e…3b08@18422 --json

exit codes
  0  verified: every row was checked and passed (or every limit was accepted)
  1  broken: at least one fault
  2  no verdict: it could not run, and says why
  3  bounded: no fault, but something limits what was vouched for
";
