import { Webhook } from 'standardwebhooks';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { listenerAddress, receiverId } from '../../../src/webhooks/webhook.ts';
import type { AtEnd } from '../at-end.ts';
import { plainReceiver } from './receiver.ts';

/** A secret for each number, in the form of the clients file. */
export const webhookSecret = (number: number) =>
  `whsec_${Buffer.alloc(32, number).toString('base64')}`;

/** The id under which rows wait for whoever listens in the process, by the client's id. */
export const listenerIdOf = (client: string) => receiverId(client, listenerAddress(client));

export interface Told {
  readonly id: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

type Answer = number | ((answer: ServerResponse) => void);

type Listen = (handler: RequestListener) => Promise<{ readonly port: number }>;

/** A back end that takes only what its secret has signed. */
export interface WebhookReceiverDouble {
  readonly port: number;
  readonly url: string;
  /** What it has answered with 2xx, in the order of arrival. */
  readonly told: Told[];
  /** What has arrived, with what it refused. */
  readonly arrived: Told[];
  readonly forged: () => number;
  /** What it answers from now on. */
  answer: (told: Told) => Answer;
}

/** @param listen how it listens: by default by http on this machine */
export async function webhookReceiver(
  atEnd: AtEnd,
  secret: string,
  listen: Listen = (handler) => plainReceiver(handler, atEnd),
): Promise<WebhookReceiverDouble> {
  const webhook = new Webhook(secret);
  let forged = 0;
  const { port } = await listen((request, answer) => {
    void take(request, answer);
  });
  const double: WebhookReceiverDouble = {
    port,
    url: `http://127.0.0.1:${port}/hook`,
    told: [],
    arrived: [],
    forged: () => forged,
    answer: () => 204,
  };
  async function take(request: IncomingMessage, answer: ServerResponse): Promise<void> {
    const body = Buffer.concat(await Array.fromAsync(request)).toString();
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    );
    try {
      const { type, data } = webhook.verify(body, headers) as Told;
      const told = { id: headers['webhook-id'] ?? '', type, data };
      double.arrived.push(told);
      const chosen = double.answer(told);
      if (typeof chosen === 'function') return chosen(answer);
      if (chosen < 300) double.told.push(told);
      answer.writeHead(chosen).end();
    } catch {
      forged += 1;
      answer.writeHead(400).end();
    }
  }
  return double;
}
