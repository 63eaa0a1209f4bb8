import { Server } from 'node:net';
import { expect, it } from 'vitest';
import { AcceptFirst, MOST_TURNS } from './listener.ts';

/** The test decides when a turn of the event loop ends. */
function open() {
  const works: (() => void)[] = [];
  const server = new Server();
  const acceptFirst = new AcceptFirst((work) => void works.push(work));
  acceptFirst.watch(server);
  let done = 0;
  acceptFirst.atEndOfTurn(() => (done += 1));
  const endTurn = () => {
    for (const work of works.splice(0)) work();
    return done;
  };
  return { accept: () => server.emit('connection'), endTurn };
}

it('works at the end of a turn in which no connection was accepted', () => {
  expect(open().endTurn()).toBe(1);
});

it('waits for connections, as long as each turn accepts one', () => {
  const { accept, endTurn } = open();
  for (const _ of [1, 2, 3]) {
    accept();
    expect(endTurn()).toBe(0);
  }
  expect(endTurn()).toBe(1);
  expect(endTurn()).toBe(1);
});

it('does not wait for ever', () => {
  const { accept, endTurn } = open();
  const done = Array.from({ length: MOST_TURNS }, () => {
    accept();
    return endTurn();
  });
  expect(done).toEqual([...Array.from({ length: MOST_TURNS - 1 }, () => 0), 1]);
});
