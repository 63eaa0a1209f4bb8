import type { FastifyInstance, FastifyReply } from 'fastify';
import { operatorPersonPage, personPlace, type ShownToken } from '@miftah/pages/operator';
import { isTokenActive, type ApiTokenRecord } from '../account/api-token.ts';
import { parseUserId, type User } from '../account/user.ts';
import { sendPage } from '../request/answer/send-page.ts';
import { textMember } from '../request/body/text-member.ts';
import { isoTimestamp, type Ms } from '../values/time.ts';
import { shown, timeText } from './attempts.ts';
import type { OperatorContext } from './operator-context.ts';
import { mayActAs } from '../values/operator-role.ts';
import { addVisit, OperatorRefusal, type Visit } from './visit.ts';

const SHOWN = 50;

export function addPerson(app: FastifyInstance, context: OperatorContext): void {
  addVisit(
    app,
    context,
    { method: 'GET', url: `${personPlace(0).slice(0, -1)}:user_id`, role: 'viewer' },
    async (visit) => showPerson(context, visit),
  );
}

async function showPerson({ store }: OperatorContext, visit: Visit): Promise<FastifyReply> {
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
      (token) => tokenOf(token, now, seesNames),
    ),
    attempts: newestOf(
      attempts,
      (attempt) => attempt.attemptId,
      (attempt) => shown(attempt, now),
    ),
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

function tokenOf(token: ApiTokenRecord, now: Ms, seesNames: boolean): ShownToken {
  const { tokenId, attemptId, client, deviceName, createdAt, expiresAt, revokedAt } = token;
  const ended = revokedAt === null ? 'expired' : 'revoked';
  return {
    tokenId,
    attemptId,
    client,
    deviceName: seesNames ? deviceName : null,
    createdAt: isoTimestamp(createdAt),
    expiresAt: isoTimestamp(expiresAt),
    state: isTokenActive(token, now) ? 'active' : ended,
  };
}
