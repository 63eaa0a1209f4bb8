import { describe, expect, it } from 'vitest';
import { AMAL, FAISAL, makeEngine, pushFor, REQUEST_ID } from '../../test/support/engines.ts';
import { BUILT_IN_PEOPLE } from './people/built-in-people.ts';
import { Directory, markOf } from './people/directory.ts';
import type { Engine } from './engine.ts';
import type { People } from './people/people.ts';
import type { PushOptions } from './requests.ts';
import { isScope } from './scenario.ts';
import { Scopes } from './scopes.ts';

const start = new Directory(BUILT_IN_PEOPLE);
const scenarioOf = (scope: string) => ({ scenario: { scope, outcome: null } }) as const;

function without(id: string, people: People = BUILT_IN_PEOPLE): People {
  return people.without(id);
}

describe('the name of a scope', () => {
  it.each(['a', 'worker-1', '0', '-', 'x'.repeat(64)])('%s is one', (name) => {
    expect(isScope(name)).toBe(true);
  });

  it.each(['', 'A', 'a b', 'a_b', 'é', 'a\n', 'x'.repeat(65)])('%j is none', (name) => {
    expect(isScope(name)).toBe(false);
  });
});

describe('what a scope has', () => {
  it('is the same for all at the start, and for others after one has changed', () => {
    const scopes = new Scopes(BUILT_IN_PEOPLE);
    const directory = new Directory(without('faisal'), scopes.of('a').directory);
    expect(scopes.change('a', { directory })).toBe(true);
    expect(scopes.of('a').directory.byId('faisal')).toBeNull();
    expect(scopes.of('b').directory.byId('faisal')).not.toBeNull();
    expect(scopes.of('default')).toBe(scopes.of('b'));
    scopes.reset('a');
    expect(scopes.of('a')).toBe(scopes.of('b'));
  });

  it('is bounded by the number of scopes, and one that is given back leaves its place', () => {
    const scopes = new Scopes(BUILT_IN_PEOPLE, { scopes: 2, people: 100 });
    const atStart = scopes.of('a');
    const changed = { directory: new Directory(without('faisal'), start) };
    expect(scopes.change('a', changed)).toBe(true);
    expect(scopes.change('b', changed)).toBe(true);
    expect(scopes.change('c', changed)).toBe(false);
    expect(scopes.of('c')).toBe(atStart);
    expect(scopes.change('b', { directory: new Directory(without('yara'), start) })).toBe(true);
    expect(scopes.change('a', atStart)).toBe(true);
    expect(scopes.change('c', changed)).toBe(true);
  });

  it('is bounded by the number of people of all scopes together', () => {
    const scopes = new Scopes(BUILT_IN_PEOPLE, { scopes: 100, people: 2 });
    const one = new Directory(without('faisal'), start);
    const two = new Directory(without('yara', one.people), one);
    expect([one.changes, two.changes]).toEqual([1, 2]);
    expect(scopes.change('a', { directory: one })).toBe(true);
    expect(scopes.change('b', { directory: two })).toBe(false);
    expect(scopes.change('b', { directory: one })).toBe(true);
    expect(scopes.change('a', { directory: two })).toBe(false);
    expect(scopes.change('a', { directory: one })).toBe(true);
  });
});

const AREA_A = { unlisted: 'wait', oneActive: true } as const satisfies PushOptions;

function remove(engine: Engine, id: string, scope = 'default'): void {
  const { directory } = engine.scopes.of(scope);
  const people = without(id, directory.people);
  expect(engine.scopes.change(scope, { directory: new Directory(people, directory) })).toBe(true);
}

describe('a push of one scope', () => {
  it('is seen and decided there only', () => {
    const { engine } = makeEngine();
    const push = engine.createPush({ ...pushFor(AMAL), ...scenarioOf('a') });
    if (!push.ok) throw new Error(push.kind);
    expect(engine.prompts()).toEqual([]);
    expect(engine.prompts({ scope: 'b', requestId: REQUEST_ID })).toEqual([]);
    expect(engine.prompts({ scope: 'a' })).toMatchObject([{ id: push.promptId, scope: 'a' }]);
    const refusal = { promptId: push.promptId, decision: 'refuse' } as const;
    const unknown = { ok: false, reason: 'unknown_prompt' };
    expect(engine.decide({ ...refusal, scope: 'b' })).toEqual(unknown);
    expect(engine.decide({ ...refusal, scope: 'default' })).toEqual(unknown);
    expect(engine.decide({ ...refusal, scope: 'a' })).toMatchObject({ ok: true });
  });

  it('does not keep another scope’s from the same number', () => {
    const { engine } = makeEngine();
    const answers = ['a', 'b', 'a'].map(
      (scope) => engine.createPush({ ...pushFor(AMAL), ...scenarioOf(scope) }).ok,
    );
    expect(answers).toEqual([true, true, false]);
  });
});

describe('somebody who was removed', () => {
  it.each([{}, AREA_A])('is unknown to the provider, and nobody else has the number: %j', (how) => {
    const { engine } = makeEngine();
    remove(engine, 'faisal');
    const push = engine.createPush(pushFor(FAISAL), how);
    expect(push).toMatchObject({ ok: false, record: { code: '422-016-023' } });
    expect(engine.createPush({ ...pushFor(FAISAL), ...scenarioOf('a') }).ok).toBe(true);
  });

  const waiting = {
    ...pushFor(FAISAL),
    kind: 'push',
    bindingCode: '123456',
    createdAt: 0,
    expiresAt: Number.MAX_SAFE_INTEGER,
  } as const;

  it('can still answer what waited, as who they were', () => {
    const { engine } = makeEngine();
    remove(engine, 'faisal');
    const approved = engine.decideOn(engine.promptOf(waiting), { decision: 'approve' }, 1);
    if (!approved.ok) throw new Error(approved.reason);
    const result = { kind: 'approved', person: { id: 'faisal', nationalId: FAISAL } };
    expect(engine.resultOf(approved.prompt, 1)).toMatchObject(result);
  });

  it('is not replaced by somebody else who approves', () => {
    const { engine } = makeEngine();
    remove(engine, 'faisal');
    const choice = { decision: 'approve', personId: 'amal' } as const;
    const approved = engine.decideOn(engine.promptOf(waiting), choice, 1);
    if (!approved.ok) throw new Error(approved.reason);
    const result = { kind: 'bad_token', flaw: 'other_person' };
    expect(engine.resultOf(approved.prompt, 1)).toMatchObject(result);
  });

  it('can’t be named any more, but a decision of before stays theirs', () => {
    const { engine } = makeEngine();
    const page = { ...waiting, kind: 'redirect' } as const;
    const choice = { decision: 'approve', personId: 'faisal' } as const;
    const named = markOf({ id: 'faisal', nationalId: FAISAL });
    remove(engine, 'faisal');
    const refusal = { ok: false, reason: 'unknown_person' };
    expect(engine.decideOn(engine.promptOf(page), choice, 1)).toEqual(refusal);
    const decided = engine.promptOf(page, { decision: 'approve', named, at: 1 });
    expect(engine.resultOf(decided, 1)).toMatchObject({ person: { nationalId: FAISAL } });
  });
});
