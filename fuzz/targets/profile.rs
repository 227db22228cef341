//! A profile: compiles alike each time and with a comment more, and its plan checks any row.

use ledger_verify::algorithm::{KeyWish, SignatureAlgorithm};
use ledger_verify::check::Checker;
use ledger_verify::fact::Place;
use ledger_verify::profile::{self, Plan, Role, RoleIndex};
use ledger_verify::stop::StopCode;
use ledger_verify::trust::key;
use ledger_verify::trust::keyring::Keyring;

const KEY: &[u8] = include_bytes!("../../testdata/faults/fork/pk.pem");
const ROWS: &[u8] = include_bytes!("../../testdata/faults/fork/export.jsonl");

/// Holds the profile to what must be true of any.
pub fn check(text: &[u8]) {
    let Ok(text) = std::str::from_utf8(text) else { return };
    match profile::from_toml(text, "profile") {
        Ok(plan) => {
            // A comment more is another text, and nothing else.
            let mut longer = profile::from_toml(&format!("{text}\n# more"), "profile").expect("it compiled before");
            assert_ne!(plan.sha256, longer.sha256);
            longer.sha256.clone_from(&plan.sha256);
            assert_eq!(format!("{plan:?}"), format!("{longer:?}"));
            let recipe = plan.recipe_text(plan.settled());
            assert!(recipe.is_empty() || plan.pinned(&recipe).is_ok(), "{recipe} cannot be pinned");
            assert_eq!(rows(&plan), rows(&longer));
        }
        Err(stop) => {
            assert_eq!(stop.code, StopCode::Profile);
            assert!(!stop.message.contains('\n'), "a stop is one line: {:?}", stop.message);
        }
    }
}

/// What the plan makes of some rows.
fn rows(plan: &Plan) -> Vec<String> {
    let mut keys = Keyring::default();
    // One key for every role that takes such a key.
    let wish = KeyWish::of(SignatureAlgorithm::Ed25519);
    for public in key::read(KEY, &wish, "key").expect("a good key") {
        let fits = |role: &Role| role.wish.algorithm == SignatureAlgorithm::Ed25519;
        let roles = plan.roles.iter().enumerate().filter(|(_, role)| fits(role));
        let ways = roles.map(|(index, _)| (Some(RoleIndex(index)), public.clone())).collect();
        keys.add(ways, None, None).expect("room for it");
    }
    let mut checker = Checker::new(plan, &keys, plan.settled());
    let place = Place { part: 0, line: 1, offset: 0, length: 0 };
    ROWS.split(|&byte| byte == b'\n').map(|row| format!("{:?}", checker.check(place, row, true, None))).collect()
}
