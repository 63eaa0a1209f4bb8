import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { START, SeededRandom } from '../../../test/support/fakes.ts';
import { BUILT_IN_PEOPLE } from '../people/built-in-people.ts';
import { Directory, askedNow } from '../people/directory.ts';
import { makePush, makeRedirect } from '../outcomes/outcome-of.ts';
import { PromptShelf } from './prompt-shelf.ts';
import { decide, type Prompt, type PushPrompt } from './prompts.ts';

const directory = new Directory(BUILT_IN_PEOPLE);
const random = new SeededRandom();
const asked = (kind: 'push' | 'redirect', requestId: string) => ({
  kind,
  requestId,
  scope: 'default',
});
const ALL = { scope: 'default', requestId: null } as const;

function push(requestId: string, lifetimeMs: number, createdAt = START): PushPrompt {
  return makePush(
    { id: random.uuid(), transactionId: random.uuid() },
    {
      kind: 'push',
      requestId,
      locale: 'en',
      service: 'Login',
      createdAt,
      expiresAt: createdAt + lifetimeMs,
      nationalId: `10000${requestId.padStart(5, '0')}`,
      bindingCode: '42',
    },
    askedNow(null, directory),
  );
}

function approved(prompt: Prompt): Prompt {
  const result = decide(prompt, 'approve', null, prompt.createdAt);
  if (!result.ok) throw new Error(result.reason);
  return result.prompt;
}

function shelfWith(limit: number, prompts: readonly Prompt[]): PromptShelf {
  const shelf = new PromptShelf(limit);
  for (const prompt of prompts) shelf.add(prompt, START);
  return shelf;
}

describe('the shelf of prompts', () => {
  it('finds a prompt by its id, request, transaction and person', () => {
    const prompt = push('1', 1000);
    const shelf = shelfWith(4, [prompt]);
    expect(shelf.byId(prompt.id)).toBe(prompt);
    expect(shelf.byRequest(asked('push', '1'))).toBe(prompt);
    expect(shelf.byRequest(asked('redirect', '1'))).toBeNull();
    expect(shelf.byTransaction(prompt.transactionId)).toBe(prompt);
    expect(shelf.byPerson(prompt)).toBe(prompt);
  });

  it('keeps both kinds of one request apart', () => {
    const redirect = makeRedirect(
      random.uuid(),
      { ...push('1', 1000), kind: 'redirect' },
      null,
      askedNow(null, directory),
    );
    const shelf = shelfWith(4, [push('1', 1000), redirect]);
    expect(shelf.byRequest(asked('redirect', '1'))).toBe(redirect);
    expect(shelf.byRequest(asked('push', '1'))?.kind).toBe('push');
    expect(shelf.listed(START, { ...ALL, requestId: '1' })).toHaveLength(2);
  });

  it('drops an ended prompt before one that waits, although it is younger', () => {
    const waiting = push('1', 60_000);
    const ended = push('2', 1000);
    const shelf = shelfWith(2, [waiting, ended]);
    shelf.add(push('3', 60_000), START + 1000);
    expect(shelf.byId(waiting.id)).toBe(waiting);
    expect(shelf.byId(ended.id)).toBeNull();
    expect(shelf.byTransaction(ended.transactionId)).toBeNull();
  });

  it('drops a decided prompt before an older one that waits', () => {
    const [first, second] = [push('1', 60_000), push('2', 60_000)];
    const shelf = shelfWith(2, [first, second]);
    shelf.add(push('3', 60_000), START);
    expect(shelf.byId(first.id)).toBeNull();
    const third = shelf.byRequest(asked('push', '3'));
    if (third === null) throw new Error('no prompt');
    shelf.replace(approved(third));
    shelf.add(push('4', 60_000), START);
    expect(shelf.byId(third.id)).toBeNull();
    expect(shelf.byRequest(asked('push', '2'))).toBe(second);
  });

  it('drops the oldest where all of them wait', () => {
    const shelf = shelfWith(
      3,
      ['1', '2', '3', '4'].map((id) => push(id, 60_000)),
    );
    expect(shelf.listed(START, ALL).map((prompt) => prompt.requestId)).toEqual(['2', '3', '4']);
  });

  it('keeps the newer prompt of a person when the older one goes', () => {
    const [older, newer] = [push('1', 1000), push('1', 60_000)];
    const shelf = shelfWith(2, [older, newer]);
    shelf.add(push('2', 60_000), START + 1000);
    expect(shelf.byId(older.id)).toBeNull();
    expect(shelf.byRequest(asked('push', '1'))).toBe(newer);
    expect(shelf.byPerson(newer)).toBe(newer);
  });

  it('never holds more than its limit, and drops no waiting prompt while an ended one is there', () => {
    const step = fc.record({
      wait: fc.integer({ min: 0, max: 400 }),
      life: fc.integer({ min: 1, max: 2000 }),
      decideOldest: fc.boolean(),
    });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.array(step, { maxLength: 60 }),
        (limit, all) => {
          const shelf = new PromptShelf(limit);
          let now = START;
          const held: Prompt[] = [];
          for (const [index, { wait, life, decideOldest }] of all.entries()) {
            now += wait;
            const oldest = shelf.listed(now, ALL)[0];
            if (decideOldest && oldest !== undefined) {
              const result = decide(oldest, 'refuse', null, now);
              if (result.ok) shelf.replace(result.prompt);
            }
            const waitingBefore = shelf.listed(now, ALL);
            const someEnded = waitingBefore.length < shelf.size;
            const added = push(String(index), life, now);
            shelf.add(added, now);
            held.push(added);
            const waitingAfter = shelf.listed(now, ALL);
            const lostOne = shelf.size === limit && !someEnded && waitingBefore.length === limit;
            expect(shelf.size).toBeLessThanOrEqual(limit);
            expect(waitingAfter.length).toBe(waitingBefore.length + (lostOne ? 0 : 1));
          }
          const found = held.filter((prompt) => shelf.byId(prompt.id) !== null);
          expect(found).toHaveLength(shelf.size);
        },
      ),
    );
  });
});
