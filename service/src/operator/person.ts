import type { FastifyInstance, FastifyReply } from 'fastify';
import {
  ACTS,
  operatorPersonPage,
  personPlace,
  type Act,
  type OperatorPersonPage,
  type ShownToken,
} from '@miftah/pages/operator';
import { exportUser } from '../account/personal-data.flow.ts';
import { revokeAll } from '../account/revoke-all.flow.ts';
import { isTokenActive, type ApiTokenRecord } from '../account/api-token.ts';
import { parseUserId, type User } from '../account/user.ts';
import { parseReason } from '../audit/act.ts';
import { queryText } from '../request/answer/page-locale.ts';
import { sendPage } from '../request/answer/send-page.ts';
import { textMember } from '../request/body/text-member.ts';
import { isoTimestamp, type Ms } from '../values/time.ts';
import { shown, timeText } from './attempts.ts';
import type { OperatorContext } from './operator-context.ts';
import { mayActAs, type Role } from '../values/operator-role.ts';
import { allKeys } from '../values/secret.ts';
import { storeOf } from './sessions.ts';
import { addVisit, OperatorRefusal, type Visit } from './visit.ts';

const SHOWN = 50;

const PERSON = personPlace(':user_id');

/** The least role that may do it. */
const ACT_ROLES: Readonly<Record<Act, Role>> = {
  disable: 'support',
  enable: 'admin',
  revoke: 'support',
  export: 'admin',
};

export function addPerson(app: FastifyInstance, context: OperatorContext): void {
  addVisit(app, context, { method: 'GET', url: PERSON, role: 'viewer' }, async (visit) =>
    showPerson(context, visit, doneIn(visit)),
  );
  for (const act of ACTS) {
    const door = { method: 'POST', url: `${PERSON}/${act}`, role: ACT_ROLES[act] } as const;
    addVisit(app, context, door, async (visit) => doAct(context, visit, act));
  }
}

/** Nothing is done without a reason. */
async function doAct(context: OperatorContext, visit: Visit, act: Act): Promise<FastifyReply> {
  const { request, reply, session, now, frame } = visit;
  const user = await userNamed(context.store, textMember(request.params, 'user_id'));
  const reason = parseReason(textMember(request.body, 'reason'));
  if (reason === null) return showPerson(context, visit, 'wrongReason');
  const store = storeOf(context.store, session, reason);
  if (act === 'export') {
    const { json } = await exportUser(store, allKeys(context.keys), user, now);
    return reply
      .header('content-disposition', `attachment; filename="user-${user.id}.json"`)
      .type('application/json; charset=utf-8')
      .send(JSON.stringify(json, null, 2));
  }
  if (act === 'disable') await store.disableUser(user.id, now);
  if (act === 'enable') await store.enableUser(user.id, now);
  if (act === 'revoke') await revokeAll(store, now, { userId: user.id }, context.pause);
  const said = new URLSearchParams({ locale: frame.locale, done: act });
  return reply.redirect(`${personPlace(user.id)}?${said.toString()}`, 303);
}

const DONE = ['disable', 'enable', 'revoke'] as const;

function doneIn({ request }: Visit): Said {
  const done = queryText(request, 'done');
  return DONE.find((act) => act === done) ?? null;
}

function isUseful(act: Act, { disabledAt }: User): boolean {
  if (act === 'disable') return disabledAt === null;
  return act !== 'enable' || disabledAt !== null;
}

type Said = OperatorPersonPage['said'];

async function showPerson(
  { store }: OperatorContext,
  visit: Visit,
  said: Said,
): Promise<FastifyReply> {
  const { request, reply, now, frame } = visit;
  const user = await userNamed(store, textMember(request.params, 'user_id'));
  const seesNames = mayActAs(frame.role, 'support');
  const { tokens, attempts } = await store.readRecords(user, []);
  const page = {
    ...frame,
    userId: user.id,
    identity: seesNames ? identityOf(user) : null,
    createdAt: isoTimestamp(user.createdAt),
    updatedAt: isoTimestamp(user.updatedAt),
    disabledAt: timeText(user.disabledAt),
    tokens: newestOf(
      tokens,
      (token) => token.tokenId,
      (token) => tokenOf(token, now, { seesNames, isDisabled: user.disabledAt !== null }),
    ),
    attempts: newestOf(
      attempts,
      (attempt) => attempt.attemptId,
      (attempt) => shown(attempt, now),
    ),
    acts: ACTS.filter((act) => mayActAs(frame.role, ACT_ROLES[act]) && isUseful(act, user)),
    said,
  };
  return sendPage(reply, operatorPersonPage(page), 'self');
}

/** @throws OperatorRefusal `unknown` */
async function userNamed(store: OperatorContext['store'], text: string): Promise<User> {
  const userId = parseUserId(/^\d{1,16}$/.test(text) ? Number(text) : Number.NaN);
  const user = userId === null ? null : await store.findUser(userId);
  if (user === null) throw new OperatorRefusal('unknown');
  return user;
}

function identityOf({ arabicName, englishName, nationalId }: User) {
  return { arabicName, englishName, lastDigits: nationalId.slice(-2) };
}

/** Ids begin with the time. */
function newestOf<Row, Item>(
  rows: readonly Row[],
  idOf: (row: Row) => string,
  itemOf: (row: Row) => Item,
) {
  const sorted = rows.toSorted((one, other) => (idOf(one) < idOf(other) ? 1 : -1));
  return { items: sorted.slice(0, SHOWN).map((row) => itemOf(row)), all: rows.length };
}

function tokenOf(
  token: ApiTokenRecord,
  now: Ms,
  { seesNames, isDisabled }: { readonly seesNames: boolean; readonly isDisabled: boolean },
): ShownToken {
  const { tokenId, attemptId, client, deviceName, createdAt, expiresAt, revokedAt } = token;
  const good = isDisabled ? 'stopped' : 'active';
  const ended = revokedAt === null ? 'expired' : 'revoked';
  return {
    tokenId,
    attemptId,
    client,
    deviceName: seesNames ? deviceName : null,
    createdAt: isoTimestamp(createdAt),
    expiresAt: isoTimestamp(expiresAt),
    state: isTokenActive(token, now) ? good : ended,
  };
}
