//! The help: one screen, laid by hand. A test holds it to the arguments that there are.

pub(super) const HELP: &str = "\
Tells, offline, whether an exported hash-chained and signed JSONL ledger is whole.

usage: ledger-verify EXPORT... --key FILE [options]
       ledger-verify --explain CODE
       EXPORT is a file, - for standard input, or a folder of parts; several are parts in order

trust
  --key [ID=]FILE      public key (PEM, DER, OpenSSH, JWK, hex, base64, raw); bound to chain ID;
                       repeat it for rotated keys
  --manifest FILE      what the exporter says the export holds; a sidecar EXPORT.manifest.json is
                       found by itself and counts if one of the keys signed it
  --head HASH[@SEQ]    a head seen earlier; repeat it for several
format
  --profile NAME       the ledger's format: a built-in name or a TOML file [void]
  --recipe READINGS    pin what the format leaves open, as prev=raw,signed=text
judgement
  --accept BOUND       waive one bound, as no-anchor; repeat it for several
  --strict             every bound that is not accepted is a fault
  --max-row-bytes N    longest row in bytes [67108864]
output
  --json               the report as JSON
  --quiet              no report, the exit code alone
  --max-findings N     how many findings are listed; all are counted [100]
  --color WHEN         auto, always or never [auto]
  --threads N          threads [one for each core]
  --explain CODE       what a finding means and what to do
  --help, --version

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
