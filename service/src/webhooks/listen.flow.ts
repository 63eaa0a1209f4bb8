import type { Client } from '../account/client.ts';
import { DEFAULT_SCOPE, parseScope, scopeOf } from '../attempt/scenario.ts';
import { parseUserId } from '../account/user.ts';
import type { Outbound, OutboundCall } from '../outbound/outbound.port.ts';
import type { Clock } from '../platform/runtime.port.ts';
import type { Store } from '../store/ports/store.port.ts';
import { parseAttemptId } from '../values/ids.ts';
import { memberOf } from '../values/member.ts';
import { Secret } from '../values/secret.ts';
import { listenerAddress, listenerOf, receiverId, WEBHOOK_EVENTS } from './webhook.ts';

/**
 * What signs the webhooks of a client that has no receiver. It stands in docs/webhooks.md: nothing is
 * protected by it, because it is of a simulation.
 */
const PUBLIC_SECRET = new Secret(
  `whsec_${Buffer.from('a public secret of the simulator').toString('base64')}`,
);

/** Of all scopes. */
const MOST_KEPT = 2000;

export interface HeardWebhook {
  readonly number: number;
  readonly scope: string;
  readonly client: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Who listens to the webhooks of a simulation without a receiver: tests, and `miftah listen`. While
 * they listen, each client has one receiver more, which is in this process: it gets every event that
 * one of the client's receivers gets, signed with the secrets of all of them; of a client without
 * receivers every event, signed with a secret that is public.
 */
export class WebhookListeners {
  /** By scope, the oldest first. */
  readonly #heard = new Map<string, HeardWebhook[]>();
  #count = 0;
  #last: number;
  #isOn = false;
  #wake: (isFirst: boolean) => Promise<void> = () => Promise.resolve();
  #clients: () => readonly string[] = () => [];
  #settle: () => Promise<void> = () => Promise.resolve();

  /** @param machineClock so that the numbers of a later process are larger */
  constructor(machineClock: Clock) {
    this.#last = machineClock.now();
  }

  /**
   * @param wake is told of each who listens, and of the first of all before anything comes
   * @param clients the ids of all, as their file has them now
   */
  onListen(wake: (isFirst: boolean) => Promise<void>, clients: () => readonly string[]): void {
    this.#wake = wake;
    this.#clients = clients;
  }

  /** @param settle brings what was written before it was called */
  onReset(settle: () => Promise<void>): void {
    this.#settle = settle;
  }

  /** Whether somebody has listened since the process has begun. */
  get isOn(): boolean {
    return this.#isOn;
  }

  async listen(): Promise<void> {
    const isFirst = !this.#isOn;
    this.#isOn = true;
    await this.#wake(isFirst);
  }

  last(): number {
    return this.#last;
  }

  clients(): readonly string[] {
    return this.#clients();
  }

  after(scope: string, number: number): readonly HeardWebhook[] {
    return (this.#heard.get(scope) ?? []).filter((one) => one.number > number);
  }

  /** Also of what was on its way. */
  async reset(scope: string): Promise<void> {
    await this.#settle();
    this.#count -= this.#heard.get(scope)?.length ?? 0;
    this.#heard.delete(scope);
  }

  joined(clients: readonly Client[]): readonly Client[] {
    return withListeners(clients, this.#isOn);
  }

  hear(webhook: Omit<HeardWebhook, 'number'>): void {
    this.#last += 1;
    const { scope } = webhook;
    const list = this.#heard.get(scope) ?? [];
    this.#heard.set(scope, list);
    list.push({ ...webhook, number: this.#last });
    this.#count += 1;
    if (this.#count > MOST_KEPT) this.#forgetOne();
  }

  /** The oldest of the scope that has most: one of many takes nothing of the others. */
  #forgetOne(): void {
    let [fullest, most]: [string, HeardWebhook[]] = ['', []];
    for (const [scope, list] of this.#heard) {
      if (list.length > most.length) [fullest, most] = [scope, list];
    }
    most.shift();
    if (most.length === 0) this.#heard.delete(fullest);
    this.#count -= 1;
  }
}

/**
 * A client that has a receiver is listened to from the start, so that nobody comes too late, also to
 * what commands change, which know nothing of who listens.
 */
export function withListeners(clients: readonly Client[], isOn: boolean): readonly Client[] {
  return clients.map((client) => {
    const { id, webhooks } = client;
    if (webhooks.length === 0 && !isOn) return client;
    const url = listenerAddress(id);
    const own = webhooks.flatMap(({ secrets }) => secrets);
    const events = new Set(webhooks.flatMap((receiver) => receiver.events));
    const listener = {
      id: receiverId(id, url),
      url,
      secrets: own.length === 0 ? [PUBLIC_SECRET] : own,
      secretIds: [],
      events: WEBHOOK_EVENTS.filter((event) => events.size === 0 || events.has(event)),
    };
    return { ...client, webhooks: [...webhooks, listener] };
  });
}

/** Gives the listeners what is for them, and sends the rest. */
export function listeningOutbound(
  outbound: Outbound,
  listeners: WebhookListeners,
  store: Pick<Store, 'findAttempt' | 'findUser'>,
): Outbound {
  return {
    async fetch(address, call) {
      const client = listenerOf(address);
      if (client === null) return outbound.fetch(address, call);
      const body = String(call.body);
      const scope = await scopeOfBody(store, body);
      listeners.hear({ scope, client, headers: headersOf(call), body });
      return new Response(null, { status: 204 });
    },
  };
}

const headersOf = ({ headers }: OutboundCall) => Object.fromEntries(headers);

/** People are other users in each scope, by their issuer. */
async function scopeOfBody(
  store: Pick<Store, 'findAttempt' | 'findUser'>,
  body: string,
): Promise<string> {
  const data = memberOf(JSON.parse(body), 'data');
  const attemptId = parseAttemptId(String(memberOf(data, 'attempt_id')));
  if (attemptId !== null) {
    const found = await store.findAttempt(attemptId);
    return found === null ? DEFAULT_SCOPE : scopeOf(found.attempt);
  }
  const userId = parseUserId(Number(memberOf(data, 'user_id')));
  const user = userId === null ? null : await store.findUser(userId);
  const [, scope = DEFAULT_SCOPE] = user?.issuer.split(':') ?? [];
  return parseScope(scope) ?? DEFAULT_SCOPE;
}
