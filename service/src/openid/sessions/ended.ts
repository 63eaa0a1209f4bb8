import type { FastifyInstance } from 'fastify';
import type { Provider } from 'oidc-provider/lib/provider.js';
import type { Clients } from '../../account/clients.port.ts';
import { TELLING_MS } from '../../account/openid-client.ts';
import type { Clock } from '../../platform/runtime.port.ts';
import { OutboundError } from '../../outbound/outbound.port.ts';
import { createScheduler } from '../../platform/scheduler.ts';
import { textMember } from '../../request/body/text-member.ts';
import type { HttpContext } from '../../request/context.ts';
import type { EndedOpenid, OpenidRecords } from '../../store/ports/store.port.ts';
import { HOUR_MS, isDue, MINUTE_MS, SECOND_MS, type Ms } from '../../values/time.ts';
import { memberOf } from '../../values/member.ts';
import { ownerOf, textIn } from '../records.ts';
import { logEnded } from '../refused.ts';

/** To one client at a time: the calls share the turns of its host with logouts and pings. */
const AT_ONCE = 4;
/** Longer than a turn, a call and the write of its answer take. */
const LEASE_MS = 20 * SECOND_MS;
/** How soon what was ended is seen. */
const LOOK_INTERVAL_MS = SECOND_MS;
const FIRST_WAIT_MS = 5 * SECOND_MS;
/** So that what has just been ended does not wait for long once the client is back. */
const LONGEST_PAUSE_MS = 5 * MINUTE_MS;
/** How often the log says of one client that it could not be told yet. */
const LOGGED_MS = HOUR_MS;
/** By the specification it refuses this logout token, and not all (Back-Channel Logout 1.0, 2.8). */
const REFUSED = 400;

/**
 * Tells clients by back-channel logout of sign-ins that an operator has ended, as long as the service
 * runs. A sign-in of a client that has an address for it writes a record (`toldAtEnd` of records.ts);
 * what ends the sign-in makes that due in the same transaction, by whatever process (`noteEnded` of the
 * store); and every instance sends what is due. A logout token lasts two minutes, so each try has one of
 * its own.
 */
export function startTelling(
  app: FastifyInstance,
  { services, clock }: HttpContext,
  provider: () => Promise<Provider>,
): void {
  const { store, clients } = services;
  let isStopped = false;
  const ended = new EndedSignIns({
    store,
    clients,
    clock,
    provider,
    logFailed: (client, error, isOver) => logEnded(app.log, client, error, isOver),
  });
  const failed = (error: unknown) => {
    // What a stop has broken off is sent again, by another instance or after the next start.
    if (!isStopped) services.logFailure(error, 'clients could not be told of ended sign-ins');
  };
  const task = createScheduler(failed).every(LOOK_INTERVAL_MS, async () => {
    if (store.health().ready) void ended.sendDue().catch(failed);
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

/** Of those of one lease with the same key, one call says all. */
const keyOf = ({ client, subject, sid = '' }: Ended) => [client, subject, sid].join(' ');

/** Whether whatever else waits for this client would fail too. */
function failsForAll(error: unknown): boolean {
  const response = memberOf(error, 'response');
  return !(response instanceof Response && response.status === REFUSED);
}

const isBusy = (error: unknown): boolean =>
  error instanceof OutboundError && error.fault === 'busy';

interface ToldClient {
  /** Undefined where the clients file has none any more. */
  readonly backchannelLogoutUri?: string | undefined;
  tellOfEnd(subject: string, sid?: string): Promise<void>;
}

/** Of the library, by which a client is told. */
interface Telling {
  readonly Client: { find(id: string): Promise<ToldClient | undefined> };
}

interface TellingParts {
  readonly store: OpenidRecords;
  readonly clients: Clients;
  readonly clock: Clock;
  readonly provider: () => Promise<Telling>;
  readonly logFailed: (client: string, error: unknown, isOver: boolean) => void;
}

/** Sends logout tokens of what is due in the store. */
export class EndedSignIns {
  readonly #parts: TellingParts;
  /** When the log has last named each client. */
  readonly #logged = new Map<string, Ms>();
  /** The clients that are being told. One that is slow holds up no other. */
  readonly #underWay = new Set<string>();
  /** Until when a client is left alone, however much waits for it. */
  readonly #pauses = new Map<string, Ms>();

  constructor(parts: TellingParts) {
    this.#parts = parts;
  }

  /** Tells all that is due, but for clients that an earlier call is telling. */
  async sendDue(): Promise<void> {
    const { store, clients, clock } = this.#parts;
    const now = clock.now();
    const told = clients.all().filter(({ openid }) => (openid?.backchannelLogout ?? null) !== null);
    const free = told.map(({ id }) => id).filter((id) => !this.#isPaused(id, now));
    if (free.length === 0) return;
    const due = await store.clientsToTell(free, now);
    await Promise.all(
      due.map(async (client) => {
        if (this.#underWay.has(client)) return;
        this.#underWay.add(client);
        await this.#tellAll(client).finally(() => this.#underWay.delete(client));
      }),
    );
  }

  #isPaused(client: string, now: Ms): boolean {
    const until = this.#pauses.get(client);
    return until !== undefined && !isDue(until, LONGEST_PAUSE_MS, now);
  }

  async #tellAll(client: string): Promise<void> {
    const { store, clock, provider } = this.#parts;
    // What has failed is not due for some time, so this ends.
    for (let isMore = true; isMore && !this.#isPaused(client, clock.now());) {
      const at = clock.now();
      const leased = await store.leaseEnded({ client, at, until: at + LEASE_MS, limit: AT_ONCE });
      const groups = Map.groupBy(leased.map(endedOf), keyOf);
      const telling = await provider();
      await Promise.all([...groups.values()].map((alike) => this.#send(alike, telling)));
      isMore = leased.length === AT_ONCE;
    }
  }

  async #send(alike: readonly Ended[], { Client }: Telling): Promise<void> {
    const [first] = alike;
    if (first === undefined) return;
    try {
      const client = await Client.find(first.client);
      // Its address may have left the clients file meanwhile.
      if (client?.backchannelLogoutUri !== undefined) {
        await client.tellOfEnd(first.subject, first.sid);
      }
    } catch (error) {
      for (const one of alike) await this.#postpone(one, error);
      return;
    }
    for (const { name } of alike) await this.#parts.store.removeEnded(name);
  }

  async #postpone({ name, endedAt, client }: Ended, error: unknown): Promise<void> {
    const { store, clock } = this.#parts;
    const now = clock.now();
    // Too many calls are under way: nothing was sent, and nothing is said of the client.
    if (isBusy(error)) {
      return store.postponeEnded(name, now + LOOK_INTERVAL_MS);
    }
    // As long again as it has waited, so that nothing has to be counted.
    const until = now + Math.min(Math.max(now - endedAt, FIRST_WAIT_MS), HOUR_MS);
    await store.postponeEnded(name, until);
    const pausedUntil = Math.min(until, now + LONGEST_PAUSE_MS);
    if (failsForAll(error)) this.#pauses.set(ownerOf(client) ?? '', pausedUntil);
    this.#log(client, error, until >= endedAt + TELLING_MS, now);
  }

  #log(client: string, error: unknown, isOver: boolean, now: Ms): void {
    const before = this.#logged.get(client);
    if (!isOver && before !== undefined && !isDue(before + LOGGED_MS, LOGGED_MS, now)) return;
    this.#logged.set(client, now);
    this.#parts.logFailed(client, error, isOver);
  }
}
