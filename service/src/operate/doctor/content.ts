import type { Config } from '../../config/config.ts';
import { mayBeOfEarlierKey, type AuditVerdict } from '../../audit/audit-chain.ts';
import { wordsOfBroken } from '../../audit/broken-audit.ts';
import { fault, ok, warning, type Finding } from './finding.ts';
import { describeBinding, isSameBinding } from '../../values/store-binding.ts';
import { fenceWords, type StoreInspection } from '../../store/index.ts';
import { bindingOf } from '../../program/open-store.ts';
import type { ServerKeys } from '../../platform/keys/server-keys.port.ts';
import { examineStream } from '../audit-stream.ts';
import { systemClock } from '../../platform/runtime.ts';
import { examineHead } from './head.ts';
import { examineTokens } from './tokens.ts';
import { examineWebhooks } from './webhooks.ts';

/** @param older what to do when the store is of an earlier version */
export function examineSchema(
  { missing, unknown, isEmpty, fence }: Awaited<ReturnType<StoreInspection['schema']>>,
  older: string,
): Finding {
  const check = 'store.schema';
  if (isEmpty) {
    const what =
      'There is nothing in the store: the first start, or `miftah migrate`, makes its tables.';
    return warning(check, what, 'If the service has run before, name the store that it used.');
  }
  if (fence !== null) return fault(check, ...fenceWords(fence, 'The store'));
  if (unknown.length > 0) {
    const what = `A newer version of this program has changed the store (${unknown.join(', ')}).`;
    return fault(check, what, 'Run that version again, or restore a backup from before it.');
  }
  if (missing.length > 0) {
    const what = `The store is of an earlier version of this program (${missing.join(', ')} is missing).`;
    return fault(check, what, older);
  }
  return ok(check, 'Its schema is that of this version.');
}

/**
 * Whose store it is, and what its audit log proves. The store must have the schema of this version.
 * @param keys null when the service's key is not there
 * @param otherwise what to do when the store is of another mode or provider
 */
export async function examineContent(
  config: Config,
  store: StoreInspection,
  keys: ServerKeys | null,
  otherwise: string,
): Promise<Finding[]> {
  const binding = await examineBinding(config, store, otherwise);
  const audit = await examineAudit(config, store, keys);
  const stream = await examineStream(config, store, systemClock.now());
  return [binding, ...audit, ...stream, ...(await examineWebhooks(config, store))];
}

async function examineBinding(
  config: Config,
  store: StoreInspection,
  otherwise: string,
): Promise<Finding> {
  const wish = bindingOf(config);
  const found = await store.binding();
  if (found !== null && isSameBinding(found, wish)) {
    return ok('store.binding', `The store belongs to ${describeBinding(found)}.`);
  }
  if (found === null && (await store.auditHead()).count === 0) {
    const what = 'The store is new: nothing has happened in it, so it has no mode yet.';
    return warning('store.binding', what, 'If the service has run before, its store is missing.');
  }
  const owner = found === null ? 'no mode yet' : describeBinding(found);
  const what = `The store belongs to ${owner}, and the settings are for ${describeBinding(wish)}.`;
  return fault('store.binding', what, otherwise);
}

async function examineAudit(
  config: Config,
  store: StoreInspection,
  keys: ServerKeys | null,
): Promise<Finding[]> {
  if (keys === null || !(await store.canVerifyAudit())) {
    const what = 'The store was written with a key that is neither SECRET_KEY nor a retired one.';
    const remedy = 'Give that key back: as SECRET_KEY, in RETIRED_SECRET_KEYS, or as secret.key.';
    return [fault('store.key', what, remedy)];
  }
  const verdict = await store.verifyAudit();
  const chain = verdict.ok
    ? wholeness(verdict)
    : fault('audit.chain', breakOf(verdict), adviceOn(verdict));
  const key = ok('store.key', 'SECRET_KEY is the key of the store.');
  const tokens = await examineTokens(config, store, verdict.ok);
  return [key, chain, ...(await examineHead(config, store, keys)), ...tokens];
}

/** A start refuses what can't be; this may be in the middle of a change of the key. */
export function examineWriters(writers: string): Finding[] {
  if (writers === '') return [];
  const what = `Instances write with another key than this SECRET_KEY: ${writers}.`;
  const remedy =
    'Send them SIGHUP, or restart them with these settings. `miftah keys rotate` seals nobody anew ' +
    'before that.';
  return [warning('store.key', what, remedy)];
}

type Broken = Extract<AuditVerdict, { ok: false }>;

function wholeness({ count, givenUp }: Exclude<AuditVerdict, Broken>): Finding {
  const check = 'audit.chain';
  const what = `The audit log is whole up to row ${count}.`;
  if (givenUp === undefined) return ok(check, what);
  return warning(
    check,
    `${what} No key proves the rows up to ${givenUp}: theirs was given up (\`miftah keys abandon\`).`,
    'If you have not done that, somebody has changed the store: keep a copy of it. `miftah revoke ' +
      '--all` ends the tokens of before, of which nothing is proved.',
  );
}

function breakOf(verdict: Broken): string {
  if (verdict.fault === 'undone') return wordsOfBroken(verdict);
  if (!('sequence' in verdict) || !mayBeOfEarlierKey(verdict.fault)) {
    return `The audit log is not whole: ${verdict.fault}.`;
  }
  const where = verdict.sequence <= 1 ? 'The beginning' : `Row ${verdict.sequence}`;
  return `${where} of the audit log can be proved neither by SECRET_KEY nor by a retired key.`;
}

function adviceOn({ fault: what }: Broken): string {
  return mayBeOfEarlierKey(what)
    ? 'If SECRET_KEY was changed at some time, give the earlier key in RETIRED_SECRET_KEYS and look ' +
        'again. Otherwise somebody has changed the store: keep a copy of it.'
    : 'See `miftah audit --verify`, and what it says of keys. Else somebody has changed the store: ' +
        'keep a copy of it.';
}
