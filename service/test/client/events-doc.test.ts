import { spawn } from 'node:child_process';
import process from 'node:process';
import { expect, onTestFinished, test } from 'vitest';
import { shareListeningService } from '../support/service/listening-service.ts';
import { moduleOf, snippetsOf } from '../support/client/snippets.ts';
import { findFreePort } from '../support/programs/service-process.ts';
import { until } from '../support/programs/until.ts';

/** The relay of docs/events.md is run as it stands, by a server with as much as it uses of one. */

const [relay = ''] = snippetsOf('docs/events.md', 'js');
const SERVER = `
import { createServer } from 'node:http';
const { BASE, PORT, LOGIN } = process.env;
const app = { get: (path, handler) => void (app.answer = handler) };
createServer((request, response) => {
  request.session = { login: JSON.parse(LOGIN) };
  void app.answer(request, response);
}).listen(Number(PORT), '127.0.0.1');
`;

const service = shareListeningService();

async function startAttempt() {
  const started = await fetch(`${service().origin}/api/v1/start`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ locale: 'en', national_id: '1000001101' }),
  });
  const { data } = (await started.json()) as {
    data: { attempt_id: string; attempt_token: string };
  };
  return { attemptId: data.attempt_id, attemptToken: data.attempt_token };
}

test('relays events, and goes on when a page leaves in the middle', async () => {
  const login = await startAttempt();
  const port = await findFreePort();
  const env = {
    PATH: process.env['PATH'],
    BASE: `${service().origin}/api/v1`,
    PORT: String(port),
    LOGIN: JSON.stringify(login),
  };
  const child = spawn(process.execPath, [moduleOf(SERVER + relay)], { env, stdio: 'inherit' });
  onTestFinished(() => void child.kill());
  const watch = (signal?: AbortSignal) =>
    fetch(`http://127.0.0.1:${port}/`, { signal: signal ?? null });
  const isUp = async () => {
    const leaving = new AbortController();
    const answer = await watch(leaving.signal).catch(() => null);
    leaving.abort();
    return answer?.status === 200;
  };
  await until(isUp);
  await until(isUp);
  const stream = await watch();
  const decided = await fetch(`${service().origin}/simulator/prompts/${login.attemptId}/decision`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ decision: 'approve' }),
  });
  expect(decided.status).toBe(200);
  expect(await stream.text()).toMatch(/"status":"pending"[^]*"status":"authenticated"/);
  expect(child.exitCode).toBeNull();
});
