import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { runBounded } from './support/bounded-program.ts';
import { openWorkshop, type Workshop } from './support/checkout-copy.ts';
import { judgeBugs, type Judged, type Verdict } from './support/judge-bugs.ts';
import type { PlantedBug } from './support/planted-bug.ts';

const LIMITS = { soundMs: 60_000, bugMs: 60_000 };
const MODULES = join(import.meta.dirname, '../../../node_modules');
const LOCK = 'lock/lock.ts';
const SIGN = 'sign';

/** A checkout with one workspace that its test imports by name, as in this repository. */
const SOURCES: Readonly<Record<string, string>> = {
  'package.json': '{"name": "house", "type": "module", "workspaces": ["lock"]}',
  'tsconfig.json': JSON.stringify({
    compilerOptions: { noEmit: true, module: 'nodenext', strict: true, types: [] },
    include: ['lock'],
  }),
  'lock/package.json': '{"name": "@house/lock", "type": "module", "exports": "./lock.ts"}',
  [LOCK]: `
const CODE = '4711';
const COLOUR = 'brass';

export function opens(code: string): boolean {
  return code === CODE;
}

export function colour(): string {
  return COLOUR;
}
`,
  [SIGN]: 'knock',
  'door.test.ts': `
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { colour, opens } from '@house/lock';

describe('the door', () => {
  it('stays shut', () => expect(opens('0815')).toBe(false));
  it('has a colour', () => expect(colour()).not.toBe(''));
  it('hangs askew', () => expect(colour()).toBe('golden'));
  it('has a sign', () => expect(readFileSync('sign', 'utf8')).toBe('knock'));
});
`,
};

function bug(name: string, from: string, to: string, test = 'the door > stays shut'): PlantedBug {
  return { name, edits: [{ file: LOCK, from, to }], test: { file: 'door.test.ts', name: test } };
}

const OTHER_SIGN: PlantedBug = {
  name: 'in a file without types',
  edits: [{ file: SIGN, from: 'knock', to: 'ring' }],
  test: { file: 'door.test.ts', name: 'the door > has a sign' },
};

const CASES: readonly (readonly [Verdict, string, PlantedBug])[] = [
  ['red', 'AssertionError', bug('any code', 'code === CODE', 'code !== COLOUR')],
  ['not caught', '', bug('another colour', "'brass'", "'gold'")],
  ['red', 'AssertionError', OTHER_SIGN],
  ['stale', 'not there', bug('gone', 'code === KEY', 'true')],
  ['stale', 'more than once', bug('ambiguous', 'CODE', 'COLOUR')],
  ['broken', 'error TS1', bug('no syntax', 'code === CODE', 'code === (CODE')],
  ['broken', 'error TS2', bug('no such name', 'code === CODE', 'code === KODE')],
  ['broken', 'TypeError', bug('an accident', 'code === CODE', '(null as never)[CODE]')],
  ['broken', 'at load', bug('no module', "'4711';", "'4711';\nthrow new Error('at load');")],
  ['not green', 'AssertionError', bug('red anyhow', "'brass'", "'gold'", 'the door > hangs askew')],
  ['not green', 'no test', bug('no such test', "'brass'", "'gold'", 'the door > opens')],
];

let checkout: string;
let workshop: Workshop;
let other: Workshop;
beforeAll(() => {
  checkout = mkdtempSync(join(tmpdir(), 'miftah-house-'));
  for (const [file, text] of Object.entries(SOURCES)) {
    mkdirSync(dirname(join(checkout, file)), { recursive: true });
    writeFileSync(join(checkout, file), text);
  }
  for (const name of ['vitest', 'typescript']) link(join(MODULES, name), name);
  link('../../lock', '@house/lock');
  workshop = openWorkshop(checkout, Object.keys(SOURCES));
  other = openWorkshop(checkout, Object.keys(SOURCES));
});
afterAll(() => {
  workshop.remove();
  other.remove();
  rmSync(checkout, { recursive: true });
});

function link(target: string, name: string): void {
  const path = join(checkout, 'node_modules', name);
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
}

describe('planted bugs', () => {
  it('are each judged for what they are, also in another workspace, and taken out', async () => {
    const judged: Judged[] = [];
    const bugs = CASES.map(([, , one]) => one);
    await judgeBugs([workshop, other], bugs, LIMITS, (one) => void judged.push(one));
    const told = Object.fromEntries(judged.map((one) => [one.bug.name, one.verdict]));
    expect(told).toEqual(Object.fromEntries(CASES.map(([kind, , { name }]) => [name, kind])));
    expect(judged).toHaveLength(CASES.length);
    for (const [, reason, { name }] of CASES) {
      expect(judged.find((one) => one.bug.name === name)?.reason, name).toContain(reason);
    }
    expect(readFileSync(join(workshop.copy, LOCK), 'utf8')).toBe(SOURCES[LOCK]);
    expect(readFileSync(join(other.copy, LOCK), 'utf8')).toBe(SOURCES[LOCK]);
    expect(readFileSync(join(checkout, LOCK), 'utf8')).toBe(SOURCES[LOCK]);
  });
});

describe('the copy', () => {
  it('is refused when a package leads to sources outside of it', () => {
    link('../lock', 'stray');
    onTestFinished(() => rmSync(join(checkout, 'node_modules', 'stray')));
    expect(() => openWorkshop(checkout, Object.keys(SOURCES))).toThrow('stray leads to');
  });

  it('is gone at the end', () => {
    const third = openWorkshop(checkout, Object.keys(SOURCES));
    third.remove();
    expect(() => readFileSync(join(third.copy, LOCK))).toThrow('ENOENT');
  });
});

describe('a program', () => {
  const endless = 'setInterval(() => {}, 1000)';
  // The child keeps the output open, so the output is complete only after it has ended.
  const child = `spawn(process.execPath, ['-e', '${endless}'], { stdio: 'inherit' })`;
  const parent = `const { spawn } = require('node:child_process'); ${child}.unref();`;

  it('ends with what it has started and left behind', async () => {
    const ended = await runBounded(workshop, ['-e', `${parent} console.log('done')`], 60_000);
    expect(ended).toEqual({ code: 0, output: 'done\n', isLate: false });
  });

  it('ends at its limit, with what it has started', async () => {
    const ended = await runBounded(workshop, ['-e', `${parent} ${endless}`], 500);
    expect(ended).toEqual({ code: null, output: '', isLate: true });
  });
});
