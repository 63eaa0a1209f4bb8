import { expect, it } from 'vitest';
import { liveBanner, simulatorBanner, stopNote, strictBanner } from './banner.ts';
import { loadConfig } from '../config/config.ts';

const PEOPLE = [
  { nationalId: '1000001101', englishName: 'Amal', arabicName: 'أمل', isDefault: true },
  { nationalId: '1000002201', englishName: 'Faisal', arabicName: 'فيصل', isDefault: false },
];

function linesWith(environment: Record<string, string>): string[] {
  const { config } = loadConfig([], environment);
  return simulatorBanner({ config, people: PEOPLE, curl: ['curl one', 'curl two'], lan: [] }).split(
    '\n',
  );
}

it('says where things are, by the address that clients use', () => {
  const text = linesWith({ PUBLIC_URL: 'http://localhost:8080' }).join('\n');
  const addresses = ['/', '/api/v1', '/docs'].map((path) => `http://localhost:8080${path}`);
  for (const address of addresses) expect(text).toContain(address);
  expect(text).not.toContain('127.0.0.1');
});

it.each([
  ['Phone  ', '/simulator/phone'],
  ['Console', '/console'],
])('names the page %s in both kinds of simulator mode, and in no live mode', (name, path) => {
  const line = `${name}     http://127.0.0.1:3000${path} `;
  expect(linesWith({}).join('\n')).toContain(line);
  const { config } = loadConfig([], { STRICT: 'yes' });
  expect(strictBanner({ config, clients: [], lines: [] })).toContain(line);
  expect(liveBanner({ config, mode: 'rehearsal', clients: [] })).not.toContain(path);
});

it('names the OpenID Provider where it is on, and the clients that come with it', () => {
  const address = 'http://127.0.0.1:3000/.well-known/openid-configuration';
  const line = `  OpenID      ${address}`;
  const clients = '   (clients: demo; demo-web, secret mfk_test_demo_web)';
  expect(linesWith({ OPENID: 'on' })).toContain(line + clients);
  expect(linesWith({ OPENID: 'on', CLIENTS_FILE: 'own.json' })).toContain(line);
  expect(linesWith({}).join('\n')).not.toContain('OpenID');
  const { config } = loadConfig([], { OPENID: 'on', STRICT: 'yes' });
  expect(strictBanner({ config, clients: [], lines: [] }).split('\n')).toContain(line);
  expect(liveBanner({ config, mode: 'live', clients: [] })).toContain(line);
});

it('says at its end whether the data stays', () => {
  const { config } = loadConfig([], { DATA_DIR: 'here' });
  expect(stopNote(config, true)).toBe('  Ctrl-C stops it. Data stays in here\n');
  expect(stopNote(config, false)).toBe('  Ctrl-C stops it, and deletes its data (here)\n');
});

it('names the API reader only where it is served', () => {
  const shown = linesWith({ DOCS: 'off' }).join('\n');
  expect(shown).not.toContain('/docs');
  const { config } = loadConfig([], { DOCS: 'off' });
  expect(liveBanner({ config, mode: 'live', clients: [] })).not.toContain('/docs');
  expect(strictBanner({ config, clients: [], lines: [] })).not.toContain('/docs');
});

it('lists the test people, the default one marked', () => {
  const lines = linesWith({});
  expect(lines.find((line) => line.includes('Amal'))).toBe('  * 1000001101  Amal  \u2068أمل\u2069');
  expect(lines.find((line) => line.includes('Faisal'))).toMatch(/^ {4}1000002201/);
});

it('has lines to try that can be copied: nothing stands before them', () => {
  expect(linesWith({})).toEqual(expect.arrayContaining(['curl one', 'curl two']));
});

it('says that this is a simulator, and names no secret', () => {
  const text = linesWith({ SIMULATOR_TOKEN: 'x'.repeat(32) }).join('\n');
  expect(text).toContain('simulator mode');
  expect(text).not.toContain('x'.repeat(32));
});

it('says in live mode who may use the service, and names no secret', () => {
  const { config } = loadConfig([], {});
  const text = liveBanner({ config, mode: 'rehearsal', clients: ['shop (public)'] });
  expect(text).toContain('against a simulator');
  expect(text).toContain('shop (public)');
  expect(liveBanner({ config, mode: 'live', clients: [] })).not.toContain('simulator');
});
