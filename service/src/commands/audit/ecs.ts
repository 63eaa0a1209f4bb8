import { partsOf, type ActorPart } from '../../audit/act.ts';
import type { AuditAction, AuditRow } from '../../audit/audit.ts';

/** The version of the Elastic Common Schema whose fields and values these are. */
const ECS_VERSION = '8.17.0';

interface Kind {
  readonly category: string;
  readonly type: string;
  readonly outcome: 'success' | 'failure' | 'unknown';
  /** Somebody should look at it. */
  readonly isAlert?: true;
}

const SIGNED_IN: Kind = { category: 'authentication', type: 'start', outcome: 'success' };
const ASKED: Kind = { category: 'authentication', type: 'info', outcome: 'unknown' };
const REFUSED: Kind = { category: 'authentication', type: 'info', outcome: 'failure' };
const SESSION_BEGUN: Kind = { category: 'session', type: 'start', outcome: 'success' };
const SESSION_ENDED: Kind = { category: 'session', type: 'end', outcome: 'success' };
const USER_CHANGED: Kind = { category: 'iam', type: 'change', outcome: 'success' };
const USER_READ: Kind = { category: 'iam', type: 'info', outcome: 'success' };
const USER_DELETED: Kind = { category: 'iam', type: 'deletion', outcome: 'success' };
const MADE: Kind = { category: 'configuration', type: 'creation', outcome: 'success' };
const CHANGED: Kind = { category: 'configuration', type: 'change', outcome: 'success' };
const DELETED: Kind = { category: 'configuration', type: 'deletion', outcome: 'success' };
const LOOKED_AT: Kind = { category: 'configuration', type: 'info', outcome: 'success' };
const WRONG: Kind = { category: 'configuration', type: 'info', outcome: 'failure', isAlert: true };
const DENIED: Kind = {
  category: 'intrusion_detection',
  type: 'denied',
  outcome: 'failure',
  isAlert: true,
};

const KINDS: Readonly<Record<AuditAction, Kind>> = {
  'store.sealed': MADE,
  'attempt.authenticated': SIGNED_IN,
  'attempt.rejected': REFUSED,
  'attempt.failed': REFUSED,
  'attempt.completion_missed': REFUSED,
  'attempt.spoiled': DENIED,
  'token.issued': SIGNED_IN,
  'openid.signed_in': SIGNED_IN,
  'openid.session_used': SIGNED_IN,
  'openid.grant_issued': SIGNED_IN,
  'openid.grant_ended': SESSION_ENDED,
  'openid.keys_rotated': CHANGED,
  'token.revoked': SESSION_ENDED,
  'tokens.revoked_all': SESSION_ENDED,
  'user.disabled': USER_CHANGED,
  'user.enabled': USER_CHANGED,
  'push.admitted': ASKED,
  'keys.rotated': CHANGED,
  'people.forgotten': USER_DELETED,
  'user.erased': USER_DELETED,
  'audit.cut': DELETED,
  'store.restored': CHANGED,
  'push.suppressed': REFUSED,
  'token.replayed': DENIED,
  'openid.refused': REFUSED,
  'browser.mismatch': DENIED,
  'provider.mismatch': DENIED,
  'provider.token_refused': DENIED,
  'provider.token_unverified': DENIED,
  'enumeration.suspected': DENIED,
  'client.added': MADE,
  'client.changed': CHANGED,
  'client.removed': DELETED,
  'clients.reloaded': CHANGED,
  'user.exported': USER_READ,
  'user.searched': USER_READ,
  'operator.link_made': MADE,
  'operator.signed_in': SESSION_BEGUN,
  'operator.signed_out': SESSION_ENDED,
  'operator.refused': REFUSED,
  'webhooks.replayed': CHANGED,
  'webhooks.switched_on': CHANGED,
  'store.behind': WRONG,
  'store.backed_up': { category: 'database', type: 'access', outcome: 'success' },
  'audit.verified': LOOKED_AT,
  'service.examined': LOOKED_AT,
  'service.started': { category: 'process', type: 'start', outcome: 'success' },
  'service.stopped': { category: 'process', type: 'end', outcome: 'success' },
};

/**
 * A row in the fields of the Elastic Common Schema. What it has no field for is below `miftah`.
 * Source: the ECS reference, event categorization fields.
 */
export function ecsOf(row: AuditRow): object {
  const { category, type, outcome, isAlert } = KINDS[row.action];
  const { attemptId, client, personDigest, detail, count, previous, hash } = row;
  const reason = row.reason ?? detail;
  return {
    '@timestamp': new Date(row.at).toISOString(),
    ecs: { version: ECS_VERSION },
    event: {
      kind: isAlert === true ? 'alert' : 'event',
      category: [category],
      type: category === 'iam' ? ['user', type] : [type],
      action: row.action,
      outcome,
      ...(reason === null ? {} : { reason }),
      sequence: row.sequence,
      id: hash,
      module: 'miftah',
      dataset: 'miftah.audit',
    },
    ...userIn(row),
    miftah: { attempt_id: attemptId, client, person_digest: personDigest, detail, count, previous },
  };
}

/**
 * Who does it, and for what an operator does, whom it is done to. An account begins with what it is
 * (`uid:1001`), so that none is taken for a person.
 */
function userIn({ userId, actor }: AuditRow): object {
  const person = userId === null ? null : { id: String(userId) };
  if (actor === null) return person === null ? {} : { user: person };
  const [who, process] = partsOf(actor);
  return {
    user: {
      ...fieldsOf(who),
      ...(process === undefined ? {} : { effective: fieldsOf(process) }),
      ...(person === null ? {} : { target: person }),
    },
  };
}

function fieldsOf(part: ActorPart | undefined): object {
  if (part === undefined) return {};
  return part.name === null ? { id: part.id } : { id: part.id, name: part.name };
}
