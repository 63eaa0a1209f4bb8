import { execFile, spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import process from 'node:process';
import { describe, expect, onTestFinished, test } from 'vitest';
import { clientScript } from '../../../console/src/rooms/attempt/copy/client-script.ts';
import { curlScript } from '../../../console/src/rooms/attempt/copy/curl-script.ts';
import { clientOf, MODES } from '../support/client/client-for-test.ts';
import { shareListeningService } from '../support/service/listening-service.ts';
import { decideOnPhone, signInByBrowser } from '../support/client/person.ts';
import { moduleOf } from '../support/client/snippets.ts';
import { findFreePort } from '../support/programs/service-process.ts';
import { until } from '../support/programs/until.ts';

/** What the console copies of a whole sign-in is run as it stands, and signs in. */

type Line = Parameters<typeof clientScript>[0];

const AMAL = '1000001101';
const ENVIRONMENT = { PATH: process.env['PATH'], MIFTAH_KEY: 'mfk_test_simulator' };

describe.each(MODES)('what is copied in %s', (mode, settings) => {
  const service = shareListeningService(settings);
  const read = async (path: string) => {
    const answer = await fetch(`${service().origin}/simulator/attempts${path}`);
    return ((await answer.json()) as { data: unknown }).data;
  };
  const newest = async () => (await read('?limit=1')) as Line['attempt'][];
  const timeLineOf = async (id: string) => (await read(`/${id}`)) as Line;

  const start = (locale: 'en' | 'ar') => clientOf(service()).start({ locale });

  /** A sign-in by browser, with the completion code. */
  async function byBrowser(): Promise<Line> {
    const attempt = await start('en');
    const returned = await signInByBrowser(attempt);
    const completionCode = returned.searchParams.get('completion_code') ?? '';
    await attempt.status();
    await attempt.issueToken({ completionCode });
    return timeLineOf(attempt.id);
  }

  async function byPhone(): Promise<Line> {
    const attempt = await clientOf(service()).start({ locale: 'ar', nationalId: AMAL });
    await decideOnPhone(service(), attempt);
    await attempt.status();
    await attempt.waitForResult();
    await attempt.issueToken({ deviceName: `Amal's "phone"` });
    return timeLineOf(attempt.id);
  }

  async function expectSignedIn(other: Line): Promise<void> {
    const [row] = await newest();
    expect(row?.id).not.toBe(other.attempt.id);
    const line = await timeLineOf(row?.id ?? '');
    expect(line.attempt.state).toBe('redeemed');
    const members = (one: Line) =>
      Object.keys(
        one.entries.find(({ name }) => name === 'issueToken')?.exchange?.request.body ?? {},
      );
    expect(members(line)).toEqual(members(other));
  }

  test('as curl signs in by phone', async () => {
    const line = await byPhone();
    const lines = curlScript(line, service()) ?? '';
    expect(await paste(lines)).toMatch(/"token":"mft_test_\w/);
    await expectSignedIn(line);
  });

  test('as curl signs in by browser', async () => {
    const line = await byBrowser();
    const lines = curlScript(line, service()) ?? '';
    const isAsking = mode === 'strict mode';
    expect(await paste(lines, isAsking ? signInAsAsked : undefined)).toMatch(
      /"token":"mft_test_\w/,
    );
    await expectSignedIn(line);
  });

  test('as client code signs in by phone', async () => {
    const line = await byPhone();
    const code = clientScript(line, `${service().origin}/api/v1`) ?? '';
    const env = { ...ENVIRONMENT };
    const ran = promisify(execFile)(process.execPath, [moduleOf(code)], { env });
    let id = line.attempt.id;
    await until(async () => (id = (await newest())[0]?.id ?? '') !== line.attempt.id);
    await decideOnPhone(service(), { id });
    expect((await ran).stdout).toMatch(/^\d+\nأمل/);
    expect((await timeLineOf(id)).findings).toEqual([]);
  });

  test('as client code signs in by browser', async () => {
    const line = await byBrowser();
    const code = clientScript(line, `${service().origin}/api/v1`) ?? '';
    const port = await findFreePort();
    const env = { ...ENVIRONMENT, PORT: String(port) };
    const program = spawn(process.execPath, [moduleOf(code)], { env, stdio: 'ignore' });
    onTestFinished(() => void program.kill());
    const ask = (path: string, cookie = '') =>
      fetch(`http://127.0.0.1:${port}${path}`, { headers: { cookie }, redirect: 'manual' });
    await until(() => ask('/favicon.ico').then(Boolean, () => false));
    const started = await ask('/');
    const [cookie = ''] = started.headers.get('set-cookie')?.split(';') ?? [];
    const authorizationUrl = started.headers.get('location') ?? '';
    const back = await signInByBrowser({ authorizationUrl });
    expect(back.origin).toBe(`http://127.0.0.1:${port}`);
    expect(await (await ask(back.pathname + back.search)).text()).toBe('dropped ');
    const answer = await (await ask(back.pathname + back.search, cookie)).text();
    expect(answer).toMatch(/^authenticated Amal/);
    const [row] = await newest();
    expect((await timeLineOf(row?.id ?? '')).findings).toEqual([]);
  });
});

/** Pastes lines into a shell. `answer` makes what the person types in between. */
async function paste(lines: string, answer?: (output: string) => Promise<string>) {
  const shell = spawn('/bin/sh', [], { env: ENVIRONMENT });
  onTestFinished(() => void shell.kill());
  let output = '';
  shell.stdout.on('data', (part: Buffer) => (output += part.toString()));
  const faults = text(shell.stderr);
  shell.stdin.write(`${lines}\n`);
  if (answer !== undefined) {
    await until(() => output.includes('came back to:'));
    shell.stdin.write(`${await answer(output)}\n`);
  }
  shell.stdin.end();
  await new Promise((resolve) => shell.on('close', resolve));
  expect(await faults).toBe('');
  return output;
}

/** Signs in at the address that the lines print. */
async function signInAsAsked(output: string): Promise<string> {
  const [, authorizationUrl = ''] = /Open (\S+) and/.exec(output) ?? [];
  return (await signInByBrowser({ authorizationUrl })).href;
}
