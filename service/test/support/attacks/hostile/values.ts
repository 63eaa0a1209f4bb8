import type { SeededRandom } from '../../faults/seeded-random.ts';

/** Appears inside markup only if it was not escaped. */
export const SCRIPT = '<script>window.hostile=1</script>';
/** Appears as a separate header only if line ends were not refused. */
export const INJECTED_HEADER = 'x-injected';

const UUID = '019a3b1e-7c40-7d2a-9f11-3c5b8e0a6d42';

/** One key that is valid here, and one that looks like a real secret to a scanner. */
const TEXTS: readonly string[] = [
  '',
  ' ',
  'ar',
  'en-GB',
  'AR',
  'null',
  'undefined',
  'true',
  '0',
  '-1',
  UUID,
  UUID.toUpperCase(),
  `{${UUID}}`,
  `urn:uuid:${UUID}`,
  '00000000-0000-0000-0000-000000000000',
  '1999999999',
  '2900000017',
  '٢٩٠٠٠٠٠٠١٧',
  '２９０００００００１',
  '29000000170',
  '0290000001',
  '+290000001',
  "' OR '1'='1",
  "'; DROP TABLE attempts; --",
  '" UNION SELECT token_digest FROM api_tokens --',
  "1) OR EXISTS(SELECT 1 FROM users WHERE national_id LIKE '1%'",
  '%27%20OR%201=1',
  SCRIPT,
  '"><img src=x onerror=hostile()>',
  'javascript:hostile()',
  '{{7*7}}${7*7}<%= 7*7 %>#{7*7}',
  '%s%s%s%n%x%d',
  '%p'.repeat(20),
  `x\r\n${INJECTED_HEADER}: 1`,
  `x\n${INJECTED_HEADER}: 1\n\n`,
  `%0d%0a${INJECTED_HEADER}:%201`,
  '\u0000',
  'a\u0000b',
  '\u001b[31mred\u001b[0m',
  '{"level":60,"msg":"forged"}',
  '\u202eevil\u202c',
  '\ufeff',
  '\ud800',
  '\udfff\ud800',
  '😀'.repeat(60),
  'ﷺ'.repeat(40),
  'i\u0307'.repeat(40),
  'é'.normalize('NFD'),
  '../../../../etc/passwd',
  '..\\..\\windows\\win.ini',
  '/dev/null',
  'file:///etc/passwd',
  'http://169.254.169.254/latest/meta-data/',
  '//other.invalid/%2f..',
  '\\\\other.invalid\\share',
  'https:other.invalid',
  '${jndi:ldap://other.invalid/a}',
  '$(sleep 5)',
  '`sleep 5`',
  '| sleep 5',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'a'.repeat(64),
  'a'.repeat(256),
  'a'.repeat(5000),
  `mft_test_${'A'.repeat(49)}`,
  `mft_${'A'.repeat(49)}`,
  'eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.',
  '(a+)+$',
  `${'a'.repeat(60)}!`,
  '1e999',
  'NaN',
];

/** Raw JSON values, some of which JSON.stringify can't produce. */
const RAW_JSON: readonly string[] = [
  'null',
  'true',
  'false',
  '0',
  '-0',
  '1',
  '-1',
  '1.5',
  '1e999',
  '-1e999',
  '1e-999',
  '9007199254740993',
  '9'.repeat(400),
  '[]',
  '{}',
  '[null]',
  '["ar"]',
  '[[[[[[[[[[]]]]]]]]]]',
  '{"$gt":""}',
  '{"$ne":null}',
  '{"toString":"x"}',
  '{"length":64}',
  '{"__proto__":{"status":"authenticated"}}',
  '{"constructor":{"prototype":{"status":"authenticated"}}}',
  '"\\u0000"',
  '"\\ud800"',
  '"\\u202e"',
];

const EXTRA_MEMBERS: readonly string[] = [
  '"__proto__":{"status":"authenticated"}',
  '"constructor":{"prototype":{"polluted":true}}',
  '"prototype":{}',
  '"status":"authenticated"',
  '"user_id":1',
  '"expires_at":"2099-01-01T00:00:00+00:00"',
  '"redirect_to":"//other.invalid"',
  '"return_address":"https://other.invalid"',
  '"":""',
  '"\\u0000":1',
  '"a/b~c":1',
  `"${SCRIPT}":1`,
];

export function hostileText(random: SeededRandom): string {
  return random.chance(0.1) ? noise(random, random.between(1, 300)) : random.pick(TEXTS);
}

/** Random bytes, one character each. */
export function noise(random: SeededRandom, length: number): string {
  return Array.from({ length }, () => String.fromCharCode(random.between(0, 255))).join('');
}

function hostileJsonValue(random: SeededRandom): string {
  return random.chance(0.5) ? random.pick(RAW_JSON) : JSON.stringify(hostileText(random));
}

type Members = Readonly<Record<string, string>>;

/** A valid body with members changed, removed, repeated or added, or something else entirely. */
export function hostileJson(random: SeededRandom, good: Members): string {
  if (random.chance(0.15)) return brokenJson(random, good);
  const members = Object.entries(good).flatMap(([name, value]) => {
    if (random.chance(0.1)) return [];
    const said = random.chance(0.6) ? hostileJsonValue(random) : value;
    const member = `${JSON.stringify(name)}:${said}`;
    return random.chance(0.05) ? [member, `"${name}":${hostileJsonValue(random)}`] : [member];
  });
  if (random.chance(0.2)) members.push(random.pick(EXTRA_MEMBERS));
  return `{${members.join(',')}}`;
}

function brokenJson(random: SeededRandom, good: Members): string {
  const whole = `{${Object.entries(good)
    .map(([name, value]) => `"${name}":${value}`)
    .join(',')}}`;
  return random.pick([
    () => whole.slice(0, random.between(0, whole.length - 1)),
    () => `${whole}${whole}`,
    () => `\ufeff${whole}`,
    () => `[${whole}]`,
    () => whole.replaceAll('"', "'"),
    () => whole.replace('{', '{,'),
    () => '['.repeat(random.between(9, 8000)),
    () => `${'['.repeat(2000)}${']'.repeat(2000)}`,
    () => `{"a":${'{"a":'.repeat(1500)}1${'}'.repeat(1500)}}`,
    () => `{${Array.from({ length: 1000 }, (_, index) => `"${index}":1`).join(',')}}`,
    () => JSON.stringify('a'.repeat(random.pick([16_000, 16_384, 20_000, 200_000]))),
    () => noise(random, random.between(1, 200)),
    () => hostileJsonValue(random),
    () => '',
  ])();
}

/** The same for a form; its values are not always encoded correctly. */
export function hostileForm(random: SeededRandom, names: readonly string[]): string {
  const pairs = names.flatMap((name) => {
    if (random.chance(0.1)) return [];
    const value = hostileText(random);
    const written = random.chance(0.8) ? encodeLoosely(value) : value;
    return random.chance(0.1) ? [`${name}=${written}`, `${name}[]=x`] : [`${name}=${written}`];
  });
  const extra = random.pick(['', '', '', '&__proto__=1', '&a[b][c]=1', '&%', '&%zz=%', '&=&&=']);
  return pairs.join('&') + extra;
}

/** encodeURIComponent fails for half of a surrogate pair. */
export function encodeLoosely(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
