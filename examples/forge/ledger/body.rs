//! What a row says: entries of a few kinds of agents' work, and compensations.
//!
//! Nothing here knows of hashes. Content is varied where verifiers have been wrong before: floats
//! whose shortest text is not obvious, large integers that are exact doubles, text outside ASCII in
//! composed and decomposed form, right-to-left text, emoji, characters that need escapes, nulls.

use serde_json::{Map, Value, json};

use super::random::Random;

/// A kind of work that an agent does.
struct Work {
    agent: &'static str,
    intent: &'static str,
    tool: &'static str,
    class: &'static str,
    systems: &'static [&'static str],
    external: &'static str,
}

#[rustfmt::skip]
const WORK: &[&Work] = &[
    &Work { agent: "billing-ops", intent: "issue_refund", tool: "stripe.refunds.create", class: "R3", systems: &["payments", "ledger", "mail"], external: "re_" },
    &Work { agent: "billing-ops", intent: "send_invoice", tool: "erp.invoices.send", class: "R2", systems: &["erp", "mail"], external: "in_" },
    &Work { agent: "it-desk", intent: "read_invoice", tool: "erp.invoices.get", class: "R0", systems: &["erp"], external: "rd_" },
    &Work { agent: "it-desk", intent: "rotate_webhook", tool: "ops.webhooks.rotate", class: "R2", systems: &["ops", "payments"], external: "wh_" },
    &Work { agent: "crm-sync", intent: "update_contact", tool: "crm.contacts.update", class: "R1", systems: &["crm"], external: "ct_" },
    &Work { agent: "crm-sync", intent: "merge_contacts", tool: "crm.contacts.merge", class: "R2", systems: &["crm", "search"], external: "mg_" },
    &Work { agent: "hr-onboarding", intent: "create_account", tool: "idp.users.create", class: "R2", systems: &["idp", "mail", "badge"], external: "us_" },
    &Work { agent: "hr-onboarding", intent: "revoke_access", tool: "idp.sessions.revoke", class: "R1", systems: &["idp"], external: "rv_" },
    &Work { agent: "warehouse", intent: "reserve_stock", tool: "wms.stock.reserve", class: "R1", systems: &["wms"], external: "st_" },
    &Work { agent: "treasury", intent: "wire_transfer", tool: "bank.payments.initiate", class: "R3", systems: &["bank", "ledger"], external: "tr_" },
];

/// Text that was read or written wrongly somewhere before.
const NOTES: &[&str] = &[
    "customer asked twice",
    "Rückerstattung für Bestellung",    // NFC
    "Re\u{301}sume\u{301} of the case", // NFD
    "支払いは保留中です",
    "تم رفض الطلب",
    "הבקשה אושרה",
    "approved 👍🏽 by the family 👨‍👩‍👧",
    "line one\nline two\ttabbed",
    "a \"quoted\" path C:\\temp\\out and a/b/c",
    "<b>not html</b> & so on",
    "separators \u{2028} and \u{2029} and \u{85} are text",
    "bell \u{7} and null-like \u{1} controls",
    "",
];

/// Doubles whose text is easily got wrong.
const DOUBLES: &[&f64] =
    &[&12.5, &1e-7, &-0.1, &0.000001, &117.63331139400017, &1e21, &4.35, &-1.5e-9, &0.1, &1e23, &5e-324];

/// Integers that are exact doubles.
const INTEGERS: &[&u64] = &[&9007199254740992, &9007199254740991, &4611686018427387904, &1000000000000000000, &0];

/// Words that fill a row up to its size.
const WORDS: &[&str] =
    &["order", "ticket", "review", "policy", "amount", "region", "queue", "batch", "owner", "été", "naïve"];

/// The first time stamp: milliseconds since 1970 of 2026-01-01T00:00:00Z.
const FIRST_TIME: i64 = 1_767_225_600_000;

/// The time of the row at this index: rows are 1.7 s apart and never run backwards.
pub fn timestamp(index: u64, random: &mut Random) -> String {
    let milliseconds = FIRST_TIME + index as i64 * 1_700 + random.below(1_600) as i64;
    let time = jiff::Timestamp::from_millisecond(milliseconds).expect("a few hundred million rows fit in the calendar");
    format!("{time:.3}")
}

/// An entry: what an agent did. `bytes` is the size that its line should have with hash and signature.
pub fn entry(sequence: u64, index: u64, workspace: &str, bytes: usize, random: &mut Random) -> Map<String, Value> {
    let work = random.pick(WORK);
    let time = timestamp(index, random);
    let held = matches!(work.class, "R3") || (work.class == "R2" && random.once_in(4));
    let budget = 1 + random.below(99);
    let budget_entry = format!("{}:{}:{budget}of99", work.class.to_lowercase(), time.get(..10).unwrap_or_default());
    let systems = work.systems.to_vec();
    let policy = if held {
        json!({"decision": "hold", "rule": "irreversible transfer"})
    } else {
        json!({"decision": "allow", "rule": "default"})
    };
    let approver = random.pick(&["dana@acme.example", "josé@acme.example", "李雷@acme.example"]);
    let mut row = Map::new();
    row.insert("sequence".into(), sequence.into());
    row.insert("workspace".into(), workspace.into());
    row.insert("agent".into(), work.agent.into());
    row.insert("timestamp".into(), time.into());
    row.insert("intent".into(), work.intent.into());
    row.insert("tool".into(), work.tool.into());
    row.insert("payload_digest".into(), format!("sha256:{}", random.hex(64)).into());
    row.insert("blast_radius".into(), json!({"systems": systems, "records": random.below(400)}));
    row.insert("class".into(), work.class.into());
    row.insert("policy".into(), policy);
    row.insert("approved_by".into(), if held { approver.into() } else { Value::Null });
    row.insert("result".into(), result(work, random));
    row.insert("snapshot".into(), snapshot(random));
    row.insert("compensation".into(), compensation_plan(work, random));
    row.insert("budget_entry".into(), budget_entry.into());
    if random.once_in(12) {
        row.insert("note".into(), random.pick(NOTES).into());
    }
    if random.once_in(14) {
        row.insert("metrics".into(), metrics(random));
    }
    fill(&mut row, bytes, random);
    row
}

/// A compensation: the replay of an undo. It has no workspace and no agent.
pub fn compensation(sequence: u64, target: u64, random: &mut Random) -> Map<String, Value> {
    let mut row = Map::new();
    row.insert("sequence".into(), sequence.into());
    row.insert("kind".into(), "compensation".into());
    row.insert("reverses".into(), target.into());
    row.insert("class".into(), "R0".into());
    row.insert("action".into(), format!("restore(sha256:{})", random.hex(64)).into());
    row.insert("result".into(), json!({"status": "ok", "digest_match": true}));
    row.insert("operator".into(), random.pick(&["dana@acme.example", "josé@acme.example"]).into());
    row
}

fn result(work: &Work, random: &mut Random) -> Value {
    let external = format!("{}{}", work.external, random.hex(8));
    if random.once_in(15) {
        return json!({"status": "error", "code": 429, "external_id": null, "retry_after": 2.5});
    }
    if work.class == "R3" {
        // Amounts are decimal money as double: 0.01 steps have every kind of shortest text.
        let cents = random.below(5_000_000);
        return json!({"status": "ok", "external_id": external, "amount": cents as f64 / 100.0, "currency": "EUR"});
    }
    json!({"status": "ok", "external_id": external})
}

fn snapshot(random: &mut Random) -> Value {
    if random.once_in(6) { format!("sha256:{}", random.hex(64)).into() } else { Value::Null }
}

fn compensation_plan(work: &Work, random: &mut Random) -> Value {
    if work.class == "R1" && random.once_in(2) {
        let steps = [json!({"op": "restore", "args": [work.systems[0], random.below(90), null, true]})];
        json!({"tool": work.tool, "steps": steps, "expires": null})
    } else {
        Value::Null
    }
}

fn metrics(random: &mut Random) -> Value {
    json!({
        "latency_ms": random.below(90_000) as f64 / 8.0,
        "cost": random.pick(DOUBLES),
        "drift": -(random.below(1_000) as f64) / 1e4,
        "tokens": random.pick(INTEGERS),
        "🙂": [],
        "\u{fb33}": {"": false},
    })
}

/// Fill the row with words up to `bytes` or somewhat less: rows that are longer by themselves, and
/// compensations, which are shorter, bring the average about there.
fn fill(row: &mut Map<String, Value>, bytes: usize, random: &mut Random) {
    // prev_hash, hash and signature are still to come: 314 bytes with their names.
    let now = serde_json::to_vec(row).expect("a row has text").len() + 314;
    let wanted = bytes * 13 / 20 + random.below(bytes as u64 * 3 / 10 + 1) as usize;
    if wanted < now + 32 {
        return;
    }
    let mut text = String::with_capacity(wanted - now);
    while text.len() + now + 16 < wanted {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(random.pick(WORDS));
    }
    row.insert("context".into(), text.into());
}
