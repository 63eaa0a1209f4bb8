import { Refusal } from '../../../src/errors/refusal.ts';
import type { Person } from '../../../src/account/user.ts';
import { systemClock } from '../../../src/platform/runtime.ts';
import { createMemoryCoordination } from '../../../src/platform/coordination/memory-coordination.ts';
import { SECOND_MS } from '../../../src/values/time.ts';
import type { PushMessage } from '../../../src/provider/identity-provider.port.ts';
import { createRemoteProvider } from '../../../src/provider/remote-provider.ts';
import type { ProviderApiConfig } from '../../../src/provider/provider-config.ts';
import type {
  AnyProvider,
  BegunAttempt,
  ProviderUnderTest,
} from '../../conformance/provider-under-test.ts';
import { openListeningSimulator, type ListeningSimulator } from '../live/opened-simulator.ts';
import { PersonBrowser, type Visit } from '../live/person-browser.ts';
import type { AtEnd } from '../at-end.ts';
import { json, openAreaB } from './area-b.ts';
import { AUDIENCE, inBoth, openProvider } from './provider-under-test.ts';

/** Less than the ten seconds of the outcome `slow_answer`, and for other answers as long as possible. */
const DEADLINE_MS = 9 * SECOND_MS;

type Live = ReturnType<typeof createRemoteProvider>;

/** The simulator in its own process, and the address that its signed results are sent to. */
export interface RunningProvider {
  readonly simulator: ListeningSimulator;
  readonly inbox: Inbox;
}

/** The received signed results, by the attempt that they name. */
class Inbox {
  readonly #messages = new Map<string, PromiseWithResolvers<PushMessage>>();

  add(message: PushMessage): void {
    this.#of(message.requestId).resolve(message);
  }

  next(requestId: string): Promise<PushMessage> {
    return this.#of(requestId).promise;
  }

  #of(requestId: string): PromiseWithResolvers<PushMessage> {
    const found = this.#messages.get(requestId) ?? Promise.withResolvers<PushMessage>();
    this.#messages.set(requestId, found);
    return found;
  }
}

export async function runProvider(atEnd: AtEnd): Promise<RunningProvider> {
  const inbox = new Inbox();
  const { url } = await openAreaB((call, response) => {
    inbox.add(JSON.parse(call.body) as PushMessage);
    json({})(call, response);
  }, atEnd);
  const simulator = await openListeningSimulator({
    APP_ID: 'app-id-canary',
    APP_KEY: 'app-key-canary',
    CLIENT_ID: AUDIENCE,
    AUDIENCE,
    RELYING_PARTY_RETURN_URL: `${AUDIENCE}/return`,
    RELYING_PARTY_PUSH_URL: `${url}/mfa-callback`,
  });
  atEnd(() => simulator.stop());
  return { simulator, inbox };
}

/** The driver of live mode, which gets identities from signed results. */
export async function openLive(
  { simulator, inbox }: RunningProvider,
  changes: Partial<ProviderApiConfig> = {},
): Promise<ProviderUnderTest> {
  const { origin } = simulator;
  const endings: (() => void | Promise<void>)[] = [];
  const ours = {
    mode: 'rehearsal',
    issuers: inBoth(origin),
    authorizeOrigin: origin,
    ...changes,
  } as const;
  const tools = { clock: systemClock, deadlineMs: DEADLINE_MS };
  const { provider: remote } = openProvider(origin, ours, tools, (work) => {
    endings.push(work);
  });
  const { statusPolls: polls } = createMemoryCoordination();
  const provider = createRemoteProvider(remote, { hasPhoneFlow: true, polls });
  const returned = new Map<string, string>();
  return {
    provider: asAnyProvider(provider),
    now: () => systemClock.now(),
    async decide(begun, decision, personId) {
      if (begun.transaction?.kind === 'push') return answerPush(origin, begun, decision, personId);
      const state = await answerPage(begun, decision, personId ?? '');
      returned.set(begun.attempt.attemptId, state);
    },
    async finish(begun) {
      const { attemptId } = begun.attempt;
      return begun.transaction?.kind === 'push'
        ? readPush(provider, begun, await inbox.next(attemptId))
        : exchange(provider, begun, returned.get(attemptId) ?? '');
    },
    get secrets() {
      return ['app-id-canary', 'app-key-canary', ...returned.values()];
    },
    async close() {
      for (const end of endings) await end();
    },
  };
}

function asAnyProvider(provider: Live): AnyProvider {
  return {
    isRemote: true,
    openRedirect: (attempt, endUser) => provider.openRedirect(attempt, endUser),
    requestPush: (attempt, endUser) => provider.requestPush(attempt, endUser),
    async collect(attempt, transaction, now) {
      // A redirect has no status: it is finished by the return of its browser.
      if (transaction?.kind !== 'push') return { result: 'waiting' };
      const result = await provider.collectPush(attempt, transaction, now);
      if (result === 'rejected') return { result, reason: 'attempt.rejected' };
      return { result: result === 'approved' ? 'unproven' : result };
    },
  };
}

async function readPush(
  provider: Live,
  { attempt, transaction }: BegunAttempt,
  message: PushMessage,
): Promise<Person> {
  if (transaction?.kind !== 'push') throw new Error('no push');
  const { transactionId } = transaction;
  const push = await provider.readPush(message, { attempt, transactionId }, null);
  if (push.status !== 'approved') throw new Refusal('attempt.rejected');
  return push.person;
}

/** Like the flow: if the state of a returned browser can't be exchanged, the person refused. */
async function exchange(
  provider: Live,
  { attempt, transaction }: BegunAttempt,
  state: string,
): Promise<Person> {
  if (transaction?.kind !== 'redirect') throw new Error('no redirect');
  const back = { state, attempt, transaction, address: null };
  const exchanged = await provider.exchange(back);
  if (exchanged.status === 'unverified') throw exchanged.refusal;
  if (exchanged.status === 'refused') throw new Refusal('attempt.rejected');
  return exchanged.person;
}

/** Decides on the phone in place of the person, by the control API. */
async function answerPush(
  origin: string,
  { attempt }: BegunAttempt,
  decision: string,
  person: string | undefined,
): Promise<void> {
  const list = await fetch(`${origin}/simulator/prompts?request_id=${attempt.attemptId}`);
  const { data } = (await list.json()) as { data: { id: string }[] };
  const answer = await fetch(`${origin}/simulator/prompts/${data[0]?.id}/decision`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ decision, person }),
  });
  if (!answer.ok) throw new Error(`the phone was answered ${answer.status}`);
}

/**
 * Decides in the browser in place of the person. @returns the state with which the browser returns
 */
async function answerPage(
  { transaction }: BegunAttempt,
  decision: string,
  person: string,
): Promise<string> {
  if (transaction?.kind !== 'redirect') throw new Error('no redirect');
  const browser = new PersonBrowser();
  const page = await browser.open(transaction.launchUrl ?? '');
  const decided = await browser.press(page, { person, decision });
  // A refusal is sent back at once; an approval needs one more form.
  return stateIn(decided.location === null ? await browser.press(decided) : decided);
}

function stateIn({ location, html }: Visit): string {
  const state = location?.searchParams.get('state') ?? null;
  if (state === null) throw new Error(`it was not sent back: ${html}`);
  return state;
}
