import { stripVTControlCharacters } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { withoutNumbers } from '../../src/commands/drive/index.ts';
import type { Timer } from '../../src/platform/runtime.port.ts';
import { drive, resultOf, shareListening, type DriveOptions } from '../support/drive/drive.ts';
import { AMAL, startPhone } from '../support/service/login.ts';

/** What the commands say to somebody who tries them for the first time, and types almost right. */

const instance = shareListening();

const FAISAL = '1000002201';
const ATTEMPTS = '(`miftah attempts` lists them)\n';
const NOBODYS = '00000000-0000-4000-8000-000000000000';

const miftah = (args: readonly string[], options: DriveOptions = {}) =>
  drive(instance().origin, args, options);

afterEach(async () => {
  await miftah(['clock', 'reset']);
  await miftah(['reset']);
});

describe('a part of a command that there is not', () => {
  it.each([
    [['console'], "unknown command 'console'\n(Did you mean open console?)"],
    [['phone'], "unknown command 'phone'\n(Did you mean open phone?)"],
    [['clock', 'freez'], "unknown command 'freez'\n(Did you mean freeze?)"],
    [['faults', 'sett'], "unknown command 'sett'\n(Did you mean set?)"],
    [
      ['faults', 'set', '--operation', 'exchnge'],
      'openid_jwks, openid_discovery.\n(Did you mean exchange?)\n',
    ],
    [['people', 'shw'], "unknown command 'shw'\n(Did you mean show?)"],
    [['wait'], `missing required argument 'attempt-or-national-id'\n${ATTEMPTS}`],
    [['attempt'], `missing required argument 'attempt'\n${ATTEMPTS}`],
    [['calls'], `missing required argument 'attempt_id'\n${ATTEMPTS}`],
    [['people', 'show'], "missing required argument 'person'\n(`miftah people` lists them)\n"],
    [['user', 'disable'], "missing required argument 'id'\n(the answers of the API have it)\n"],
    [['client', 'remove'], "argument 'id'\n(`miftah client list` names them)\n"],
    [['client', 'rotate-key'], "argument 'id'\n(`miftah client list` names them)\n"],
    [['client', 'add', '--name-ar=م', '--name-en=S'], "argument 'id'\n(Such as: miftah client add"],
    [['webhooks', 'enable'], "argument 'receiver'\n(`miftah webhooks` lists them, such as:"],
    [['people', 'put', 'x'], "argument 'file'\n(JSON of the form that `miftah people show"],
    [['complete'], "argument 'shell'\n(bash, zsh or fish, such as:"],
    [['erase', '1'], "unknown command 'erase'\n(Did you mean `user erase`?)"],
    [['freeze'], "unknown command 'freeze'\n(Did you mean `clock freeze`?)"],
    [['rotate-key', 'shop'], '(Did you mean `client rotate-key`?)'],
    [['webhooks', 'replay', '12', '--all'], 'Say an id, or --all --client ID.'],
    [['user', 'show'], 'Say either the id of a user or --national-id.\n'],
    [['user', 'export', '3', '--national-id'], 'Say either the id of a user or --national-id.\n'],
    [['clock', 'advance'], "argument 'duration'\n(such as 5m, 90s or 2h)\n"],
    [
      ['user', 'list'],
      "unknown command 'list'\n(There are export, erase, show, disable, enable)\n",
    ],
    [['user', 'shwo'], "unknown command 'shwo'\n(Did you mean show?)\n"],
    [['version'], "unknown command 'version'\n(Did you mean --version?)\n"],
    [['help', 'lgin'], "unknown command 'lgin'\n(Did you mean login?)\n"],
    [['lgin', '--help'], "unknown command 'lgin'\n(Did you mean login?)\n"],
    [['help', 'clock', 'freez'], "unknown command 'freez'\n(Did you mean freeze?)\n"],
    [['people', 'generate', '--cuont=2'], "unknown option '--cuont'\n(Did you mean --count?)\n"],
    [['drill', '--raet', '5'], "unknown option '--raet'\n(Did you mean --rate?)\n"],
    [['login', '1900000001'], /^error: too many arguments for 'login'.*\n\(Did you mean --phone, /],
    [['sign-in-as'], "unknown command 'sign-in-as'\n(`miftah --help` lists the commands)\n"],
    [['audit', '--limit', '2'], "unknown option '--limit'\n(There are --help, "],
    [['audit', '--clint', 'shop'], "unknown option '--clint'\n(Did you mean --client?)\n"],
    [['drill'], "'--rate <number>' not specified\n(Such as: miftah drill --rate 5)\n"],
    [['client', 'add'], '(Such as: miftah client add shop --name-ar'],
    [['move'], '(Such as: miftah move --to '],
    [['people', 'generate'], '(Such as: miftah people generate --count 1000'],
    [
      ['revoke'],
      /^miftah: command\.wrong_arguments: Say exactly one .*`miftah revoke --client shop`/,
    ],
    [['backup'], /^miftah: command\.wrong_arguments: Say either .*`miftah backup --into backups`/],
    [['restore'], /^miftah: command\.wrong_arguments: Say either .*`miftah restore miftah-backup/],
    [
      ['client', 'add', 'shop', '--name-ar', 'متجر', '--name-en', 'Shop', '--openid', '{x}'],
      /^miftah: command\.wrong_arguments: --openid must be a JSON object, such as '\{"redirect/,
    ],
    [['signing-keys', 'rotat'], "unknown command 'rotat'\n(Did you mean rotate?)"],
  ])('%o is said so', async (args, says) => {
    const ran = await miftah(args);
    expect(ran).toMatchObject({ code: 2, out: '', sent: [] });
    expect(ran.err).toMatch(typeof says === 'string' ? new RegExp(RegExp.escape(says)) : says);
  });

  it('is another mistake than a word too many, and options need no part', async () => {
    expect((await miftah(['clock', 'show', 'now'])).err).toContain("too many arguments for 'show'");
    expect((await miftah(['clock', '--json'], { terminal: 80 })).out).toMatch(/^\{"now":/);
  });
});

/** What a program reads. */
async function errorOf(
  args: readonly string[],
  options: DriveOptions = {},
): Promise<Readonly<Record<string, unknown>>> {
  const { code, out, err } = await miftah([...args, '--json'], options);
  expect(out).toBe('');
  expect(err).toMatch(/^\{.*\}\n$/);
  const said = JSON.parse(err) as Record<string, unknown>;
  return { ...said, exit: code };
}

describe('an error with --json', () => {
  it('is one object on standard error, with what the text has', async () => {
    const failed = await errorOf(['attempt', NOBODYS]);
    expect(failed).toMatchObject({
      exit: 1,
      code: 'attempt.not_found',
      detail: expect.stringMatching(/\.$/) as string,
      remedy: expect.stringContaining('`miftah attempts`') as string,
    });
    const steering = '\u001b[2J\u20281000001101';
    const answer = () =>
      Promise.resolve(Response.json({ code: 'x.y', message: steering }, { status: 400 }));
    const said = await errorOf(['clock'], { context: { fetch: answer } });
    expect(said).toMatchObject({ code: 'x.y', detail: '\u001b[2J\u2028[number]' });
    expect(JSON.stringify(said)).not.toContain(AMAL);
  });

  it.each([
    [['clock', 'freez'], "unknown command 'freez'", 'Did you mean freeze?'],
    [
      ['wait'],
      "missing required argument 'attempt-or-national-id'",
      '`miftah attempts` lists them',
    ],
    [['approve', '--timeout', '31'], /timeout/, undefined],
    [['audit', '--record'], /^--record belongs to --verify/, undefined],
  ])('of wrong arguments is one too: %j', async (args, detail, remedy) => {
    const failed = await errorOf(args);
    const said = typeof detail === 'string' ? detail : (expect.stringMatching(detail) as string);
    expect(failed).toMatchObject({ exit: 2, code: 'command.wrong_arguments', detail: said });
    expect(failed['remedy']).toBe(remedy);
  });

  it('has the facts that its remedy speaks of, and the id of the request', async () => {
    const { err } = await miftah(['login', '--phone', '1900000032', '--json']);
    const last = JSON.parse(err.trim().split('\n').at(-1) ?? '') as Record<string, unknown>;
    expect(last).toMatchObject({
      code: 'provider.unavailable',
      facts: [expect.stringMatching(/^Retry-After: (?:1 second|(?!1 )\d+ seconds)$/)],
      request_id: expect.stringMatching(/./) as string,
    });
  });
});

describe('a prompt', () => {
  it('is named by the id of its person', async () => {
    await startPhone(instance().service);
    const { attempt_id: id } = await startPhone(instance().service, FAISAL);
    const ran = await miftah(['approve', 'faisal']);
    expect(ran, ran.err).toMatchObject({ code: 0 });
    expect(resultOf(ran)).toMatchObject({ request_id: id, person: 'faisal' });
  });

  it('of a person is waited for', async () => {
    const approving = miftah(['approve', 'faisal']);
    await startPhone(instance().service, FAISAL);
    expect(await approving).toMatchObject({ code: 0 });
  });

  it('is of nobody who is not there', async () => {
    const ran = await miftah(['approve', 'fasial', '--timeout', '30']);
    expect(ran).toMatchObject({ code: 1, out: '' });
    expect(ran.err).toMatch(/^miftah: people\.not_found: .+\n {2}.+attempt.+national id.+faisal/);
  });

  it('that does not come is answered with those that wait, without their people', async () => {
    const { attempt_id: id } = await startPhone(instance().service);
    const ran = await miftah(['approve', FAISAL, '--timeout', '0']);
    expect(ran.err).toContain(`No such prompt waits. These wait: push to amal of attempt ${id}.\n`);
    expect(ran.err).not.toContain(AMAL);
    await miftah(['refuse', id]);
    const alone = await miftah(['approve', FAISAL, '--timeout', '0']);
    expect(alone.err).toContain('No such prompt waits. Nothing waits.\n');
  });

  it('among several can be named in each way', async () => {
    await startPhone(instance().service);
    await startPhone(instance().service, FAISAL);
    const { err } = await miftah(['approve']);
    expect(err).toMatch(/2 prompts wait\. These wait: .*\n {2}.*attempt.*national id.*person/);
  });
});

describe('a person', () => {
  it('whose number was typed wrong is told of, where another one signs in', async () => {
    const other = await miftah(['login', '--phone', '1234567890', '--approve']);
    expect(other.code).toBe(0);
    expect(other.err).toContain('Nobody has this number');
    const own = await miftah(['login', '--phone', FAISAL, '--approve']);
    expect(own.err).not.toContain('Nobody has');
  });

  it('is shown with everything that the list has no room for', async () => {
    const { out } = await miftah(['people', 'show', 'amal'], { terminal: 100 });
    for (const text of ['BIRTH DATE', '1990-04-12', 'amal@example.test', 'NATIONALITY']) {
      expect(out).toContain(text);
    }
  });
});

describe('miftah wait', () => {
  it('waits for the prompt of a national id', async () => {
    const { attempt_id: id } = await startPhone(instance().service);
    const ran = await miftah(['wait', AMAL]);
    expect(ran, ran.err).toMatchObject({ code: 0 });
    expect(resultOf(ran)).toMatchObject({ reached: true, prompt: { request_id: id } });
  });

  it.each([['wait'], ['attempt'], ['replay']])(
    'and its like say how an attempt is found where there is none: %s',
    async (command) => {
      for (const which of ['x', NOBODYS]) {
        const ran = await miftah([command, which]);
        expect(ran).toMatchObject({ code: 1, out: '' });
        expect(ran.err).toMatch(/^miftah: attempt\.not_found: .+\n {2}.+its id: `miftah attempts`/);
      }
    },
  );

  it('for a prompt that does not come says where to look', async () => {
    const ran = await miftah(['wait', 'x', '--until', 'prompt', '--timeout', '0']);
    expect(ran).toMatchObject({ code: 1 });
    expect(ran.err).toMatch(/--timeout .+`miftah prompts`.+`miftah attempts`/);
  });

  it('says that an attempt has ended, and promises nothing of a longer wait', async () => {
    const { attempt_id: id } = await startPhone(instance().service);
    await miftah(['refuse', id]);
    const ran = await miftah(['wait', id, '--until', 'authenticated']);
    expect(ran).toMatchObject({ code: 1, out: expect.stringContaining('"rejected"') as string });
    expect(ran.err).toMatch(
      /The attempt has ended: it is rejected, and will not be authenticated\.\n/,
    );
    expect(ran.err).not.toContain('--timeout');
  });

  it('knows the end of an attempt only by its id', async () => {
    const ran = await miftah(['wait', AMAL, '--until', 'rejected']);
    expect(ran).toMatchObject({ code: 2, out: '', sent: [] });
    expect(ran.err).toMatch(/national id.*--until prompt.*attempt/);
    expect(ran.err).not.toContain(AMAL);
  });
});

describe('miftah open phone', () => {
  it.each([
    [[], '/simulator/phone'],
    [['--scope', 'worker-7'], '/simulator/phone?scope=worker-7'],
  ])('with %o is %s', async (args, page) => {
    const ran = await miftah(['open', 'phone', ...args]);
    expect(resultOf(ran)).toEqual({ url: instance().origin + page });
  });
});

it('miftah help NAME is the help of this command', async () => {
  const [help, flag] = [
    await miftah(['help', 'clock', 'skew']),
    await miftah(['clock', 'skew', '-h']),
  ];
  expect(help).toMatchObject({ code: 0, err: '' });
  expect(help.out).toMatch(/^Usage: miftah clock skew/);
  expect(flag.out).toBe(help.out);
  expect((await miftah(['help'])).out).toMatch(/^Usage: miftah \[options\]/);
});

it.each([
  [['move', '--to', 'DATABASE_URL']],
  [['audit']],
  [['webhooks']],
  [['webhooks', 'replay']],
  [['client', 'add']],
  [['doctor', '--record']],
  [['user', 'show', '12']],
])(
  '%j --help after --config FILE, as miftah-admin writes it, is the help of this command',
  async (args) => {
    const words = args.filter((word) => /^[a-z]+$/.test(word)).join(' ');
    for (const flags of [['--config', '/etc/miftah/miftah.env'], ['--config=doctor'], []]) {
      const { code, out, err } = await miftah([...flags, ...args, '--help']);
      expect([code, err]).toEqual([0, '']);
      expect(out).toMatch(new RegExp(`^Usage: miftah ${words} `));
    }
    const unknown = await miftah(['--config', 'miftah.env', 'audti', '--help']);
    expect([unknown.code, unknown.out]).toEqual([2, '']);
    expect(unknown.err).toContain("unknown command 'audti'");
  },
);

it('miftah session-code prints the address for a program too', async () => {
  const { code, url } = resultOf<{ code: string; url: string }>(await miftah(['session-code']));
  expect(url).toBe(`${instance().origin}/simulator/phone#code=${code}`);
});

function readFile(path: string): string {
  if (path === 'rules.json') return '[';
  throw Object.assign(new Error('no such file'), { code: 'ENOENT' });
}

async function saidOf(file: string): Promise<string> {
  const ran = await miftah(['faults', 'set', '--file', file], { context: { readFile } });
  return ran.err;
}

describe('an error', () => {
  it('leaves out the numbers of people, and neither limits nor ids', async () => {
    const rules = '[{"operation":"mfa_reqest","status":503}]';
    const context = { readFile: () => rules };
    const ran = await miftah(['faults', 'set', '--file', 'rules.json'], { context });
    expect(ran.err).toContain('"seed" (0 to 4294967295)');
    const id = '01890000-0000-7000-8000-123456789012';
    expect(withoutNumbers(`${id} is of ${AMAL}, ٤١٠٠٠٠١١٠١ or 42949672950`)).toBe(
      `${id} is of [number], [number] or [number]`,
    );
  });

  it('about a file has its name and the reason', async () => {
    expect(await saidOf('gone.json')).toContain('The file gone.json can not be read: ENOENT.');
    expect(await saidOf('-')).toContain('Standard input can not be read: ENOENT.');
    expect(await saidOf('rules.json')).toContain(
      'The file rules.json is no JSON: it ends too early, at line 1',
    );
  });

  it.each([['show'], ['remove']])('of people %s has those who are there', async (command) => {
    const ran = await miftah(['people', command, 'amaal']);
    expect(ran).toMatchObject({ code: 1, out: '' });
    expect(ran.err).toMatch(/people\.not_found: .+\n {2}.*amal, .*faisal.*\n {2}request \S+\n/);
  });
});

it('miftah reset counts one prompt', async () => {
  await startPhone(instance().service);
  const { out } = await miftah(['reset'], { terminal: 120 });
  expect(out).toBe('The scope default is as at the start; 1 prompt was dropped.\n');
});

it('the time left stands still while the clock of the instance does', async () => {
  const steps = [
    () => miftah(['clock', 'freeze']),
    () => miftah(['clock', 'advance', '2m']),
    () => miftah(['approve']),
  ];
  const timer: Timer = {
    after: (_, work) => {
      void steps.shift()?.().then(work);
      return () => undefined;
    },
  };
  const ran = await miftah(['login', '--phone', AMAL], { terminal: 200, context: { timer } });
  expect(ran, ran.err).toMatchObject({ code: 0 });
  const minutes = [...stripVTControlCharacters(ran.err).matchAll(/(\d+):\d\d left/g)];
  const shown = minutes.map(([, minute]) => Number(minute));
  expect((shown[0] ?? 0) - (shown[2] ?? 0)).toBe(2);
});
