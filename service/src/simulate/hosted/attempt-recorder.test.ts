import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Journal } from '@miftah/simulator/app';
import { expect, test } from 'vitest';
import { makeAttemptId, type AttemptId } from '../../values/ids.ts';
import { AttemptRecorder } from './attempt-recorder.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const START = Date.parse('2026-01-31T09:00:00Z');

/** Ids of attempts, the newest last. */
const idsOf = (count: number) =>
  Array.from({ length: count }, (_, index) => makeAttemptId(START + index, new Uint8Array(10)));

const begin = (recorder: AttemptRecorder, attemptId: AttemptId, scope = 'default') =>
  recorder.begin({ attemptId, scope, address: '192.0.2.7' });

function ask(recorder: AttemptRecorder, attemptId: string, headers = {}, body = '{}') {
  record(recorder, { attemptId }, headers, body);
}

type Named = {
  readonly attemptId?: string;
  readonly ties?: readonly string[];
  readonly status?: number;
};

function record(
  recorder: AttemptRecorder,
  { attemptId = '', ties = [], status = 200 }: Named,
  headers = {},
  body = '{}',
  asked: unknown = null,
) {
  recorder.record({
    attemptId,
    ties,
    name: 'readStatus',
    at: START,
    begun: recorder.turn(),
    method: 'GET',
    path: `/api/v1/status/${attemptId}`,
    status,
    durationMs: 1,
    request: { headers, body: asked },
    response: { headers: {}, body },
  });
}

/** As a server gives it: a text of its own for each answer. */
const answer = (letter: string) => Buffer.alloc(20_000, letter).toString('latin1');

test('E-1: nothing is kept of ids that nobody has', () => {
  const journal = new Journal();
  const recorder = new AttemptRecorder(journal);
  const [known = '', ...others] = idsOf(100);
  begin(recorder, known as AttemptId);
  for (const id of [...others, '', 'x']) ask(recorder, id);
  ask(recorder, known);
  const kept = [known, ...others, '', 'x'].map((id) => journal.countOf(id, 'default'));
  expect(kept.filter((count) => count > 0)).toEqual([1]);
});

test('an exchange is in the scope of its start, whatever it says itself', () => {
  const journal = new Journal();
  const recorder = new AttemptRecorder(journal);
  const [id] = idsOf(1);
  if (id === undefined) throw new Error('none');
  begin(recorder, id, 'a');
  ask(recorder, id, { 'x-miftah-scope': 'b' });
  expect(journal.countOf(id, 'a')).toBe(1);
  expect([journal.countOf(id, 'b'), journal.countOf(id, 'default')]).toEqual([0, 0]);
});

test('E-2: of 10,000 attempts the newest are kept, however much is asked about each', () => {
  const journal = new Journal();
  const recorder = new AttemptRecorder(journal);
  const ids = idsOf(10_000);
  for (const id of ids) {
    begin(recorder, id);
    for (let count = 0; count < 5; count += 1) ask(recorder, id);
  }
  // What is asked about the others makes no room for them again.
  for (const id of ids.slice(0, 5000)) ask(recorder, id);
  const kept = ids.filter((id) => journal.countOf(id, 'default') > 0);
  expect(kept).toEqual(ids.slice(-2000));
  expect(ids.filter((id) => recorder.addressOf(id) !== null)).toEqual(ids.slice(-2000));
});

test('E-4: what a tie leads to is of its attempt, also from before the attempt', () => {
  const journal = new Journal();
  const recorder = new AttemptRecorder(journal);
  const [first, second] = idsOf(2);
  if (first === undefined || second === undefined) throw new Error('none');
  const say = (ties: readonly string[], body: string, attemptId = '') =>
    record(recorder, { ties, attemptId }, {}, body);
  say(['pushed'], 'a');
  say(['pushed', 'request'], 'b');
  say(['request of another'], 'x');
  for (const id of [first, second]) begin(recorder, id);
  expect(journal.idsOf('default')).toEqual([]);
  say(['request'], 'c', first);
  say(['request', 'code'], 'd');
  say(['code', 'token'], 'e');
  say(['token'], 'f');
  say(['request of another'], 'y', second);
  const bodiesOf = (id: string) =>
    journal.entriesOf(id, 'default').entries.map(({ entry }) => entry.exchange?.response.body);
  expect(bodiesOf(first)).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
  expect(bodiesOf(second)).toEqual(['x', 'y']);
});

test('E-2: of requests that nobody goes on with, a few of the newest are kept', () => {
  const journal = new Journal();
  const recorder = new AttemptRecorder(journal);
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let count = 0; count < 30_000; count += 1) {
    const body = count % 100 === 0 ? { scope: answer('a') } : null;
    record(recorder, { ties: [`request ${count}`, `other ${count}`] }, {}, '{}', body);
  }
  for (let count = 0; count < 1000; count += 1) record(recorder, { ties: ['request 29999'] });
  collect();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(8_000_000);
  const [first, second] = idsOf(2);
  if (first === undefined || second === undefined) throw new Error('none');
  for (const id of [first, second]) begin(recorder, id);
  record(recorder, { ties: ['request 29999'], attemptId: first });
  record(recorder, { ties: ['request 29000'], attemptId: second });
  expect([first, second].map((id) => journal.countOf(id, 'default'))).toEqual([6, 1]);
});

test('E-2: nothing is kept of what is no id, or of requests that were refused from the first on', () => {
  const journal = new Journal();
  const recorder = new AttemptRecorder(journal);
  const [id] = idsOf(1);
  if (id === undefined) throw new Error('none');
  record(recorder, { ties: ['first'] }, {}, 'a');
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let count = 0; count < 1000; count += 1) {
    record(recorder, { ties: ['first', `${count} ${answer('a')}`] });
  }
  collect();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(4_000_000);
  for (let count = 0; count < 20_001; count += 1) {
    record(recorder, { ties: [`guess ${count}`], status: 400 });
  }
  begin(recorder, id);
  record(recorder, { ties: ['first'], attemptId: id, status: 400 });
  expect(journal.countOf(id, 'default')).toBe(6);
});

test('of headers it keeps those that explain something, and the beginning of a long one', () => {
  const journal = new Journal();
  const recorder = new AttemptRecorder(journal);
  const [id] = idsOf(1);
  if (id === undefined) throw new Error('none');
  begin(recorder, id);
  ask(recorder, id, { host: 'a', connection: 'keep-alive', 'user-agent': 'x'.repeat(5000) });
  const [first] = journal.entriesOf(id, 'default').entries;
  expect(first?.entry.exchange?.request.headers).toEqual({ 'user-agent': 'x'.repeat(1024) });
});

test('headers that a caller repeats are kept once, and others with their own exchange', () => {
  const journal = new Journal();
  const recorder = new AttemptRecorder(journal);
  const [id] = idsOf(1);
  if (id === undefined) throw new Error('none');
  begin(recorder, id);
  const agents = ['a', 'a', 'b', 'a'];
  for (const agent of agents) ask(recorder, id, { 'user-agent': agent });
  ask(recorder, id, { 'user-agent': 'a', accept: 'text/html' });
  ask(recorder, id, { accept: 'text/html' });
  const { entries } = journal.entriesOf(id, 'default');
  const headers = entries.map(({ entry }) => entry.exchange?.request.headers);
  expect(headers).toEqual([
    ...agents.map((agent) => ({ 'user-agent': agent })),
    { 'user-agent': 'a', accept: 'text/html' },
    { accept: 'text/html' },
  ]);
  expect(headers[1]).toBe(headers[0]);
});

test('an answer that is repeated is kept once, and another with its own exchange', () => {
  const journal = new Journal();
  const recorder = new AttemptRecorder(journal);
  const [id] = idsOf(1);
  if (id === undefined) throw new Error('none');
  begin(recorder, id);
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let count = 0; count < 199; count += 1) ask(recorder, id, {}, answer('a'));
  ask(recorder, id, {}, answer('b'));
  collect();
  const bytes = (process.memoryUsage().heapUsed - before) / 200;
  const { entries } = journal.entriesOf(id, 'default');
  const letters = entries.map(({ entry }) => String(entry.exchange?.response.body).at(0));
  expect(letters.join('')).toBe(`${'a'.repeat(199)}b`);
  expect(bytes).toBeLessThan(10_000);
});
