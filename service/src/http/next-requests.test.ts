import type { IncomingMessage } from 'node:http';
import { expect, it } from 'vitest';
import { LATE_MS, MOST_IN_GROUP, takeNext, type WaitingRequest } from './next-requests.ts';
import { urgencyOf } from './refuse-overload.ts';

const NOW = 1000;
const START = '/api/v1/start';

interface Named extends WaitingRequest {
  readonly name: string;
}

function waitingOf(url: string, count: number, waitedMs = 0): Named[] {
  const method = url.startsWith(START) ? 'POST' : 'GET';
  const request = { method, url } as IncomingMessage;
  return Array.from({ length: count }, (_, index) => {
    return { name: `${url} ${index}`, request, readAt: NOW - waitedMs };
  });
}

const urgencyAt = (method: string, url: string) => urgencyOf({ method, url } as IncomingMessage);
const take = (waiting: Named[]) => takeNext(waiting, urgencyOf, () => NOW);
const count = (ones: readonly Named[], url: string) =>
  ones.filter(({ request }) => request.url === url).length;

it('takes all in their order, however old, while they fit into a group', () => {
  const starts = waitingOf(START, 32, 10 * LATE_MS);
  const waiting = [...starts, ...waitingOf('/other', 32)];
  const all = [...waiting];

  const { group, late } = take(waiting);

  expect(group).toEqual(all);
  expect(late).toEqual([]);
  expect(waiting).toEqual([]);
});

it('takes what belongs to attempts that were begun before further starts, and keeps a few places', () => {
  const waiting = [...waitingOf(START, 200), ...waitingOf('/other', 200)];

  const { group } = take(waiting);

  expect(group).toHaveLength(MOST_IN_GROUP);
  expect(count(group, '/other')).toBe(MOST_IN_GROUP - 2);
  expect(count(group, START)).toBe(2);
  expect(waiting).toHaveLength(400 - MOST_IN_GROUP);
  expect(waiting.map(({ name }) => name)).toContain('/other 62');
});

it('fills a group with starts when there is little else, oldest first', () => {
  const { group } = take([...waitingOf(START, 100), ...waitingOf('/other', 4)]);

  expect(count(group, START)).toBe(MOST_IN_GROUP - 4);
  expect(group.at(-1)?.name).toBe(`${START} ${MOST_IN_GROUP - 5}`);
});

it('takes checks of the health before everything else', () => {
  const { group } = take([...waitingOf('/other', 500), ...waitingOf('/livez', 1)]);

  expect(group[0]?.request.url).toBe('/livez');
});

it('takes starts that have waited too long besides the group, and no other requests', () => {
  const old = [...waitingOf(START, 10, LATE_MS), ...waitingOf('/other', 10, LATE_MS)];
  const waiting = [...old, ...waitingOf(START, 100, LATE_MS - 1)];

  const { group, late } = take(waiting);

  expect(late).toHaveLength(10);
  expect(count(late, START)).toBe(10);
  expect(count(group, '/other')).toBe(10);
  expect(waiting).toHaveLength(100 - (MOST_IN_GROUP - 10));
});

it('takes no more late starts with one group than are refused quickly', () => {
  const waiting = waitingOf(START, 1000, LATE_MS);

  expect(take(waiting).late).toHaveLength(64);
  expect(waiting).toHaveLength(1000 - 64);
});

it('knows a start by its method and its path', () => {
  expect(urgencyAt('POST', START)).toBe('start');
  expect(urgencyAt('POST', `${START}?a=1`)).toBe('start');
  expect(urgencyAt('GET', START)).toBe('usual');
  expect(urgencyAt('POST', '/api/v1/callback')).toBe('usual');
  expect(urgencyAt('GET', '/readyz?x')).toBe('watch');
});
