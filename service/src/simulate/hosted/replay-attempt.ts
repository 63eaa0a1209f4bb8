import type { ReplayChoice, ReplaySource, HostedAttempts } from '@miftah/simulator/app';
import { StartRequest } from '@miftah/contract';
import { checkOf } from '@miftah/schema/check';
import { parseAttemptId } from '../../values/ids.ts';
import type { Client, ClientList } from '../../account/client.ts';
import { Refusal } from '../../errors/refusal.ts';
import type { Flow } from '../../attempt/flow.ts';
import { RATE_POLICIES, type RateStanding } from '../../values/limits.ts';
import { DEFAULT_LOCALE, parseLocale, type Locale } from '../../values/locale.ts';
import { parseNationalId, type NationalId } from '../../account/user.ts';
import { namedReturnAddress } from '../../attempt/browser/return-address.ts';
import { DEFAULT_SCOPE, keyInScope, scopeOf } from '../../attempt/scenario.ts';
import {
  startPush,
  startRedirect,
  type StartedAttempt,
} from '../../attempt/start/start-attempt.flow.ts';
import { rateHeaders, secondsLeft } from '../../request/caller/caller.ts';
import { BASE_PATH, baseUrl, type HttpContext } from '../../request/context.ts';
import { presentStarted } from '../../request/answer/present.ts';
import type { AttemptRecorder } from './attempt-recorder.ts';
import { readScenario } from './scenarios.ts';

/** Says in the time line that no application has sent this start. */
const USER_AGENT = 'miftah replay';

const check = checkOf(StartRequest);

export interface HostedParts {
  readonly context: HttpContext;
  readonly clients: ClientList;
  readonly recorder: AttemptRecorder;
}

/** The sign-in that is wanted. */
interface Wanted {
  readonly client: Client;
  readonly locale: Locale;
  readonly nationalId: NationalId | null;
  readonly returnAddress: string | null;
}

/**
 * Starts sign-ins again for the control API, as the application would: the same flow with the same
 * rules, but without the application's key, which nobody here has.
 */
export function replayAttempt(parts: HostedParts): HostedAttempts['replay'] {
  return async (source, choice, caller) => {
    const { clock } = parts.context;
    const standing = await count(parts, choice, caller);
    const headers = () => (standing === null ? {} : rateHeaders(standing, clock.now()));
    try {
      if (standing?.allowed === false) {
        const retryAfterSeconds = secondsLeft(standing, clock.now());
        throw new Refusal('rate_limited', { retryAfterSeconds });
      }
      const wanted = await wantedOf(parts, source, choice);
      return { ok: true, started: await start(parts, wanted, choice), headers: headers() };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { code: reason, details } = error;
      const later: Record<string, string> =
        details.retryAfterSeconds === undefined
          ? {}
          : { 'retry-after': String(details.retryAfterSeconds) };
      const told = reason === 'push.budget_spent' ? later : { ...headers(), ...later };
      return { ok: false, reason, headers: told };
    }
  };
}

/**
 * With the starts of applications without a key: a page that repeats sign-ins without end would
 * fill the store as one that starts them. @returns null where nothing is counted
 */
async function count(
  { context }: HostedParts,
  { scope }: ReplayChoice,
  caller: string,
): Promise<RateStanding | null> {
  const { limiter, clock, services } = context;
  const policy = RATE_POLICIES.start;
  const key = keyInScope(scope, caller);
  if (limiter === null) return null;
  const standing = await limiter.consume(policy, key, clock.now());
  if (!standing.allowed) services.meter.limitHit(policy.name);
  return standing;
}

async function wantedOf(
  parts: HostedParts,
  source: ReplaySource,
  { scope }: ReplayChoice,
): Promise<Wanted> {
  if ('body' in source) return fromBody(parts, source.body);
  const attemptId = parseAttemptId(source.attemptId);
  const { store } = parts.context.services;
  const found = attemptId === null ? null : await store.findAttempt(attemptId);
  if (found === null || scopeOf(found.attempt) !== scope) throw new Refusal('attempt.not_found');
  const { locale, flow, nationalId, returnAddress } = found.attempt;
  const client = parts.clients.find(found.attempt.client);
  // The application may have been removed, and the number erased.
  if (client === null || (flow === 'mfa' && nationalId === null)) {
    throw new Refusal('attempt.not_found');
  }
  return { client, locale, nationalId, returnAddress };
}

/** A file can hold anything. @throws Refusal */
function fromBody({ clients }: HostedParts, body: unknown): Wanted {
  if (!check.holds(body)) throw new Refusal('validation.failed');
  const nationalId = 'national_id' in body ? parseNationalId(body.national_id) : null;
  if ('national_id' in body && nationalId === null) throw new Refusal('validation.failed');
  const client = clients.keyless(nationalId === null ? 'oidc' : 'mfa') ?? clients.all()[0];
  if (client === undefined) throw new Refusal('client.unauthenticated');
  const { return_address: named } = body;
  const returnAddress = named === undefined ? null : namedReturnAddress(client, named);
  return { client, locale: parseLocale(body.locale) ?? DEFAULT_LOCALE, nationalId, returnAddress };
}

async function start(parts: HostedParts, wanted: Wanted, choice: ReplayChoice): Promise<object> {
  const { context, recorder } = parts;
  const { nationalId, ...asked } = wanted;
  const flow: Flow = nationalId === null ? 'oidc' : 'mfa';
  const headers = headersOf(choice);
  const scenario = readScenario(headers, flow);
  const request = { ...asked, endUser: { address: null }, scenario };
  const now = context.clock.now();
  const begun = recorder.turn();
  const started =
    nationalId === null
      ? await startRedirect(context.services, request, now)
      : await startPush(context.services, { ...request, nationalId }, now);
  const answer = presentStarted(started, baseUrl(context));
  const { attemptId } = started.record;
  recorder.begin({ attemptId, scope: choice.scope, address: null });
  recorder.record({
    attemptId,
    name: 'startAttempt',
    at: now,
    begun,
    method: 'POST',
    path: `${BASE_PATH}/start`,
    status: 200,
    durationMs: 0,
    request: { headers: { ...headers, 'user-agent': USER_AGENT }, body: bodyOf(started) },
    response: { headers: {}, body: JSON.stringify({ data: answer }) },
  });
  return answer;
}

/** As an application would send them. */
function headersOf({ scope, outcome }: ReplayChoice) {
  return {
    ...(scope === DEFAULT_SCOPE ? {} : { 'x-miftah-scope': scope }),
    ...(outcome === null ? {} : { 'x-simulate': outcome }),
  };
}

function bodyOf({ record: { locale, nationalId, returnAddress } }: StartedAttempt) {
  return {
    locale,
    ...(nationalId === null ? {} : { national_id: nationalId }),
    ...(returnAddress === null ? {} : { return_address: returnAddress }),
  };
}
