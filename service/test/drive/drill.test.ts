import { createServer } from 'node:http';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { recordingFetch } from '../support/client/client-for-test.ts';
import { drive, resultOf, shareListening } from '../support/drive/drive.ts';
import { BANK_KEY } from '../support/live/rehearsal.ts';
import { shareRehearsal } from '../support/live/shared-rehearsal.ts';

/** `miftah drill`: sign-ins at a fixed rate. */

const rehearsal = shareRehearsal();
const other = shareListening();
const environment = { MIFTAH_KEY: BANK_KEY };

interface Drilled {
  readonly started: number;
  readonly signed_in: number;
  readonly failed: Readonly<Record<string, number>>;
  readonly left_out: number;
  readonly whole: { readonly middle: number; readonly longest: number };
}

const drillAt = (args: readonly string[]) =>
  drive(rehearsal().origins.service, ['drill', ...args], { environment });
const drill = (args: readonly string[]) =>
  drillAt(['--simulator', rehearsal().origins.simulator, ...args]);

it('by browser goes the whole way of a person, and counts and times it', async () => {
  const ran = await drill(['--rate', '4', '--for', '3', '--json']);
  expect(ran, ran.err + ran.out).toMatchObject({ code: 0 });
  const result = resultOf<Drilled>(ran);
  expect(result).toMatchObject({ started: 12, signed_in: 12, failed: {}, left_out: 0 });
  expect(result.whole.middle).toBeGreaterThan(0);
  expect(result.whole.longest).toBeGreaterThanOrEqual(result.whole.middle);
  const tokens = ran.sent.filter((line) => line.startsWith('POST /api/v1/token/'));
  expect(tokens).toHaveLength(13);
  // Nothing but the people was asked of the control API: the browser did the rest.
  const asked = ran.sent.filter((line) => line.includes('/simulator/'));
  expect(asked).toEqual(['GET /simulator/people?limit=1']);
  expect(ran.out).not.toMatch(/mft_/);
});

it('by phone asks one person after the other, at the simulator that is named', async () => {
  const ran = await drill(['--phone', '--rate', '2', '--for', '2', '--json']);
  expect(ran, ran.err).toMatchObject({ code: 0 });
  expect(resultOf<Drilled>(ran)).toMatchObject({ started: 4, signed_in: 4 });
});

it('says which limits it met, and that not everybody has signed in', async () => {
  const ran = await drill(['--phone', '--rate', '60', '--for', '1']);
  expect(ran).toMatchObject({ code: 1 });
  const { started, signed_in: signedIn, failed } = resultOf<Drilled>(ran);
  expect(started).toBe(60);
  expect(signedIn + Object.values(failed).reduce((sum, one) => sum + one, 0)).toBe(60);
  expect(ran.err).toMatch(/command\.drill_failed: \d+ of 60 sign-ins failed/);
  expect(ran.err).toMatch(/^  push\.budget_spent: \d+$/m);
  // Of the first ones, what finds them in the log.
  const line = /^  \d{4}-\d\d-\d\dT\S+ start: push\.budget_spent request [\da-f-]{36}$/gm;
  expect(ran.err.match(line)?.length).toBeGreaterThan(0);
  // How many have failed depends on how fast the others were answered.
  const count = started - signedIn;
  expect(ran.err.includes(`\n  and ${count - 20} more\n`)).toBe(count > 20);
});

it('of a sign-in that breaks off it says when, at which step and why', async () => {
  const { service, simulator } = rehearsal().origins;
  let tokens = 0;
  const flaky: typeof fetch = (address, init) => {
    const { origin, pathname } = new URL(address instanceof Request ? address.url : address);
    if (pathname.includes('/token/')) tokens += 1;
    // After the trial.
    if (origin !== simulator || tokens === 0) return recordingFetch(address, init);
    return Promise.reject(new TypeError('fetch failed', { cause: { code: 'ECONNRESET' } }));
  };
  const args = ['drill', '--simulator', simulator, '--rate', '2', '--for', '1', '--json'];
  const ran = await drive(service, args, { environment, context: { fetch: flaky } });
  expect(ran, ran.err).toMatchObject({ code: 1 });
  const { failures } = resultOf<{ readonly failures: readonly Record<string, string>[] }>(ran);
  const place = { code: 'no_answer', step: 'person', cause: 'ECONNRESET' };
  expect(failures).toMatchObject([place, place]);
  expect(failures[0]?.['attempt_id']).toMatch(/^[\da-f-]{36}$/);
  expect(Date.parse(failures[0]?.['at'] ?? '')).not.toBeNaN();
});

it('shows it as a table on a terminal', async () => {
  const { service, simulator } = rehearsal().origins;
  const args = ['drill', '--simulator', simulator, '--rate', '1', '--for', '1'];
  const ran = await drive(service, args, { environment, terminal: 100 });
  expect(ran, ran.err).toMatchObject({ code: 0 });
  expect(ran.out).toMatch(/signed in\S* +1\n/);
  expect(ran.out).toMatch(/MIDDLE.*95 %.*99 %.*LONGEST/);
});

it.each(['live', null])('asks nothing of a service whose mode is %s', async (mode) => {
  const asked: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    asked.push(url);
    response.writeHead(200, mode === null ? {} : { 'x-auth-mode': mode }).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const ran = await drive(`http://127.0.0.1:${port}`, ['drill', '--rate', '1'], { environment });
  expect(ran).toMatchObject({ code: mode === 'live' ? 2 : 3, out: '' });
  expect(ran.err).toContain(mode === 'live' ? 'command.real_people' : 'command.unreachable');
  expect(asked).toEqual(['/livez']);
});

it('opens no provider that is not the simulator, and gives it no token', async () => {
  const { service, simulator } = rehearsal().origins;
  const ran = await drive(service, ['drill', '--rate', '1', '--simulator', other().origin], {
    environment: { ...environment, SIMULATOR_TOKEN: 'a-token-of-16-characters' },
  });
  expect(ran).toMatchObject({ code: 1, out: '' });
  expect(ran.err).toContain(`command.not_the_simulator: A sign-in leads to ${simulator}`);
  // One start and the page of the launch, and nobody's sign-in.
  expect(ran.sent.slice(0, 3)).toEqual([
    'GET /livez',
    'GET /simulator/people?limit=1',
    'POST /api/v1/start',
  ]);
  expect(
    ran.sent.filter(
      (line) => !/^(?:GET|POST) \/api\/v1\/|^GET \/(?:livez|simulator\/people)/.test(line),
    ),
  ).toEqual([]);
});

it('needs to be told which simulator a rehearsal calls', async () => {
  const ran = await drillAt(['--rate', '1']);
  expect(ran).toMatchObject({ code: 2, out: '', sent: ['GET /livez'] });
  expect(ran.err).toContain('--simulator');
});

it('ends at the first sign-in that fails, before it does more', async () => {
  const { service } = rehearsal().origins;
  // A simulator that this service does not call has no prompt of its attempts.
  const args = ['drill', '--phone', '--rate', '5', '--simulator', other().origin];
  const ran = await drive(service, args, { environment });
  expect(ran).toMatchObject({ code: 1, out: '' });
  expect(ran.err).toContain('prompt.not_found');
  expect(ran.sent.filter((line) => line === 'POST /api/v1/start')).toHaveLength(1);
});

it.each([
  [[], "required option '--rate <number>' not specified"],
  [['--rate', '0'], 'A number above 0, up to 500'],
  [['--rate', '501'], 'A number above 0, up to 500'],
  [['--rate', '1e2'], 'A number above 0, up to 500'],
  [['--rate', '1', '--for', '0'], 'Whole seconds, 1 to 3600'],
  [['--rate', '1', '--for', '3601'], 'Whole seconds, 1 to 3600'],
  [['--rate', '1', '--for', '61m'], 'Whole seconds, 1 to 3600'],
  [['--rate', '1', '--for', '5h'], 'Whole seconds, 1 to 3600'],
  [['--rate', '1', '--simulator', 'localhost:4000'], 'An origin, such as'],
])('refuses %o', async (args, message) => {
  const ran = await drill(args);
  expect(ran).toMatchObject({ code: 2, sent: [] });
  expect(ran.err).toContain(message);
});
