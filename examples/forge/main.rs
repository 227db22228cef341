//! forge: makes home-format ledgers for tests, benches and demonstrations.
//!
//!     cargo run --release --example forge -- --rows 1000000 --out target/million
//!     cargo run --release --example forge -- --rows 50 --fault fork@20 --out /tmp/forked
//!     cargo run --release --example forge -- fixtures testdata
//!
//! It holds signing keys, which the auditor's binary never does: that is why it is an example and no
//! command. The keys follow from the seed and protect nothing.

mod ledger;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use ledger::fault::{FAULTS, Fault, Planned};
use ledger::{Form, Job, Manifest, Recipe, digest_text, files, fixtures};

/// Make a ledger in the home format, honest or with chosen faults. The same options give the same bytes.
#[derive(Parser)]
#[command(name = "forge", args_conflicts_with_subcommands = true)]
struct Options {
    #[command(subcommand)]
    command: Option<Command>,
    /// How many rows.
    #[arg(long, default_value_t = 1_000)]
    rows: u64,
    /// Content and keys follow from it.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The workspace of the chain.
    #[arg(long, default_value = "acme")]
    workspace: String,
    /// How hashes are appended and signed: prev=raw|text|hex,signed=raw|text|hex.
    #[arg(long, value_parser = parse_recipe, default_value = "prev=raw,signed=raw")]
    recipe: Recipe,
    /// The first sequence number; above 1 it is a slice of a longer ledger.
    #[arg(long, default_value_t = 1)]
    start: u64,
    /// How many rows in a hundred are compensations.
    #[arg(long, value_name = "PERCENT", default_value_t = 2, value_parser = clap::value_parser!(u64).range(0..=50))]
    compensations: u64,
    /// Something that goes wrong, at a row counted from 1; may be repeated. `forge list` names them all.
    #[arg(long, value_name = "NAME[@ROW]")]
    fault: Vec<String>,
    /// So many of the last rows fork, each from one of the first rows.
    #[arg(long, value_name = "N", default_value_t = 0)]
    late_forks: u64,
    /// What stands beside the export: signed, unsigned or none.
    #[arg(long, value_parser = parse_manifest, default_value = "signed")]
    manifest: Manifest,
    /// The manifest's file name.
    #[arg(long, value_name = "NAME", default_value = "export.manifest.json")]
    manifest_name: String,
    /// Size of a row, about and on average.
    #[arg(long, value_name = "N", default_value_t = 830)]
    row_bytes: usize,
    /// Leave the signatures out.
    #[arg(long)]
    no_sign: bool,
    /// The folder to write to.
    #[arg(long, value_name = "DIR", default_value = "target/forge")]
    out: PathBuf,
}

#[derive(Subcommand)]
enum Command {
    /// Write all fixtures of testdata anew.
    Fixtures {
        /// The testdata folder.
        #[arg(default_value = "testdata")]
        folder: PathBuf,
    },
    /// Name all faults.
    List,
}

fn main() -> ExitCode {
    let options = Options::parse();
    let done = match &options.command {
        Some(Command::Fixtures { folder }) => fixtures::write_all(folder).map_err(|error| error.to_string()),
        Some(Command::List) => {
            FAULTS.iter().for_each(|fault| println!("{}", fault.name));
            Ok(())
        }
        None => make(options),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("forge: {message}");
            ExitCode::from(2)
        }
    }
}

fn make(options: Options) -> Result<(), String> {
    let rows = options.rows;
    let faults = options.fault.iter().map(|text| parse_fault(text, rows)).collect::<Result<_, _>>()?;
    let job = Job {
        seed: options.seed,
        rows,
        workspace: options.workspace,
        recipe: options.recipe,
        start: options.start,
        compensations: options.compensations,
        row_bytes: options.row_bytes,
        sign: !options.no_sign,
        write_key: true,
        manifest: if options.no_sign && options.manifest == Manifest::Signed {
            Manifest::Unsigned
        } else {
            options.manifest
        },
        manifest_name: options.manifest_name,
        faults,
        late_forks: options.late_forks,
    };
    let summary =
        files::write_folder(&job, &options.out).map_err(|error| format!("{}: {error}", options.out.display()))?;
    println!("{} rows, head {}@{}", summary.rows, digest_text(&summary.head), summary.last_sequence);
    for Planned { fault, row } in &job.faults {
        println!("fault {} at row {row}, with it {:?}", fault.name, fault.partners());
    }
    Ok(())
}

fn parse_fault(text: &str, rows: u64) -> Result<Planned, String> {
    let (name, row) = text.split_once('@').map_or((text, None), |(name, row)| (name, Some(row)));
    let fault = Fault::named(name).ok_or_else(|| format!("no fault is called {name}: try `forge list`"))?;
    let row = match row {
        None => fault.usual_row(rows),
        Some(row) => row.parse().map_err(|_| format!("{row} is no row"))?,
    };
    if row == 0 || row > rows {
        return Err(format!("{name}: there is no row {row}, rows count from 1 to {rows}"));
    }
    Ok(Planned { fault, row })
}

fn parse_recipe(text: &str) -> Result<Recipe, String> {
    let mut recipe = Recipe::default();
    for half in text.split(',') {
        let (what, form) = half.split_once('=').ok_or("a recipe is prev=FORM,signed=FORM")?;
        let form = match form {
            "raw" => Form::Raw,
            "text" => Form::Text,
            "hex" => Form::Hex,
            _ => return Err(format!("{form} is none of raw, text, hex")),
        };
        match what {
            "prev" => recipe.prev = form,
            "signed" => recipe.signed = form,
            _ => return Err(format!("{what} is neither prev nor signed")),
        }
    }
    Ok(recipe)
}

fn parse_manifest(text: &str) -> Result<Manifest, String> {
    match text {
        "signed" => Ok(Manifest::Signed),
        "unsigned" => Ok(Manifest::Unsigned),
        "none" => Ok(Manifest::None),
        _ => Err(format!("{text} is none of signed, unsigned, none")),
    }
}
