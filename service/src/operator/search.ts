import type { FastifyInstance, FastifyReply } from 'fastify';
import {
  attemptPlace,
  OPERATOR_FORMS,
  OPERATOR_PLACES,
  operatorSearchPage,
  personPlace,
  type OperatorSearchPage,
} from '@miftah/pages/operator';
import { parseNationalId, parseUserId } from '../account/user.ts';
import { parseReason, type Reason } from '../audit/act.ts';
import { budgetDigest } from '../attempt/start/push-budget.ts';
import { sendPage } from '../request/answer/send-page.ts';
import { textMember } from '../request/body/text-member.ts';
import { secondsLeft, tellStanding } from '../request/caller/caller.ts';
import { parseAttemptId } from '../values/ids.ts';
import { OPERATOR_SEARCHES } from '../values/limits.ts';
import type { OperatorContext } from './operator-context.ts';
import { storeOf } from './sessions.ts';
import { addVisit, OperatorRefusal, type Visit } from './visit.ts';

/** The first page: from an id or a number to what it names. */
export function addSearch(app: FastifyInstance, context: OperatorContext): void {
  addVisit(
    app,
    context,
    { method: 'GET', url: OPERATOR_PLACES.search, role: 'viewer' },
    async (visit) => show(visit, {}),
  );
  // By POST, as all searches: what is typed into the wrong field is in no address.
  addVisit(
    app,
    context,
    { method: 'POST', url: OPERATOR_FORMS.find, role: 'viewer' },
    async (visit) => leadTo(visit, await placeOf(context, visit)),
  );
  addVisit(
    app,
    context,
    { method: 'POST', url: OPERATOR_FORMS.number, role: 'support' },
    async (visit) => findNumber(context, visit),
  );
}

function show({ reply, frame }: Visit, found: Pick<OperatorSearchPage, 'found'>): FastifyReply {
  return sendPage(reply, operatorSearchPage({ ...frame, ...found }), 'self');
}

function leadTo({ reply, frame }: Visit, place: string): FastifyReply {
  return reply.redirect(`${place}?locale=${frame.locale}`, 303);
}

/** @throws OperatorRefusal `unknown` */
async function placeOf({ store }: OperatorContext, { request }: Visit): Promise<string> {
  const attemptId = parseAttemptId(textMember(request.body, 'attempt_id').trim());
  if (attemptId !== null && (await store.findAttempt(attemptId)) !== null) {
    return attemptPlace(attemptId);
  }
  const userId = parseUserId(Number(textMember(request.body, 'user_id').trim() || Number.NaN));
  if (userId !== null && (await store.findUser(userId)) !== null) return personPlace(userId);
  throw new OperatorRefusal('unknown');
}

/** Null for none; undefined for one that is not to be kept. */
function optionalReason(text: string): Reason | null | undefined {
  return text.trim() === '' ? null : (parseReason(text) ?? undefined);
}

/**
 * By the whole number only, so many times a minute, and each time with a row of the audit log that is
 * written before anything is looked up.
 */
async function findNumber(
  { store, counts, keys }: OperatorContext,
  visit: Visit,
): Promise<FastifyReply> {
  const { request, reply, session, now } = visit;
  const nationalId = parseNationalId(textMember(request.body, 'national_id').trim());
  if (nationalId === null) return show(visit, { found: 'wrongNumber' });
  const reason = optionalReason(textMember(request.body, 'reason'));
  if (reason === undefined) return show(visit, { found: 'wrongReason' });
  const counted = await counts.consume(OPERATOR_SEARCHES, session.id, now);
  tellStanding(reply, counted, now);
  if (!counted.allowed) {
    reply.header('retry-after', secondsLeft(counted, now));
    throw new OperatorRefusal('too_many');
  }
  const personDigest = budgetDigest(keys.current, nationalId);
  const event = { at: now, action: 'user.searched', personDigest, detail: session.role } as const;
  await storeOf(store, session, reason).recordEvent(event);
  const users = await store.findUsersNamed(nationalId);
  const [only] = users;
  if (only !== undefined && users.length === 1) return leadTo(visit, personPlace(only.id));
  const found = users.map(({ id, arabicName, englishName }) => ({
    userId: id,
    arabicName,
    englishName,
  }));
  return show(visit, { found: found.length === 0 ? 'nobody' : found });
}
