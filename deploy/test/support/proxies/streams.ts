import { connect as connectHttp2 } from 'node:http2';
import { request } from 'node:https';
import type { Readable } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import type { Started } from '../../../../service/test/support/live/live-client.ts';
import { until } from '../../../../service/test/support/programs/until.ts';
import { askThrough, wayTo } from './ask.ts';
import { HOST } from './kinds.ts';
import type { Proxy } from './open-proxy.ts';
import { ORIGIN } from './scene.ts';

/** An event stream through a proxy. */
class OpenStream {
  #text = '';
  #hasEnded = false;
  #isOver = false;

  constructor(body: Readable, close: () => void) {
    body.setEncoding('utf8');
    body.on('data', (piece: string) => (this.#text += piece));
    body.once('end', () => (this.#hasEnded = true));
    body.on('error', () => undefined);
    body.once('close', () => {
      this.#isOver = true;
      close();
    });
  }

  /** Resolves when this has arrived. @throws Error when the stream was cut off before */
  async has(text: string): Promise<void> {
    await until(() => this.#isOver || this.#text.includes(text));
    if (!this.#text.includes(text)) throw new Error(`cut off after ${this.#text}`);
  }

  /** Resolves when the stream is over. @throws Error when it was cut off */
  async ended(): Promise<void> {
    await until(() => this.#isOver);
    if (!this.#hasEnded) throw new Error('the stream was cut off');
  }
}

const proofOf = ({ attempt_token }: Started) => ({ 'x-provider-attempt-token': attempt_token });

export function openStream(
  proxy: Proxy,
  started: Started,
  version: 'http/1.1' | 'h2',
): Promise<OpenStream> {
  const path = `/api/v1/status/${started.attempt_id}/events`;
  const open = version === 'h2' ? overHttp2 : overHttp1;
  return open(proxy, path, proofOf(started));
}

function overHttp1(proxy: Proxy, path: string, proof: Record<string, string>) {
  return new Promise<OpenStream>((resolve, reject) => {
    const headers = { host: HOST, ...proof };
    const sent = request({ ...wayTo(proxy, {}), agent: false, path, headers }, (answer) => {
      resolve(new OpenStream(answer, () => sent.destroy()));
    });
    sent.once('error', reject).end();
  });
}

function overHttp2(proxy: Proxy, path: string, proof: Record<string, string>) {
  const session = connectHttp2(ORIGIN, {
    createConnection: () => connectTls({ ...wayTo(proxy, {}), ALPNProtocols: ['h2'] }),
  });
  return new Promise<OpenStream>((resolve, reject) => {
    session.once('error', reject);
    const stream = session.request({ ':path': path, ...proof });
    stream.once('error', reject);
    stream.once('response', () => resolve(new OpenStream(stream, () => session.destroy())));
  });
}

export async function openLongPoll(proxy: Proxy, started: Started) {
  const url = `${ORIGIN}/api/v1/status/${started.attempt_id}?wait=25`;
  const answer = await askThrough(proxy, url, { headers: proofOf(started) });
  return { status: answer.status, body: (await answer.json()) as unknown };
}
