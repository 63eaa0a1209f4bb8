import type { Client } from '../account/client.ts';
import type { Meter, WebhookOutcome } from '../operate/metrics/meter.port.ts';
import { OutboundError, type Outbound } from '../outbound/outbound.port.ts';
import type { Clock, Random } from '../platform/runtime.port.ts';
import type { ExchangeRecorder } from '../request/record/exchange-recorder.port.ts';
import type { Outbox, Written } from '../store/ports/store.port.ts';
import { LEASE_MS, LONGEST_PAUSE_MS } from '../values/pauses.ts';
import type { Secret } from '../values/secret.ts';
import { SECOND_MS, type Ms } from '../values/time.ts';
import { type Outcome, Standing } from './standing.ts';
import { tellClients } from './tell.flow.ts';
import { giveUpBeyond, giveUpWaiting } from './tend.flow.ts';
import {
  type DeliveryToSend,
  listenerOf,
  LONGEST_WAIT_MS,
  nextTry,
  webhookBody,
  type WebhookReceiver,
} from './webhook.ts';

/** How long a call may wait for others, which last three seconds at most. */
const TURN_MS = 6 * SECOND_MS;
/** The receiver wants nothing more, ever. */
const GONE = 410;
const TOO_MANY = 429;
const CHANCE_DIGITS = 4;

/** For the operator's log. It names a receiver by its id, because an address may have a secret. */
export interface WebhookNews {
  readonly news: 'switched_off' | 'given_up' | 'failing' | 'too_many';
  readonly client: string;
  readonly receiver: string;
  /** Of the first failure. */
  readonly answer?: string;
  readonly count?: number;
}

export interface DeliveryParts {
  readonly outbox: Outbox;
  readonly outbound: Outbound;
  /** The service's, by which everything is due. */
  readonly clock: Clock;
  /** The machine's: a receiver compares the time of a signature with its own clock. */
  readonly machineClock: Clock;
  /** So that requests are answered between two calls: what is sent together is one piece of work. */
  readonly nextTurn: () => Promise<void>;
  readonly random: Random;
  readonly meter: Pick<Meter, 'webhookTried'>;
  readonly sign: (
    id: string,
    body: string,
    secrets: readonly Secret[],
    at: Ms,
  ) => [string, string][];
  readonly tell: (news: WebhookNews) => void;
  /** For whoever looks at a simulation; null in live mode. */
  readonly recorder: ExchangeRecorder | null;
  readonly onError: (error: unknown) => void;
}

interface Known extends WebhookReceiver {
  readonly client: string;
}

interface Sent {
  readonly at: Ms;
  readonly begun: number;
  readonly sentAt: Ms;
  readonly headers: [string, string][];
  readonly body: string;
}

/**
 * Sends what the store has for receivers. Any number of instances do so at once: each leases what it
 * sends, and what it does not finish is sent by another one after the lease.
 */
export class WebhookDeliveries {
  readonly #parts: DeliveryParts;
  /** By their ids. */
  #receivers: ReadonlyMap<string, Known> = new Map();
  readonly #standings = new Map<string, Standing>();
  #isStopped = false;

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
  }

  /** The ids of those that clients have now. */
  get receivers(): readonly string[] {
    return [...this.#receivers.keys()];
  }

  /** Takes the place of the clients before; what they had waiting is sent only to those left. */
  follow(clients: readonly Client[]): void {
    const receivers = clients.flatMap(({ id: client, webhooks }) =>
      webhooks.map((receiver) => ({ ...receiver, client })),
    );
    this.#receivers = new Map(receivers.map((one) => [one.id, one]));
    tellClients(this.#parts.outbox, clients, {
      takes: (id) => this.#takes(id),
      leaseEnd: () => this.#parts.clock.now() + LEASE_MS,
      onWritten: (written) => this.#onWritten(written),
    });
  }

  /** Begins to send what is due. @param only the receivers that have something new; by default all */
  look(only: ReadonlySet<string> | null = null): void {
    if (this.#isStopped) return;
    for (const id of this.#receivers.keys()) {
      if (only?.has(id) === false) continue;
      const standing = this.#standingOf(id);
      standing.isAgain = true;
      if (only === null) standing.forgetOffers();
      const mayBegin = standing.mayBegin(this.#parts.clock.now());
      if (mayBegin) standing.running = this.#sendAll(id, standing);
    }
  }

  #takes(id: string): boolean {
    return !this.#isStopped && this.#receivers.has(id) && this.#standingOf(id).offer();
  }

  #onWritten({ receivers, offered, taken }: Written): void {
    for (const id of offered) this.#standingOf(id).takeBack();
    for (const delivery of taken) this.#sendTaken(delivery);
    const ids = new Set(taken.map(({ receiver }) => receiver));
    const due = receivers.difference(ids);
    // What found no room because of an offer.
    const again = offered.filter((id) => this.#standingOf(id).isAgain);
    this.look(due.union(new Set(again)));
  }

  #sendTaken(delivery: DeliveryToSend): void {
    const { receiver } = delivery;
    const standing = this.#standingOf(receiver);
    const sent = this.#sendOne(standing, delivery)
      .catch((error: unknown) => this.#parts.onError(error))
      .finally(() => {
        standing.sending.delete(sent);
        if (standing.isAgain) this.look(new Set([receiver]));
      });
    standing.sending.add(sent);
  }

  async #sendOne(standing: Standing, delivery: DeliveryToSend): Promise<void> {
    if (!this.#isStopped && !standing.isFull) {
      return this.#learn(standing, [await this.#send(delivery)]);
    }
    standing.isAgain = true;
    await this.#giveBack(delivery);
  }

  async #giveBack(delivery: DeliveryToSend): Promise<Outcome> {
    const { outbox, clock } = this.#parts;
    await outbox.untried(delivery, clock.now());
    return 'untried';
  }

  /** After it, what was written before it has come to those who listen in this process. */
  async settleListeners(): Promise<void> {
    const listeners = [...this.#receivers.values()].filter(({ url }) => listenerOf(url) !== null);
    this.look(new Set(listeners.map(({ id }) => id)));
    for (const { id } of listeners) await this.#ended(this.#standingOf(id));
  }

  /** Takes no more, and waits for the calls that are under way. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const standing of this.#standings.values()) await this.#ended(standing);
  }

  async #ended({ running, sending }: Standing): Promise<void> {
    await Promise.all([running, ...sending]);
  }

  #standingOf(receiver: string): Standing {
    const known = this.#standings.get(receiver);
    if (known !== undefined) return known;
    const fresh = new Standing();
    this.#standings.set(receiver, fresh);
    return fresh;
  }

  async #sendAll(id: string, standing: Standing): Promise<void> {
    const { outbox, clock, onError } = this.#parts;
    try {
      while (standing.isAgain && standing.room > 0 && !this.#isStopped) {
        standing.isAgain = false;
        if (!this.#receivers.has(id)) return;
        // A lease is a write: it is made only where there is something.
        if (await outbox.isDue(id, clock.now())) await this.#sendSome(id, standing);
        standing.leased = 0;
      }
    } catch (error) {
      onError(error);
    } finally {
      standing.leased = 0;
      standing.running = null;
    }
  }

  async #sendSome(id: string, standing: Standing): Promise<void> {
    const { outbox, clock } = this.#parts;
    const at = clock.now();
    const limit = standing.room;
    const lease = { receiver: id, limit, at, until: at + LEASE_MS };
    standing.leased = limit;
    const leased = await outbox.lease(lease);
    this.#learn(standing, await allOf(leased.map((one) => this.#send(one))));
    // There may be more than a lease gives.
    standing.isAgain ||= leased.length === limit && !standing.isFailing;
  }

  #learn(standing: Standing, outcomes: readonly Outcome[]): void {
    standing.learn(outcomes, this.#parts.clock.now(), this.#chance());
  }

  async #send(delivery: DeliveryToSend): Promise<Outcome> {
    const { outbox, clock } = this.#parts;
    await this.#parts.nextTurn();
    // A reload may have given it another secret, or have taken it away.
    const receiver = this.#receivers.get(delivery.receiver);
    if (receiver === undefined) return this.#giveBack(delivery);
    const answer = await this.#answerTo(receiver, delivery);
    const at = clock.now();
    const { deliveryId } = delivery;
    if (typeof answer === 'number' && answer >= 200 && answer < 300) {
      await outbox.delivered(deliveryId, String(answer), at);
      this.#count(receiver, 'delivered');
      this.#standingOf(receiver.id).noteDelivered();
      return 'delivered';
    }
    if (answer === 'busy') {
      await outbox.untried(delivery, at + SECOND_MS);
      return 'untried';
    }
    if (answer === GONE) await this.#switchOff(receiver, at);
    else if (this.#standingOf(receiver.id).noteFailed(at)) {
      this.#tell('failing', receiver, { answer: String(answer) });
    }
    const wait = { now: at, chance: this.#chance(), longestMs: this.#longestMs(receiver, answer) };
    const nextAt = answer === GONE ? null : nextTry(delivery, wait);
    await outbox.failed({ delivery, answer: String(answer), at, nextAt });
    this.#count(receiver, nextAt === null ? 'given_up' : 'failed');
    if (nextAt === null && answer !== GONE) this.#tell('given_up', receiver);
    return isRefusal(answer) ? 'refused' : 'failed';
  }

  /**
   * Where nothing reaches a receiver, one call in each pause looks whether it is back: what waits for it
   * need not wait for longer than that.
   */
  #longestMs({ id }: Known, answer: number | string): Ms {
    const isAway = !isRefusal(answer) && this.#standingOf(id).isFailing;
    return isAway ? LONGEST_PAUSE_MS : LONGEST_WAIT_MS;
  }

  /** The status of the answer, or why there is none. */
  async #answerTo(receiver: Known, delivery: DeliveryToSend): Promise<number | string> {
    const { outbound, clock, machineClock, recorder, sign } = this.#parts;
    const body = webhookBody(delivery);
    const sentAt = machineClock.now();
    const signed = sign(delivery.deliveryId, body, receiver.secrets, sentAt);
    const headers: [string, string][] = [
      ['content-type', 'application/json'],
      ['user-agent', 'Miftah'],
      ...signed,
    ];
    const sent: Sent = { at: clock.now(), begun: recorder?.turn() ?? 0, sentAt, headers, body };
    try {
      const call = { method: 'POST', headers, body, turnMs: TURN_MS, keptFor: receiver.id };
      const { status } = await outbound.fetch(receiver.url, call);
      this.#record(receiver, delivery, sent, status);
      return status;
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      this.#record(receiver, delivery, sent, null);
      return error.message;
    }
  }

  #record(
    { id, url }: Known,
    { attemptId }: DeliveryToSend,
    sent: Sent,
    status: number | null,
  ): void {
    const { recorder, machineClock } = this.#parts;
    if (recorder === null || attemptId === null || listenerOf(url) !== null) return;
    const { at, begun, sentAt, headers, body } = sent;
    recorder.record({
      attemptId,
      name: 'webhook',
      at,
      begun,
      method: 'POST',
      // An address may have a secret in its path.
      path: `receiver ${id}`,
      status,
      durationMs: Math.round(machineClock.now() - sentAt),
      request: { headers: Object.fromEntries(headers), body: JSON.parse(body) as unknown },
      response: { headers: {}, body: null },
    });
  }

  /** Who listens is no receiver. */
  #count({ url }: Known, outcome: WebhookOutcome): void {
    if (listenerOf(url) === null) this.#parts.meter.webhookTried(outcome);
  }

  /** What another process leases meanwhile is answered by 410 again, and then given up too. */
  async #switchOff(receiver: Known, at: Ms): Promise<void> {
    const { outbox } = this.#parts;
    const { id, client } = receiver;
    const isFirst = await outbox.switchOff({ receiver: id, client, at });
    await giveUpWaiting(outbox, { receiver: id, at, answer: String(GONE) });
    if (isFirst) this.#tell('switched_off', receiver);
  }

  /** Gives up what is beyond the bound of what may wait for each receiver. */
  async keepBounds(most?: number): Promise<void> {
    const { outbox, clock, meter } = this.#parts;
    const at = clock.now();
    for (const receiver of this.#receivers.values()) {
      const count = await giveUpBeyond(outbox, { receiver: receiver.id, at }, most);
      if (count === 0) continue;
      meter.webhookTried('given_up', count);
      this.#tell('too_many', receiver, { count });
    }
  }

  #tell(
    news: WebhookNews['news'],
    { id, client }: Known,
    facts: Pick<WebhookNews, 'answer' | 'count'> = {},
  ): void {
    this.#parts.tell({ news, client, receiver: id, ...facts });
  }

  #chance(): number {
    return Number(this.#parts.random.digits(CHANCE_DIGITS)) / 10 ** CHANCE_DIGITS;
  }
}

/** Rejects only when none of them is under way any more. */
async function allOf<Value>(works: readonly Promise<Value>[]): Promise<Value[]> {
  await Promise.allSettled(works);
  return Promise.all(works);
}

/** Anything else may be so for all that waits: the receiver is then left alone for a while. */
function isRefusal(answer: number | string): boolean {
  return (
    typeof answer === 'number' &&
    answer >= 400 &&
    answer < 500 &&
    answer !== TOO_MANY &&
    answer !== GONE
  );
}
