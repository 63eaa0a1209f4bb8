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
import { FIRST_WAIT_MS, LEASE_MS, Pauses } from '../../values/pauses.ts';
import { HOUR_MS, isDue, SECOND_MS, type Ms } from '../../values/time.ts';
import { memberOf } from '../../values/member.ts';
import { ownerOf, textIn } from '../records.ts';
import { logEnded } from '../refused.ts';

/** To one client at a time: the calls share the turns of its host with logouts and pings. */
const AT_ONCE = 4;
/** How soon what was ended is seen. */
const LOOK_INTERVAL_MS = SECOND_MS;
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
export function startBackChannelLogout(
  app: FastifyInstance,
  { services, clock }: HttpContext,
  provider: () => Promise<Provider>,
): void {
  const { store, clients } = services;
  let isStopped = false;
  const logouts = new BackChannelLogouts({
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
    if (store.health().ready) void logouts.sendDue().catch(failed);
  });
  app.addHook('onClose', async () => {
    isStopped = true;
    void task.stop();
  });
}

/** A sign-in that was ended, of which its client is to be told. */
interface EndedSignIn extends EndedOpenid {
  readonly client: string;
  readonly subject: string;
  /** Where the client needs it. */
  readonly sid: string | undefined;
}

function signInOf(record: EndedOpenid): EndedSignIn {
  const body: unknown = JSON.parse(record.body);
  const [client, subject] = [textMember(body, 'client'), textMember(body, 'subject')];
  return { ...record, client, subject, sid: textIn(body, 'sid') ?? undefined };
}

/** One logout token tells of all sign-ins of a lease with the same key. */
const tokenKeyOf = ({ client, subject, sid = '' }: EndedSignIn) => [client, subject, sid].join(' ');

/** Whether whatever else waits for this client would fail too. */
function failsForAll(error: unknown): boolean {
  const response = memberOf(error, 'response');
  return !(response instanceof Response && response.status === REFUSED);
}

const isBusy = (error: unknown): boolean =>
  error instanceof OutboundError && error.fault === 'busy';

/** A client of the library, which makes the logout token and sends it. */
interface LogoutClient {
  /** Undefined where the clients file has none any more. */
  readonly backchannelLogoutUri?: string | undefined;
  tellOfEnd(subject: string, sid?: string): Promise<void>;
}

interface LogoutClients {
  readonly Client: { find(id: string): Promise<LogoutClient | undefined> };
}

interface LogoutParts {
  readonly store: OpenidRecords;
  readonly clients: Clients;
  readonly clock: Clock;
  readonly provider: () => Promise<LogoutClients>;
  readonly logFailed: (client: string, error: unknown, isOver: boolean) => void;
}

/** Sends logout tokens of what is due in the store. */
export class BackChannelLogouts {
  readonly #parts: LogoutParts;
  /** When the log has last named each client. */
  readonly #logged = new Map<string, Ms>();
  /** The clients that are being called. One that is slow holds up no other. */
  readonly #underWay = new Set<string>();
  readonly #pauses = new Pauses();

  constructor(parts: LogoutParts) {
    this.#parts = parts;
  }

  /** Sends all that is due, but to clients that an earlier call is sending to. */
  async sendDue(): Promise<void> {
    const { store, clients, clock } = this.#parts;
    const now = clock.now();
    const reachable = clients
      .all()
      .filter(({ openid }) => (openid?.backchannelLogout ?? null) !== null)
      .map(({ id }) => id)
      .filter((id) => !this.#pauses.has(id, now));
    if (reachable.length === 0) return;
    const due = await store.clientsToTell(reachable, now);
    await Promise.all(
      due.map(async (client) => {
        if (this.#underWay.has(client)) return;
        this.#underWay.add(client);
        await this.#sendAll(client).finally(() => this.#underWay.delete(client));
      }),
    );
  }

  async #sendAll(client: string): Promise<void> {
    const { store, clock, provider } = this.#parts;
    // What has failed is not due for some time, so this ends.
    for (let isMore = true; isMore && !this.#pauses.has(client, clock.now());) {
      const at = clock.now();
      const leased = await store.leaseEnded({ client, at, until: at + LEASE_MS, limit: AT_ONCE });
      const groups = Map.groupBy(leased.map(signInOf), tokenKeyOf);
      const library = await provider();
      await Promise.all([...groups.values()].map((signIns) => this.#send(signIns, library)));
      isMore = leased.length === AT_ONCE;
    }
  }

  /** @param signIns with one key */
  async #send(signIns: readonly EndedSignIn[], { Client }: LogoutClients): Promise<void> {
    const [first] = signIns;
    if (first === undefined) return;
    try {
      const client = await Client.find(first.client);
      // Its address may have left the clients file meanwhile.
      if (client?.backchannelLogoutUri !== undefined) {
        await client.tellOfEnd(first.subject, first.sid);
      }
    } catch (error) {
      for (const signIn of signIns) await this.#postpone(signIn, error);
      return;
    }
    for (const { name } of signIns) await this.#parts.store.removeEnded(name);
  }

  async #postpone({ name, endedAt, client }: EndedSignIn, error: unknown): Promise<void> {
    const { store, clock } = this.#parts;
    const now = clock.now();
    // Too many calls are under way: nothing was sent, and nothing is said of the client.
    if (isBusy(error)) {
      return store.postponeEnded(name, now + LOOK_INTERVAL_MS);
    }
    // As long again as it has waited, so that nothing has to be counted.
    const until = now + Math.min(Math.max(now - endedAt, FIRST_WAIT_MS), HOUR_MS);
    await store.postponeEnded(name, until);
    if (failsForAll(error)) this.#pauses.begin(ownerOf(client) ?? '', until - now, now);
    this.#log(client, error, until >= endedAt + TELLING_MS, now);
  }

  #log(client: string, error: unknown, isOver: boolean, now: Ms): void {
    const before = this.#logged.get(client);
    if (!isOver && before !== undefined && !isDue(before + LOGGED_MS, LOGGED_MS, now)) return;
    this.#logged.set(client, now);
    this.#parts.logFailed(client, error, isOver);
  }
}
