import { expect, it } from 'vitest';
import { drive, resultOf } from '../support/drive/drive.ts';
import { BANK_KEY } from '../support/live/rehearsal.ts';
import { shareRehearsal } from '../support/live/shared-rehearsal.ts';

/** `miftah login` where the service has no simulator: in live mode and its rehearsal. */

const rehearsal = shareRehearsal();
const YARA = '1000003301';
const environment = { MIFTAH_KEY: BANK_KEY };

const login = (args: readonly string[]) =>
  drive(rehearsal().origins.service, ['login', ...args], { environment });
const atSimulator = (args: readonly string[]) =>
  drive(rehearsal().origins.simulator, args, { environment });

it('by phone says how long the push can be answered', async () => {
  const signingIn = login(['--phone', YARA]);
  expect((await atSimulator(['approve', YARA])).code).toBe(0);
  const ran = await signingIn;
  expect(ran, ran.err).toMatchObject({ code: 0 });
  expect(resultOf(ran)).toMatchObject({ user: { national_id: YARA } });
  expect(ran.err).toMatch(/^Choose \d+ on the phone\. (?:4:00|[0-3]:[0-5]\d) left\.\n$/);
});

it('without a number says what to add to the command', async () => {
  const ran = await login([]);
  expect(ran).toMatchObject({ code: 1, out: '', sent: ['GET /simulator/people?limit=1'] });
  expect(ran.err).toContain('command.no_simulator: A live service has no default person');
  expect(ran.err).toContain('Add --phone with the national id');
  expect(ran.err).not.toContain('MIFTAH_URL');
});

it.each(['--browser', `--phone=${YARA}`])('with %s --approve starts nothing', async (flag) => {
  const ran = await login([flag, '--approve']);
  expect(ran).toMatchObject({ code: 1, out: '', sent: ['GET /simulator/people?limit=1'] });
  expect(ran.err).toContain('command.no_simulator');
  expect(ran.err).toContain('Leave out --approve');
});

it.each([
  [['open'], 'miftah open console --url'],
  [['open', 'docs'], 'miftah open console --url'],
  [['open', 'phone'], 'miftah open phone --url'],
])(
  '%o opens no page that is not there, and names the way to the simulator’s',
  async (args, way) => {
    const opened: string[] = [];
    const openBrowser = (address: string) => void opened.push(address);
    const ran = await drive(rehearsal().origins.service, args, { context: { openBrowser } });
    expect(ran).toMatchObject({ code: 1, out: '' });
    expect(ran.err).toMatch(
      /no_simulator: This service is a rehearsal of live mode.*\n {2}The simulator that/,
    );
    expect(ran.err).toContain(way);
    expect(opened).toEqual([]);
    expect(await atSimulator(args.slice(0, 1).concat('console'))).toMatchObject({ code: 0 });
  },
);

it.each([[[]], [['--phone', YARA]], [['--browser']]])(
  'at the simulator alone, with %o, names what can be typed',
  async (args) => {
    const ran = await atSimulator(['login', ...args]);
    expect(ran).toMatchObject({ code: 3, out: '' });
    expect(ran.err).toContain(`The answer of ${rehearsal().origins.simulator} (status 404) is not`);
    expect(ran.err).toContain('Name the service with --url or MIFTAH_URL');
    expect(ran.err).not.toContain('baseUrl');
  },
);
