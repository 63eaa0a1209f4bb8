import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { receiverId } from '../../../../src/webhooks/webhook.ts';
import type { AtEnd } from '../../at-end.ts';
import { plainReceiver } from '../../outbound/receiver.ts';
import type { ReceivedCall } from './again.ts';

/**
 * How a receiver answers. A good one too fails now and then, and loses an answer, but not while starts
 * are measured: it would be left alone for seconds, and there would be little beside them.
 */
export type Manner = 'good' | 'fails' | 'hangs' | 'redirects' | 'slow' | 'floods';

/** Just below the three seconds that the service waits. */
const SLOW_MS = 2_700;
const FLOOD = 'a'.repeat(64 * 1024);
/** Of what is new to a good receiver, so that there is always something that comes again. */
const REFUSED_EACH = 11;
const LOST_EACH = 13;
const ELSEWHERE = '/elsewhere';
/** Of a call that is made again, which is no webhook. Says whether the webhook was new then. */
const AGAIN = 'x-again';

export interface ReceiverOptions {
  readonly client: string;
  readonly manner: Manner;
  readonly secret: string;
  /** Whether the change of this webhook is committed; asked as soon as the webhook arrives. */
  readonly isCommitted: (id: string) => Promise<boolean>;
  readonly accuse: (fault: string) => void;
  /** What has come, to be made again. */
  readonly note: (call: ReceivedCall) => void;
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
  isAlwaysGood = false;
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
      if (request.headers[AGAIN] === undefined) receiver.#count(answer);
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
    const again = request.headers[AGAIN];
    if (again !== undefined) return this.#takeAgain(request, answer, again === 'new');
    const isNew = !this.arrived.has(id);
    // Asked before the body is read: a change that is committed meanwhile came too late.
    const committed = isNew ? this.#isCommitted(id) : Promise.resolve(true);
    const body = Buffer.concat(await Array.fromAsync(request)).toString();
    this.#check(request, id, body);
    if (!(await committed)) this.#accuse(`${id} came before its commit`);
    this.#note(request, body, isNew);
    await this.#answer(id, isNew, answer);
  }

  /** The same work, which changes nothing of what is known. */
  async #takeAgain(
    request: IncomingMessage,
    answer: ServerResponse,
    isNew: boolean,
  ): Promise<void> {
    const id = String(request.headers['webhook-id']);
    const committed = isNew ? this.#isCommitted(id) : Promise.resolve(true);
    const body = Buffer.concat(await Array.fromAsync(request)).toString();
    this.#verify(id, request, body);
    await committed;
    await this.#answer(null, isNew, answer);
  }

  #note({ headers }: IncomingMessage, body: string, isNew: boolean): void {
    const sent = Object.entries(headers).filter(([name]) =>
      /^(?:webhook-|content-type)/.test(name),
    );
    const again: [string, string] = [AGAIN, isNew ? 'new' : 'known'];
    const all = [...sent.map(([name, value]): [string, string] => [name, String(value)]), again];
    this.#options.note({ url: this.url, headers: all, body });
  }

  async #isCommitted(id: string): Promise<boolean> {
    try {
      return await this.#options.isCommitted(id);
    } catch (error) {
      this.#accuse(`${id} can't be looked up: ${String(error)}`);
      return true;
    }
  }

  #check(request: IncomingMessage, id: string, body: string): void {
    if (request.url === ELSEWHERE) this.#accuse(`${id}: a redirect was followed`);
    const digest = this.#verify(id, request, body);
    const before = this.arrived.get(id);
    if (before === undefined) this.arrived.set(id, digest);
    else if (before === digest) this.repeated += 1;
    else this.#accuse(`${id} came with another body`);
  }

  /** @returns a digest of the body */
  #verify(id: string, { headers }: IncomingMessage, body: string): string {
    try {
      this.#webhook.verify(body, headers as Record<string, string>);
    } catch {
      this.#accuse(`${id} has a wrong signature`);
    }
    return hash('sha256', body, 'base64url');
  }

  /** @param id null for a call that is made again */
  async #answer(id: string | null, isNew: boolean, answer: ServerResponse): Promise<void> {
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
        if (id !== null) this.told.add(id);
        answer.writeHead(204).end();
        return;
      case 'floods':
        flood(answer);
    }
  }

  #answerWell(id: string | null, isNew: boolean, answer: ServerResponse): void {
    const { size } = this.arrived;
    const mayFail = isNew && !this.isAlwaysGood;
    if (mayFail && size % REFUSED_EACH === 0) {
      answer.writeHead(503).end();
      return;
    }
    if (id !== null) this.told.add(id);
    if (mayFail && size % LOST_EACH === 0) answer.destroy();
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
