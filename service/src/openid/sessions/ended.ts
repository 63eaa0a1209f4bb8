import type { FastifyInstance } from 'fastify';
import type { Provider } from 'oidc-provider/lib/provider.js';
import type { Clients } from '../../account/clients.port.ts';
import { TELLING_MS } from '../../account/openid-client.ts';
import type { Clock } from '../../platform/runtime.port.ts';
import { createScheduler } from '../../platform/scheduler.ts';
import { textMember } from '../../request/body/text-member.ts';
import type { HttpContext } from '../../request/context.ts';
import type { EndedOpenid, OpenidRecords } from '../../store/ports/store.port.ts';
import { HOUR_MS, SECOND_MS, type Ms } from '../../values/time.ts';
import { memberOf } from '../../values/member.ts';
import { ownerOf, textIn } from '../records.ts';
import { logEnded } from '../refused.ts';

/**
 * Clients are told by back-channel logout when an operator ends a sign-in. With each sign-in of a client
 * that has an address for it a record is written; what ends the sign-in makes the record due in the same
 * transaction, by whatever process; and every instance sends what is due. A logout token lasts two
 * minutes, so each try has one of its own.
 */

/** How many calls a client gets at a time: they share the turns of a host with logouts and pings. */
const AT_ONCE = 4;
/** Longer than a turn, a call and the write of its answer take. */
const LEASE_MS = 20 * SECOND_MS;
/** How soon what was ended is seen. */
const LOOK_INTERVAL_MS = SECOND_MS;
const FIRST_WAIT_MS = 5 * SECOND_MS;
const TOO_MANY = 429;

/** As long as the service runs. */
export function tellOften(
  app: FastifyInstance,
  { services, clock }: HttpContext,
  provider: () => Promise<Provider>,
): void {
  const { store, clients } = services;
  let isStopped = false;
  const sendDue = tellEnded({
    store,
    clients,
    clock,
    provider,
    tell: (client, error, isOver) => logEnded(app.log, client, error, isOver),
  });
  const task = createScheduler((error) => {
    // What a stop has broken off is sent again, by another instance or after the next start.
    if (!isStopped) services.logFailure(error, 'clients could not be told of ended sign-ins');
  }).every(LOOK_INTERVAL_MS, async () => {
    if (store.health().ready) await sendDue();
  });
  app.addHook('onClose', async () => {
    isStopped = true;
    void task.stop();
  });
}

interface Ended extends EndedOpenid {
  readonly client: string;
  readonly subject: string;
  /** Where the client needs it. */
  readonly sid: string | undefined;
}

function endedOf(one: EndedOpenid): Ended {
  const body: unknown = JSON.parse(one.body);
  const [client, subject] = [textMember(body, 'client'), textMember(body, 'subject')];
  return { ...one, client, subject, sid: textIn(body, 'sid') ?? undefined };
}

/** One call is enough for what it would say the same of. */
const keyOf = ({ client, subject, sid = '' }: Ended) => [client, subject, sid].join(' ');

/** Anything but a refusal may be so for all that waits for this client. */
function isOfAll(error: unknown): boolean {
  const response = memberOf(error, 'response');
  if (!(response instanceof Response)) return true;
  const { status } = response;
  return status < 400 || status >= 500 || status === TOO_MANY;
}

interface TellingParts {
  readonly store: OpenidRecords;
  readonly clients: Clients;
  readonly clock: Clock;
  readonly provider: () => Promise<Provider>;
  readonly tell: (client: string, error: unknown, isOver: boolean) => void;
}

/** Tells what is due, of sign-ins that were ended here or elsewhere. */
function tellEnded({ store, clients, clock, provider, tell }: TellingParts) {
  /** Of each one the first failure of a row is told of. */
  const failing = new Set<string>();
  /** Until when a client is left alone, however much waits for it. */
  const pauses = new Map<string, Ms>();

  async function failed(of: Ended, error: unknown): Promise<void> {
    const now = clock.now();
    const { name, endedAt, client } = of;
    // As long again as it has waited, so that nothing has to be counted.
    const until = now + Math.min(Math.max(now - endedAt, FIRST_WAIT_MS), HOUR_MS);
    await store.postponeEnded(name, until);
    if (isOfAll(error)) pauses.set(ownerOf(client) ?? '', until);
    const isOver = until >= endedAt + TELLING_MS;
    if (isOver || !failing.has(client)) tell(client, error, isOver);
    failing.add(client);
  }

  async function send(alike: readonly Ended[]): Promise<boolean> {
    const [first] = alike;
    if (first === undefined) return true;
    const client = await (await provider()).Client.find(first.client);
    try {
      // Its address may have left the clients file meanwhile.
      if (client?.backchannelLogoutUri !== undefined) {
        await client.tellOfEnd(first.subject, first.sid);
      }
    } catch (error) {
      for (const one of alike) await failed(one, error);
      return false;
    }
    failing.delete(first.client);
    for (const { name } of alike) await store.removeEnded(name);
    return true;
  }

  async function sendAll(client: string): Promise<void> {
    for (let goesOn = true; goesOn;) {
      const at = clock.now();
      const lease = { client, at, until: at + LEASE_MS, limit: AT_ONCE };
      const leased = await store.leaseEnded(lease);
      const groups = Map.groupBy(leased.map(endedOf), keyOf);
      const sent = await Promise.all([...groups.values()].map(send));
      goesOn = leased.length === AT_ONCE && sent.every(Boolean);
    }
  }

  return async function sendDue(): Promise<void> {
    const now = clock.now();
    const told = clients.all().filter(({ openid, id }) => {
      const waitsMs = (pauses.get(id) ?? now) - now;
      return (openid?.backchannelLogout ?? null) !== null && (waitsMs <= 0 || waitsMs > HOUR_MS);
    });
    await Promise.all(told.map(({ id }) => sendAll(id)));
  };
}
