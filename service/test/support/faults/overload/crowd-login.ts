import { setTimeout as pause } from 'node:timers/promises';
import type { Started } from '../../wire.ts';
import type { CrowdTally } from './crowd-tally.ts';
import { retryAfter, type WireClient } from './wire-client.ts';

const API = '/api/v1';
const POLLS = 5;
/** How often a later request of a login is sent again when it was refused. */
const TRIES = 10;

/**
 * One whole login of a person: start, polls, approval, token. When the start is refused, the person
 * gives up; a later request is sent again when the service says so.
 * @param dueAt when the login was due, which its first latency counts from
 */
export async function login(
  client: WireClient,
  port: number,
  tally: CrowdTally,
  dueAt: number,
): Promise<void> {
  const started = await client.exchange(startOf(port));
  if (tally.isRefusal(started)) return tally.refusedStart();
  if (!tally.accepts(started, dueAt)) return;
  tally.started();
  const { data } = JSON.parse(started.body) as { data: Started };
  const { attempt_id: id, attempt_token: token } = data;
  const poll = get(port, `/status/${id}`, token);
  const requests = [
    ...Array.from({ length: POLLS }, () => poll),
    post(port, '/callback', { state: id, auto_complete: true }),
    post(port, `/token/${id}`, { attempt_token: token }),
  ];
  for (const request of requests) if (!(await repeated(client, request, tally))) return;
  tally.finished();
}

const startOf = (port: number) => post(port, '/start', { locale: 'ar' });

async function repeated(client: WireClient, request: string, tally: CrowdTally): Promise<boolean> {
  for (let tries = 1; ; tries += 1) {
    const sentAt = performance.now();
    const answer = await client.exchange(request);
    if (tries === TRIES || !tally.isRefusal(answer)) return tally.accepts(answer, sentAt);
    tally.refusedLater();
    await pause(1000 * retryAfter(answer));
  }
}

function get(port: number, path: string, token: string): string {
  return (
    `GET ${API}${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n` +
    `X-Provider-Attempt-Token: ${token}\r\n\r\n`
  );
}

function post(port: number, path: string, body: object): string {
  const text = JSON.stringify(body);
  return (
    `POST ${API}${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`
  );
}
