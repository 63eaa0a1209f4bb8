import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { receiverId } from '../../../../src/webhooks/webhook.ts';
import type { AtEnd } from '../../at-end.ts';
import { plainReceiver } from '../../outbound/receiver.ts';

/** How a receiver answers. A good one too fails now and then, and loses an answer. */
export type Manner = 'good' | 'fails' | 'hangs' | 'redirects' | 'slow' | 'floods';

/** Just below the three seconds that the service waits. */
const SLOW_MS = 2_700;
const FLOOD = 'a'.repeat(64 * 1024);
/** Of what is new to a good receiver, so that there is always something that comes again. */
const REFUSED_EACH = 11;
const LOST_EACH = 13;
const ELSEWHERE = '/elsewhere';

export interface ReceiverOptions {
  readonly client: string;
  readonly manner: Manner;
  readonly secret: string;
  /** Whether the change of this webhook is committed; asked as soon as the webhook arrives. */
  readonly isCommitted: (id: string) => Promise<boolean>;
  readonly accuse: (fault: string) => void;
}

/** A back end, and what it was told. */
export class Receiver {
  readonly client: string;
  readonly manner: Manner;
  /** Digests of the bodies, by the id of the webhook. */
  readonly arrived = new Map<string, string>();
  /** Ids of what it has answered with 2xx, or has taken when its answer was lost. */
  readonly told = new Set<string>();
  repeated = 0;
  /** Connections at a time, at most. */
  mostOpen = 0;
  url = '';
  id = '';
  #open = 0;
  readonly #options: ReceiverOptions;
  readonly #webhook: Webhook;

  constructor(options: ReceiverOptions) {
    this.#options = options;
    this.client = options.client;
    this.manner = options.manner;
    this.#webhook = new Webhook(options.secret);
  }

  static async open(options: ReceiverOptions, atEnd: AtEnd): Promise<Receiver> {
    const receiver = new Receiver(options);
    const { port } = await plainReceiver((request, answer) => {
      receiver.#count(answer);
      // A service that is killed cuts its requests off.
      receiver.#take(request, answer).catch(() => answer.destroy());
    }, atEnd);
    receiver.url = `http://127.0.0.1:${port}/${options.manner}`;
    receiver.id = receiverId(options.client, receiver.url);
    return receiver;
  }

  #count(answer: ServerResponse): void {
    this.#open += 1;
    this.mostOpen = Math.max(this.mostOpen, this.#open);
    answer.once('close', () => (this.#open -= 1));
  }

  async #take(request: IncomingMessage, answer: ServerResponse): Promise<void> {
    const id = String(request.headers['webhook-id']);
    const isNew = !this.arrived.has(id);
    // Asked before the body is read: a change that is committed meanwhile came too late.
    const committed = isNew ? this.#isCommitted(id) : Promise.resolve(true);
    const body = Buffer.concat(await Array.fromAsync(request)).toString();
    this.#check(request, id, body);
    if (!(await committed)) this.#accuse(`${id} came before its commit`);
    await this.#answer(id, isNew, answer);
  }

  async #isCommitted(id: string): Promise<boolean> {
    try {
      return await this.#options.isCommitted(id);
    } catch (error) {
      this.#accuse(`${id} can't be looked up: ${String(error)}`);
      return true;
    }
  }

  #check({ url = '', headers }: IncomingMessage, id: string, body: string): void {
    if (url === ELSEWHERE) this.#accuse(`${id}: a redirect was followed`);
    try {
      this.#webhook.verify(body, headers as Record<string, string>);
    } catch {
      this.#accuse(`${id} has a wrong signature`);
    }
    const digest = hash('sha256', body, 'base64url');
    const before = this.arrived.get(id);
    if (before === undefined) this.arrived.set(id, digest);
    else if (before === digest) this.repeated += 1;
    else this.#accuse(`${id} came with another body`);
  }

  async #answer(id: string, isNew: boolean, answer: ServerResponse): Promise<void> {
    switch (this.manner) {
      case 'good':
        return this.#answerWell(id, isNew, answer);
      case 'fails':
        answer.writeHead(503).end();
        return;
      case 'hangs':
        return;
      case 'redirects':
        answer.writeHead(307, { location: new URL(ELSEWHERE, this.url).href }).end();
        return;
      case 'slow':
        await wait(SLOW_MS);
        this.told.add(id);
        answer.writeHead(204).end();
        return;
      case 'floods':
        flood(answer);
    }
  }

  #answerWell(id: string, isNew: boolean, answer: ServerResponse): void {
    const { size } = this.arrived;
    if (isNew && size % REFUSED_EACH === 0) {
      answer.writeHead(503).end();
      return;
    }
    this.told.add(id);
    if (isNew && size % LOST_EACH === 0) answer.destroy();
    else answer.writeHead(204).end();
  }

  #accuse(fault: string): void {
    this.#options.accuse(`the receiver that is ${this.manner}: ${fault}`);
  }
}

/** With rests, in which the end of the connection can be noticed. */
function flood(answer: ServerResponse): void {
  const more = () => {
    if (answer.writable && answer.socket?.writable === true) answer.write(FLOOD, later);
  };
  const later = () => void setImmediate(more);
  more();
}
