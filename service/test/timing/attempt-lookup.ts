// Measures whether the time of a 404 reveals that an attempt exists:
// npm run timing [-- --samples 20000]
// Gives Welch's t for each kind of unreadable attempt against attempts that do not exist. It covers
// a whole request except the network, whose noise would only hide a difference. Exit code 1 means
// that a difference was found. On a busy machine the figures are unreliable.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { loadConfig } from '../../src/config/config.ts';
import { openProgram } from '../../src/program/program.ts';
import { momentsOf, SURE, welch, withoutTail } from './welch.ts';

const ATTEMPTS = 200;
const WARM_UP = 2000;
const KEPT = 0.95;
const BASE = '/api/v1';

const KINDS = [
  'unknown',
  'unknown again',
  'pending',
  'authenticated',
  'malformed',
  'short',
] as const;
// A short address is read faster than a long one, which reveals only what the sender already knows.
type Kind = (typeof KINDS)[number];
type Idents = Record<Kind, readonly string[]>;

const { values } = parseArgs({
  options: {
    samples: { type: 'string', default: '20000' },
    // For programs: prints one line with the figures, without a verdict.
    json: { type: 'boolean', default: false },
  },
});
const dataDir = mkdtempSync(join(tmpdir(), 'miftah-timing-'));
// As in live mode, which keeps no time lines: one is kept of each call about an attempt that exists.
const settings = { DATA_DIR: dataDir, RATE_LIMITS: 'off', TIME_LINES: 'off' };
const { config } = loadConfig([], settings);
const program = await openProgram(config, { logger: pino({ level: 'silent' }) });
const { app } = program;
await app.ready();
const figures = figuresOf(await measure(await prepare(), Number(values.samples)));
if (values.json) console.log(JSON.stringify(figures));
else report(figures);
await program.close();
rmSync(dataDir, { recursive: true });

async function prepare(): Promise<Idents> {
  const [pending, authenticated]: [string[], string[]] = [[], []];
  for (let count = 0; count < ATTEMPTS; count += 1) {
    pending.push(await start());
    const attemptId = await start();
    const payload = { state: attemptId, auto_complete: true };
    await app.inject({ method: 'POST', url: `${BASE}/callback`, payload });
    authenticated.push(attemptId);
  }
  // Ids that are neighbours of existing ones, so that they differ only in not existing.
  const unknown = () => pending.map((id) => id.slice(0, -12) + chance());
  const malformed = unknown().map((id) => id.replaceAll('-', '_'));
  return {
    unknown: unknown(),
    'unknown again': unknown(),
    pending,
    authenticated,
    malformed,
    short: ['x'],
  };
}

function chance(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(6))).toString('hex');
}

async function start(): Promise<string> {
  const request = { method: 'POST', url: `${BASE}/start`, payload: { locale: 'en' } } as const;
  const answer = await app.inject(request);
  return answer.json<{ data: { attempt_id: string } }>().data.attempt_id;
}

/** Each round requests every kind once, in random order. */
async function measure(idents: Idents, rounds: number): Promise<Record<Kind, number[]>> {
  const times = Object.fromEntries(KINDS.map((kind) => [kind, [] as number[]]));
  for (let round = -WARM_UP; round < rounds; round += 1) {
    for (const kind of shuffled(KINDS)) {
      const time = await timeOf(idents[kind].at(round % idents[kind].length) ?? '');
      if (round >= 0) times[kind]?.push(time);
    }
  }
  return times as Record<Kind, number[]>;
}

function shuffled<Item>(items: readonly Item[]): Item[] {
  const drawn = items.map((item) => ({ item, lot: Math.random() }));
  return drawn.toSorted((one, other) => one.lot - other.lot).map(({ item }) => item);
}

/** The time of one request, in microseconds. */
async function timeOf(attemptId: string): Promise<number> {
  const url = `${BASE}/status/${attemptId}`;
  const headers = { 'x-provider-attempt-token': 'w'.repeat(64) };
  const began = performance.now();
  const { statusCode } = await app.inject({ method: 'GET', url, headers });
  const time = (performance.now() - began) * 1000;
  if (statusCode !== 404) throw new Error(`${attemptId} was answered with ${statusCode}`);
  return time;
}

interface Figures {
  readonly kind: Kind;
  readonly mean: number;
  /**
   * Welch's t against attempts that do not exist: without the slowest samples, and of all samples.
   */
  readonly t: number;
  readonly tOfAll: number;
}

function figuresOf(times: Record<Kind, number[]>): readonly Figures[] {
  const cropped = withoutTail(times, KEPT);
  return KINDS.map((kind) => ({
    kind,
    mean: momentsOf(cropped[kind]).mean,
    t: welch(cropped[kind], cropped.unknown),
    tOfAll: welch(times[kind], times.unknown),
  }));
}

function report(all: readonly Figures[]): void {
  for (const { kind, mean, t, tOfAll } of all) {
    const verdict = Math.abs(t) < SURE ? '' : '  shows';
    if (verdict !== '' && kind !== 'short') process.exitCode = 1;
    const tests = `t ${t.toFixed(1).padStart(6)}   t of all ${tOfAll.toFixed(1).padStart(6)}`;
    console.log(`${kind.padEnd(14)} mean ${mean.toFixed(2).padStart(7)} µs   ${tests}${verdict}`);
  }
}
