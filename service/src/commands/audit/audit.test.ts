import { InvalidArgumentError } from 'commander';
import { describe, expect, it } from 'vitest';
import { textOfActor } from '../../audit/act.ts';
import { AUDIT_ACTIONS, type AuditRow } from '../../audit/audit.ts';
import { parseAttemptId } from '../../values/ids.ts';
import { NO_DIGEST, type Digest } from '../../values/secret.ts';
import { HOUR_MS, MINUTE_MS } from '../../values/time.ts';
import { readUserId } from '../command-context.ts';
import { ecsOf } from './ecs.ts';
import { lineOf } from './line.ts';
import { filterOf, type AuditFilter } from '../../audit/filter.ts';
import { readActions, readTime } from './filter.ts';

const NOON = Date.parse('2026-01-31T12:00:00Z');

const [USER, OTHER] = [readUserId('3'), readUserId('33')];

const ROW: AuditRow = {
  sequence: 7,
  at: NOON,
  action: 'token.issued',
  attemptId: parseAttemptId('0198c5e1-7d4a-7cc3-98c4-dc0c0c07398f'),
  userId: USER,
  client: 'shop',
  personDigest: null,
  detail: null,
  count: null,
  previous: NO_DIGEST,
  hash: 'h'.repeat(43) as Digest,
  actor: null,
  reason: null,
};

const BY_COMMAND: AuditRow = {
  ...ROW,
  action: 'user.disabled',
  actor: textOfActor({
    kind: 'command',
    account: { uid: 998, name: 'miftah' },
    login: { uid: 1001, name: 'amal' },
  }),
  reason: 'reported as stolen',
};

describe('a filter', () => {
  it.each<[string, AuditFilter, boolean]>([
    ['nothing', {}, true],
    ['its action', { action: readActions('token.issued') }, true],
    ['another action', { action: readActions('token.revoked') }, false],
    ['one of two actions', { action: readActions('token.revoked, token.issued') }, true],
    ['all actions of tokens', { action: readActions('token.') }, true],
    ['all actions of people', { action: readActions('user.') }, false],
    ['its client', { client: 'shop' }, true],
    ['another client', { client: 'sho' }, false],
    ['its user', { user: USER }, true],
    ['another user', { user: OTHER }, false],
    ['its own time', { since: readTime('2026-01-31T12:00:00Z') }, true],
    ['a later time', { since: readTime('2026-01-31T12:00:01Z') }, false],
    ['its own time in another zone', { since: readTime('2026-01-31T15:00+03:00') }, true],
    ['its day', { since: readTime('2026-01-31') }, true],
    ['the end of its time', { until: readTime('2026-01-31T12:00:00Z') }, false],
    ['the end of its day', { until: readTime('2026-02-01') }, true],
    ['the last hour', { since: readTime('1h') }, true],
    ['the last half hour', { since: readTime('30m') }, false],
    ['what is older than an hour', { until: readTime('1h') }, false],
    ['what is older than half an hour', { until: readTime('30m') }, true],
    ['two conditions, one of which it does not meet', { client: 'shop', user: OTHER }, false],
  ])('of %s', (_, wanted, isShown) => {
    expect(filterOf(wanted, NOON + HOUR_MS - MINUTE_MS)(ROW)).toBe(isShown);
  });

  it.each([
    ['amal', true],
    ['miftah', true],
    ['login:1001', true],
    ['uid:998', true],
    ['uid:998(miftah),login:1001(amal)', true],
    ['uid:99', false],
    ['uid:1001', false],
    ['am', false],
    ['', false],
  ])('of the actor %j', (actor, isShown) => {
    const isWanted = filterOf({ actor }, NOON);
    expect([isWanted(BY_COMMAND), isWanted(ROW)]).toEqual([isShown, false]);
  });

  it.each([
    'noon',
    '2026-01-31T12:00:00',
    '2026-01-31 12:00:00Z',
    '2026-02-30',
    '2026-13-01',
    '2026-01-31T25:00Z',
    '0h',
    '1',
    '',
  ])('refuses %j for a time', (text) => {
    expect(() => readTime(text)).toThrow(InvalidArgumentError);
  });

  it('refuses an action that there is not, and names those of the same subject', () => {
    expect(() => readActions('token.isued')).toThrow(
      'There is no action token.isued. There are token.issued, token.revoked, token.replayed.',
    );
    expect(() => readActions('nothing')).toThrow('There are store.sealed, attempt.authenticated,');
    expect(() => readActions('')).toThrow(InvalidArgumentError);
  });
});

/** The values that the schema allows, of the categories that are used (ECS, event.category). */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  authentication: ['start', 'end', 'info'],
  configuration: ['access', 'change', 'creation', 'deletion', 'info'],
  database: ['access', 'change', 'error', 'info'],
  iam: ['admin', 'change', 'creation', 'deletion', 'group', 'info', 'user'],
  intrusion_detection: ['allowed', 'denied', 'info'],
  process: ['access', 'change', 'end', 'info', 'start'],
  session: ['start', 'end', 'info'],
};

it('a row as text ends with who has done it, and why, on one line', () => {
  expect(lineOf(BY_COMMAND, {})).toMatch(
    / user=3 client=shop actor=uid:998\(miftah\),login:1001\(amal\) reason="reported as stolen"$/,
  );
  expect(lineOf({ ...BY_COMMAND, reason: 'a"\n\u202eb' }, {})).toMatch(/ reason="a\\"\\n b"$/);
  expect(lineOf(ROW, {})).not.toMatch(/actor|reason/);
});

describe('a row in the fields of the Elastic Common Schema', () => {
  it('has all that the row says', () => {
    expect(ecsOf({ ...ROW, detail: 'live', count: 2 })).toEqual({
      '@timestamp': '2026-01-31T12:00:00.000Z',
      ecs: { version: '8.17.0' },
      event: {
        kind: 'event',
        category: ['authentication'],
        type: ['start'],
        action: 'token.issued',
        outcome: 'success',
        reason: 'live',
        sequence: 7,
        id: ROW.hash,
        module: 'miftah',
        dataset: 'miftah.audit',
      },
      user: { id: '3' },
      miftah: {
        attempt_id: ROW.attemptId,
        client: 'shop',
        person_digest: null,
        detail: 'live',
        count: 2,
        previous: NO_DIGEST,
      },
    });
    expect(ecsOf({ ...ROW, userId: null })).not.toHaveProperty('user');
  });

  it('tells an operator from the person whom it is about', () => {
    expect(ecsOf({ ...BY_COMMAND, detail: 'user' })).toMatchObject({
      event: { reason: 'reported as stolen' },
      user: {
        id: 'login:1001',
        name: 'amal',
        effective: { id: 'uid:998', name: 'miftah' },
        target: { id: '3' },
      },
      miftah: { detail: 'user' },
    });
    const actor = textOfActor({ kind: 'operator', subject: 'x' });
    expect(ecsOf({ ...ROW, userId: null, actor })).toMatchObject({ user: { id: 'operator:x' } });
    expect(ecsOf({ ...ROW, userId: null, actor })).not.toHaveProperty('user.target');
  });

  it.each(AUDIT_ACTIONS)('has a category and types that go together: %s', (action) => {
    const { event } = ecsOf({ ...ROW, action }) as {
      event: { category: string[]; type: string[] };
    };
    const [category = ''] = event.category;
    expect(ALLOWED[category]).toEqual(expect.arrayContaining(event.type));
  });

  it.each([
    'token.replayed',
    'provider.mismatch',
    'enumeration.suspected',
    'store.behind',
  ] as const)('is an alert where somebody should look: %s', (action) => {
    expect(ecsOf({ ...ROW, action })).toMatchObject({ event: { kind: 'alert' } });
  });
});
