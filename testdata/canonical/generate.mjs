// What ECMAScript makes of random rows: one JSON object a line with `form`, `line` and `out`
// (of `latin1-low-byte` the bytes in hex).
//
//     node generate.mjs SEED COUNT > node.jsonl

let state = BigInt(process.argv[2]) + 1n;
const bits = () => (state = BigInt.asUintN(64, state * 6364136223846793005n + 1442695040888963407n)) >> 16n;
const below = (limit) => Number(bits() % BigInt(limit));
const pick = (list) => list[below(list.length)];

const CHARS = ['a', 'b', 'z', '0', '~', '\x7f', '/', '"', '\\', '\n', '\t', '\r', '\b', '\f', '\0', '\x1f', '\x80', '\xe9',
  'e\u0301', '\u2028', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{1f600}', '\u0141'];
const INDICES = ['0', '1', '2', '10', '9', '01', '-1', '1.0', '4294967294', '4294967295', '4294967296', '__proto__', '00'];

const string = () => Array.from({ length: pick([0, 1, 1, 2, 3, 9]) }, () => pick(CHARS)).join('');
const spelled = (text) => below(2) ? JSON.stringify(text)
  : '"' + [...Array(text.length).keys()].map((at) => '\\u' + text.charCodeAt(at).toString(16).padStart(4, '0')).join('') + '"';

function number() {
  switch (below(5)) {
    case 0: return pick(['0', '-0', '-0.0', '1.0', '1e21', '1e20', '1E15', '1e-6', '1e-7', '5e-324', '1e-400', '9007199254740993',
      '18446744073709551616', '123456789012345678901234567890']);
    case 1: return String(below(2000) - 1000);
    case 2: return `${below(1000000) / 1000}`;
    case 3: return `${1 + below(9)}e${below(628) - 320}`;
  }
  const double = new Float64Array(new BigUint64Array([bits() << 16n | bits() & 0xffffn]).buffer)[0];
  return Number.isFinite(double) ? double.toExponential() : '1.5';
}

function value(depth) {
  const kind = below(depth < 4 ? 8 : 5);
  if (kind < 2) return number();
  if (kind < 4) return spelled(string());
  if (kind === 4) return pick(['true', 'false', 'null']);
  if (kind < 7) return row(depth + 1);
  return '[' + Array.from({ length: below(4) }, () => value(depth + 1)).join(',') + ']';
}

function row(depth = 0) {
  const names = new Set(Array.from({ length: below(7) }, () => below(2) ? pick(INDICES) : string()));
  return '{' + [...names].map((name) => spelled(name) + ': ' + value(depth)).join(',') + '}';
}

function sorted(value) {
  if (Array.isArray(value)) return '[' + value.map(sorted).join(',') + ']';
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  return '{' + Object.keys(value).sort().map((name) => JSON.stringify(name) + ':' + sorted(value[name])).join(',') + '}';
}

for (let left = Number(process.argv[3]); left > 0; left--) {
  const line = row();
  const parsed = JSON.parse(line);
  const outs = {
    'stringify': JSON.stringify(parsed),
    'stringify-2': JSON.stringify(parsed, null, 2),
    'jcs': sorted(parsed),
    'latin1-low-byte': Buffer.from(JSON.stringify(parsed, null, 2), 'latin1').toString('hex'),
  };
  for (const [form, out] of Object.entries(outs)) console.log(JSON.stringify({ form, line, out }));
}
