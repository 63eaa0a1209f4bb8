import type {
  BegunFor,
  ConsumeAttempt,
  ConsumedAttempt,
  FoundOpenid,
  OpenidChange,
  OpenidName,
  OpenidRecord,
  OpenidRecords,
} from '../../src/store/ports/store.port.ts';
import type { AttemptId } from '../../src/values/ids.ts';
import { isEndedFor, redeemed } from './rules.ts';
import type { OpenTables, Tables } from './tables.ts';
import type { KeptOpenid } from './tables/openid.ts';

const NOT_MODELLED = () => Promise.reject(new Error('the model tells nobody'));

/** What the OpenID Provider keeps. Nothing is sealed, so there is nothing to seal anew. */
export function openidStore(tables: OpenTables): OpenidRecords {
  return {
    putOpenid: async (record, issue) => {
      const { openid, audit } = tables();
      const isOver = openid.first((one) => one.grant === record.grant) === null;
      if (record.grant !== null && isOver) return false;
      put(tables(), record);
      if (issue === undefined) return true;
      audit.append({ action: 'openid.grant_issued', client: record.client, ...issue });
      return true;
    },
    followOpenid: async (record, { model, id, stays }) => {
      const { openid } = tables();
      const followed = openid.get({ model, id });
      if (followed === null) return false;
      put(tables(), record);
      const isOther = model !== record.model || id !== record.id;
      if (!stays && isOther) openid.removeWhere((one) => one === followed);
      return true;
    },
    changeOpenid: (changes) => changeInTurn(openidStore(tables), changes),
    continueOpenid: async ({ from, begins, client, at }) => {
      const { openid, users, audit } = tables();
      const known = openid.get(from);
      const user = users.ofSubject(known?.subject ?? '');
      if (known === null || (known.expiresAt ?? 0) <= at || user?.disabledAt !== null) return false;
      const rest = { attemptId: null, consumedAt: null, subject: known.subject };
      openid.keep({ ...begins, ...rest, client, body: '{}', grant: begins.id });
      audit.append({ at, action: 'openid.session_used', userId: user.id, client });
      return true;
    },
    keepOpenid: async (record) => {
      const { openid } = tables();
      if (openid.get(record) === null) put(tables(), record);
      return openid.get(record)?.body ?? record.body;
    },
    findOpenid: async (name) => found(tables().openid.get(name)),
    openidOfAttempt: async (attemptId) =>
      found(tables().openid.first((one) => one.attemptId === attemptId)),
    consumeOpenid: async (name, at) => consume(tables(), name, at),
    removeOpenid: async (name) => {
      const removed = tables().openid.get(name);
      tables().openid.removeWhere((one) => one === removed);
      return removed !== null;
    },
    removeOpenidGrant: async (grant, at) => {
      const { openid, users, audit } = tables();
      const ended = openid.first((one) => one.grant === grant);
      openid.removeWhere((one) => one.grant === grant);
      if (ended === null) return;
      const userId = users.ofSubject(ended.subject ?? '')?.id ?? null;
      audit.append({ at, action: 'openid.grant_ended', userId, client: ended.client });
    },
    resealOpenid: async () => {
      tables();
      return 0;
    },
    replaceOpenid: async ({ from, to, at, ...name }) => {
      const { openid, audit } = tables();
      const record = openid.get(name);
      if (record === null || record.body !== from) return false;
      openid.keep({ ...record, body: to });
      audit.append({ at, action: 'openid.keys_rotated' });
      return true;
    },
    consumeAttempt: async (change) => consumeAttempt(tables(), change),
    useAttempt: async (change) =>
      consumeAttempt(tables(), { ...change, subject: 'has one' }) !== null,
    findSubject: async (subject) => tables().users.ofSubject(subject),
    findSignIn: async (attemptId) => {
      const { attempts, users } = tables();
      const attempt = attempts.get(attemptId);
      if (attempt === null) return null;
      const user = users.get(attempt.userId);
      return { attempt, user, subject: user === null ? null : (users.subjectOf(user.id) ?? null) };
    },
    clientsToTell: NOT_MODELLED,
    leaseEnded: NOT_MODELLED,
    postponeEnded: NOT_MODELLED,
    removeEnded: NOT_MODELLED,
    endSomeOpenid: async () => null,
  };
}

/** False when the link is another one by now. */
export function beginFor(
  tables: Tables,
  attemptId: AttemptId,
  begunFor: BegunFor | null = null,
): boolean {
  if (begunFor === null) return true;
  if (!('from' in begunFor)) {
    put(tables, { ...begunFor, grant: null, attemptId });
    return true;
  }
  const record = tables.openid.get(begunFor);
  if (record === null || record.attemptId !== begunFor.from) return false;
  tables.openid.keep({ ...record, attemptId });
  return true;
}

async function changeInTurn(
  store: OpenidRecords,
  changes: readonly OpenidChange[],
): Promise<number> {
  let made = 0;
  for (const one of changes) {
    if (!(await changeOne(store, one))) break;
    made += 1;
  }
  return made;
}

function changeOne(store: OpenidRecords, one: OpenidChange): Promise<boolean> {
  if ('put' in one) return store.putOpenid(one.put);
  if ('consume' in one) return store.consumeOpenid(one.consume, one.at);
  if ('remove' in one) return store.removeOpenid(one.remove);
  return store.followOpenid(one.follow, one.followed);
}

function put({ openid }: Tables, record: OpenidRecord): void {
  const { attemptId = record.attemptId, consumedAt = null } = openid.get(record) ?? {};
  openid.keep({ ...record, attemptId, consumedAt });
}

function consume({ openid }: Tables, name: OpenidName, at: number): boolean {
  const record = openid.get(name);
  if (record === null || record.consumedAt !== null) return false;
  openid.keep({ ...record, consumedAt: at });
  return true;
}

function found(record: KeptOpenid | null): FoundOpenid | null {
  if (record === null) return null;
  const { body, attemptId, expiresAt, consumedAt } = record;
  return { body, attemptId, expiresAt, consumedAt };
}

function consumeAttempt(
  { attempts, users, audit, openid }: Tables,
  { attemptId, at, completionDigest, subject: wanted, begins, ends = null }: ConsumeAttempt,
): ConsumedAttempt | null {
  const before = attempts.get(attemptId);
  const user = users.get(before?.userId ?? null);
  if (before === null || user === null) return null;
  if (user.disabledAt !== null || isEndedFor(user, before)) return null;
  const attempt = attempts.change(attemptId, (from) =>
    redeemed(from, { at, completionDigest, seal: null }),
  );
  if (attempt === null) return null;
  audit.appendAttempt('openid.signed_in', at, attempt);
  const subject = users.nameSubject(user.id, wanted);
  const rest = { client: attempt.client, attemptId: null, consumedAt: null };
  openid.keep({ body: '{}', ...begins, ...rest, grant: begins.id, subject });
  const ended = ends === null ? null : openid.get(ends);
  openid.removeWhere((one) => one === ended);
  return { attempt, user, subject };
}
