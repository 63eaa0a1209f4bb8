import type { IncomingMessage } from 'node:http';
import { expect, it } from 'vitest';
import {
  LATE_MS,
  MOST_IN_GROUP,
  MOST_WAITING,
  WaitingRequests,
  type WaitingRequest,
} from './request-groups.ts';
import { urgencyOf } from '../request/request-head.ts';

const NOW = 1000;
const START = '/api/v1/start';

interface Named extends WaitingRequest {
  readonly name: string;
}

/** Each on a connection of its own. */
function waitingOf(url: string, count: number, waitedMs = 0): Named[] {
  return Array.from({ length: count }, (_, index) => {
    return { name: `${url} ${index}`, request: requestOf(url), readAt: NOW - waitedMs };
  });
}

/** For each of some connections the requests that wait on it. */
function pipelined(url: string, connections: number, each: number): Named[] {
  return waitingOf(url, connections).flatMap((one) =>
    Array.from({ length: each }, (_, index) => ({ ...one, name: `${one.name}.${index}` })),
  );
}

function requestOf(url: string, socket: object = {}): IncomingMessage {
  const method = url.startsWith(START) ? 'POST' : 'GET';
  return { method, url, socket } as IncomingMessage;
}

function lineOf(ones: readonly Named[]): WaitingRequests<Named> {
  const line = new WaitingRequests<Named>(urgencyOf);
  for (const one of ones) expect(line.add(one)).toBe(true);
  return line;
}

const take = (line: WaitingRequests<Named>) => line.take(() => NOW);

/** The names of all, in the order in which they are taken. */
function takeAll(line: WaitingRequests<Named>): string[] {
  const names: string[] = [];
  while (line.size > 0) {
    const { group, late } = take(line);
    names.push(...[...group, ...late].map(({ name }) => name));
  }
  return names;
}

const urgencyAt = (method: string, url: string) => urgencyOf({ method, url } as IncomingMessage);
const count = (ones: readonly Named[], url: string) =>
  ones.filter(({ request }) => request.url === url).length;

it('takes all in their order, however old, while they fit into a group', () => {
  const starts = waitingOf(START, 32, 10 * LATE_MS);
  const all = [...starts, ...waitingOf('/other', 32)];
  const line = lineOf(all);

  const { group, late } = take(line);

  expect(group).toEqual(all);
  expect(late).toEqual([]);
  expect(line.size).toBe(0);
});

it('takes what belongs to attempts that were begun before further starts, and keeps a few places', () => {
  const line = lineOf([...waitingOf(START, 200), ...waitingOf('/other', 200)]);

  const { group } = take(line);

  expect(group).toHaveLength(MOST_IN_GROUP);
  expect(count(group, '/other')).toBe(MOST_IN_GROUP - 2);
  expect(count(group, START)).toBe(2);
  expect(line.size).toBe(400 - MOST_IN_GROUP);
  expect(take(line).group[0]?.name).toBe('/other 62');
});

it('fills a group with starts when there is little else, oldest first', () => {
  const { group } = take(lineOf([...waitingOf(START, 100), ...waitingOf('/other', 4)]));

  expect(count(group, START)).toBe(MOST_IN_GROUP - 4);
  expect(group.at(-1)?.name).toBe(`${START} ${MOST_IN_GROUP - 5}`);
});

it('takes checks of the health before everything else', () => {
  const { group } = take(lineOf([...waitingOf('/other', 500), ...waitingOf('/livez', 1)]));

  expect(group[0]?.request.url).toBe('/livez');
});

it('takes starts that have waited too long besides the group, and no other requests', () => {
  const old = [...waitingOf(START, 10, LATE_MS), ...waitingOf('/other', 10, LATE_MS)];
  const line = lineOf([...old, ...waitingOf(START, 100, LATE_MS - 1)]);

  const { group, late } = take(line);

  expect(late).toHaveLength(10);
  expect(count(late, START)).toBe(10);
  expect(count(group, '/other')).toBe(10);
  expect(line.size).toBe(100 - (MOST_IN_GROUP - 10));
});

it('takes no more late starts with one group than are refused quickly', () => {
  const line = lineOf(waitingOf(START, 1000, LATE_MS));

  const { group, late } = take(line);

  expect(late).toHaveLength(64);
  expect(line.size).toBe(1000 - 64 - group.length);
});

it('knows a start by its method and its path', () => {
  expect(urgencyAt('POST', START)).toBe('start');
  expect(urgencyAt('POST', `${START}?a=1`)).toBe('start');
  expect(urgencyAt('GET', START)).toBe('usual');
  expect(urgencyAt('POST', '/api/v1/callback')).toBe('usual');
  expect(urgencyAt('GET', '/openid/authorize?client_id=a')).toBe('start');
  expect(urgencyAt('GET', '/openid/authorize/uid')).toBe('usual');
  expect(urgencyAt('POST', '/openid/par')).toBe('start');
  expect(urgencyAt('GET', '/readyz?x')).toBe('watch');
});

it('has a request wait for one of each other connection, however many those have sent', () => {
  const names = takeAll(lineOf([...pipelined('/other', 200, 16), ...waitingOf('/mine', 1)]));

  expect(names).toHaveLength(200 * 16 + 1);
  expect(names.indexOf('/mine 0')).toBe(200);
});

it('has a check of the health wait for one of each other connection, if all ask for that', () => {
  const names = takeAll(lineOf([...pipelined('/livez', 200, 16), ...waitingOf('/readyz', 1)]));

  expect(names.indexOf('/readyz 0')).toBe(200);
});

it('keeps places for others while everybody asks for the health', () => {
  const line = lineOf([...pipelined('/livez', 200, 16), ...waitingOf('/other', 100)]);

  const { group } = take(line);

  expect(group).toHaveLength(MOST_IN_GROUP);
  expect(count(group, '/other')).toBe(16);
});

it('takes the requests of a connection in the order in which they came', () => {
  const [start, other, check] = [START, '/other', '/livez'].map((url) => waitingOf(url, 1)[0]);
  if (!start || !other || !check) throw new Error('three were made');
  const { socket } = start.request;
  const mine = [start, other, check].map((one) => {
    return { ...one, request: requestOf(one.request.url ?? '', socket) };
  });

  const names = takeAll(lineOf([...waitingOf('/other', 100), ...mine, ...waitingOf(START, 10)]));

  const places = mine.map(({ name }) => names.lastIndexOf(name));
  expect(places).toEqual(places.toSorted((first, second) => first - second));
});

it('looks at each request once, however many groups it waits for', () => {
  let looks = 0;
  const line = new WaitingRequests<Named>((request) => {
    looks += 1;
    return urgencyOf(request);
  });
  for (const one of pipelined('/other', 200, 16)) line.add(one);

  expect(takeAll(line)).toHaveLength(200 * 16);
  expect(looks).toBe(200 * 16);
});

it('takes no second request of a connection while too many wait', () => {
  const line = lineOf(pipelined('/other', MOST_WAITING / 16, 16));
  const [first, ...others] = waitingOf('/mine', 3);
  if (first === undefined) throw new Error('three were made');

  expect(line.size).toBe(MOST_WAITING);
  expect(line.add({ ...first, name: 'first' })).toBe(true);
  expect(line.add({ ...first, name: 'second' })).toBe(false);
  expect(others.map((one) => line.add(one))).toEqual([true, true]);
  expect(line.size).toBe(MOST_WAITING + 3);
});
