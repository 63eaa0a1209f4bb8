import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, vi } from 'vitest';
import type { Started } from './login.ts';
import { BASE, type TestService } from './test-service.ts';

const POLL_MS = 20;
/** Prevents waiting for ever; a busy machine needs seconds. */
const LIMIT_MS = 60_000;

export interface Watched {
  readonly response: IncomingMessage;
  /** Everything that has arrived. */
  readonly text: () => string;
  /** Resolves when the stream ends. */
  readonly ended: Promise<unknown>;
  readonly leave: () => void;
}

function portOf({ app }: TestService): number {
  return (app.server.address() as AddressInfo).port;
}

/** Opens a stream of a service that listens, with a real connection. */
export async function watch(
  service: TestService,
  { attempt_id, attempt_token }: Started,
  headers: Record<string, string> = {},
): Promise<Watched> {
  const sent = httpRequest({
    host: '127.0.0.1',
    port: portOf(service),
    path: `${BASE}/status/${attempt_id}/events`,
    headers: { 'x-provider-attempt-token': attempt_token, ...headers },
  });
  sent.on('error', () => undefined);
  onTestFinished(() => void sent.destroy());
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  let text = '';
  response.on('error', () => undefined);
  response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  const ended = new Promise((resolve) => response.once('close', resolve));
  return { response, text: () => text, ended, leave: () => void sent.destroy() };
}

/** Also for hooks, where `expect.poll` can't be used. @throws Error when it is not so in time */
export async function until(check: () => boolean): Promise<void> {
  const isSo = () => expect(check()).toBe(true);
  await vi.waitFor(isSo, { timeout: LIMIT_MS, interval: POLL_MS }).catch(() => {
    throw new Error('what should have been sent was not sent');
  });
}

/** The statuses in the events, in their order. */
export function statusesIn(text: string): (string | undefined)[] {
  return [...text.matchAll(/^data: (.+)$/gm)].map(
    ([, data = '{}']) => (JSON.parse(data) as { status?: string }).status,
  );
}
