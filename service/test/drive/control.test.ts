import { createServer } from 'node:http';
import { once } from 'node:events';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { drive, resultOf, shareListening, type DriveOptions } from '../support/drive/drive.ts';
import { openHttpsFront } from '../support/client/https-front.ts';
import { LAMIA } from '../support/drive/examples.ts';
import {
  AMAL,
  startPhone,
  startRedirect,
  statusOf,
  type Json,
  type Started,
} from '../support/service/login.ts';
import { KEY } from '../support/service/strict-login.ts';

/** The commands that do what the control API does, and what they say when it can't be done. */

const instance = shareListening();
const strict = shareListening({ STRICT: 'yes' });
const guarded = shareListening({ SIMULATOR_TOKEN: 'a-token-of-the-control-api' });

const miftah = (args: readonly string[], options: DriveOptions = {}) =>
  drive(instance().origin, args, options);

interface Prompt {
  readonly request_id: string;
  readonly random: string | null;
}

afterEach(async () => {
  for (const { request_id: id } of resultOf<Prompt[]>(await miftah(['prompts']))) {
    await miftah(['refuse', id]);
  }
});

async function startIn(scope: string, more: Json = {}, of = instance): Promise<Started> {
  const headers = { 'content-type': 'application/json', 'x-miftah-scope': scope };
  const body = JSON.stringify({ locale: 'en', ...more });
  const sent = { method: 'POST', headers: { ...headers, ...(of === strict ? KEY : {}) }, body };
  const answer = await fetch(`${of().origin}/api/v1/start`, sent);
  return ((await answer.json()) as { data: Started }).data;
}

const startForYara = () => startIn('two-of-yara', { national_id: '1000003301' });

describe('a decision', () => {
  it.each([
    ['approve', 'approved', null],
    ['refuse', 'rejected', 'refused'],
    ['not-me', 'rejected', 'not_me'],
    ['wrong-number', 'rejected', 'wrong_number'],
    ['ignore', 'waiting', null],
  ])('%s makes it %s', async (command, state, reason) => {
    const { attempt_id: id } = await startPhone(instance().service);
    const ran = await miftah([command, id]);
    expect(ran, ran.err).toMatchObject({ code: 0, err: '' });
    expect(resultOf(ran)).toMatchObject({ request_id: id, state, reason });
  });

  it('needs no name when one prompt waits, and takes the person who signs in', async () => {
    const started = await startRedirect(instance().service);
    const ran = await miftah(['approve', '--person', 'faisal']);
    expect(resultOf(ran)).toMatchObject({ request_id: started.attempt_id, person: 'faisal' });
    expect(await statusOf(instance().service, started)).toBe('authenticated');
  });

  it('takes a national id as people paste it, and asks which one when several wait', async () => {
    const { service } = instance();
    const page = await startRedirect(service);
    await service.get(`/callback?state=${page.attempt_id}`);
    const { attempt_id: id } = await startPhone(service, '1000002201');
    const refused = await miftah(['approve']);
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toContain('command.several_prompts: 2 prompts wait.');
    expect(refused.err).toContain(`open sign-in page of attempt ${page.attempt_id}`);
    expect(refused.err).toContain(`push to faisal of attempt ${id}`);
    expect(refused.err).not.toContain('1000002201');
    expect(resultOf(await miftah(['approve', '۱۰۰۰ ۰۰۲-۲۰۱']))).toMatchObject({ request_id: id });
  });

  it.each([
    ['plain', instance],
    ['strict', strict],
  ])('does not count a sign-in page that no browser has opened: %s', async (_, of) => {
    const scope = ['--scope', 'left-open'];
    const begun = await startIn('left-open', {}, of);
    const { attempt_id: id } = await startIn('left-open', { national_id: AMAL }, of);
    const ran = await drive(of().origin, ['approve', ...scope]);
    expect(resultOf(ran), ran.err).toMatchObject({ request_id: id, state: 'approved' });
    const other = await startIn('left-open', {}, of);
    const refused = await drive(of().origin, ['approve', ...scope]);
    for (const { attempt_id: page } of [begun, other]) {
      expect(refused.err).toContain(`unopened sign-in page of attempt ${page}`);
    }
  });

  it('asks which one when several of a person wait', async () => {
    const scope = ['--scope', 'two-of-yara'];
    const one = await startForYara();
    const two = await startForYara();
    for (const which of ['yara', '1000003301']) {
      const refused = await miftah(['approve', which, ...scope]);
      expect(refused, refused.err).toMatchObject({ code: 1, out: '' });
      expect(refused.err).toContain(
        'command.several_prompts: 2 prompts of this person wait. These',
      );
      expect(refused.err).toContain(`push to yara of attempt ${two.attempt_id}`);
      expect(refused.err).toContain('Name one by the id of its attempt');
      expect(refused.err).not.toContain('1000003301');
    }
    const ran = await miftah(['approve', two.attempt_id, ...scope]);
    expect(resultOf(ran)).toMatchObject({ request_id: two.attempt_id });
    expect(resultOf(await miftah(['approve', 'yara', ...scope]))).toMatchObject({
      request_id: one.attempt_id,
    });
  });

  it('waits for a prompt that comes', async () => {
    const approving = miftah(['approve', AMAL]);
    const started = await startPhone(instance().service, AMAL);
    expect(await approving).toMatchObject({ code: 0 });
    expect(await statusOf(instance().service, started)).toBe('authenticated');
  });

  it('names no person when there is none', async () => {
    const ran = await miftah(['approve', '1000002201', '--timeout', '0']);
    expect(ran).toMatchObject({ code: 1, out: '', sent: ['GET /simulator/prompts'] });
    expect(ran.err).toMatch(
      /^miftah: prompt\.not_found: No such prompt waits\. Nothing waits\.\n {2}`miftah pr/,
    );
    expect(ran.err).not.toContain('1000002201');
  });

  it('has the error of the instance, with its request id', async () => {
    const { attempt_id: id } = await startPhone(instance().service);
    const ran = await miftah(['approve', id, '--person', 'nobody']);
    expect(ran).toMatchObject({ code: 1, out: '' });
    expect(ran.err).toMatch(
      /^miftah: person\.not_found: There is no such person\.\n {2}`miftah people` lists them\.\n {2}request \S+\n$/,
    );
  });
});

describe('miftah wait', () => {
  it('ends with 0 when it is reached, and with 1 when it is not', async () => {
    const { attempt_id: id } = await startPhone(instance().service);
    const seen = await miftah(['wait', AMAL, '--until', 'prompt']);
    expect(seen.code).toBe(0);
    expect(resultOf(seen)).toMatchObject({ reached: true, prompt: { request_id: id } });
    const late = await miftah(['wait', id, '--timeout', '0']);
    expect(late.code).toBe(1);
    expect(resultOf(late)).toMatchObject({ reached: false, status: 'pending' });
    expect(late.err).toContain('command.not_reached: In this time the attempt is not auth');
    await miftah(['refuse', id]);
    expect((await miftah(['wait', id, '--until', 'rejected'])).code).toBe(0);
  });
});

describe('the clock', () => {
  it('is moved and taken back', async () => {
    const now = async () => Date.parse(resultOf<{ now: string }>(await miftah(['clock'])).now);
    const before = await now();
    const moved = await miftah(['clock', 'advance', '5m']);
    expect(resultOf(moved)).toMatchObject({ ahead_ms: 300_000, frozen: false });
    expect(await now()).toBe(before + 300_000);
    expect(resultOf(await miftah(['clock', 'skew', '-2m']))).toMatchObject({ skew_ms: -120_000 });
    const frozen = await miftah(['clock', 'freeze', '2031-05-06T07:08:09Z']);
    expect(resultOf(frozen)).toMatchObject({ frozen: true, now: '2031-05-06T07:08:09.000Z' });
    expect(resultOf(await miftah(['clock', 'reset']))).toMatchObject({ ahead_ms: 0, skew_ms: 0 });
  });

  it.each([
    [['advance', '5'], /A duration is a number and ms, s, m, h or d, such as 5m or 90s\./],
    [['skew', '-soon'], /A duration is a number and ms, s, m, h or d/],
    [['freeze', 'yesterday'], /A time is like 2026-01-31T12:00:00Z/],
  ])('says what it takes: %j', async (args, words) => {
    const ran = await miftah(['clock', ...args]);
    expect(ran).toMatchObject({ code: 2, out: '' });
    expect(ran.err).toMatch(words);
  });
});

const fileOf = (text: string) => ({ context: { readFile: () => text } });
const inScope = (args: readonly string[]) =>
  miftah([...args, '--scope', 'people-test'], fileOf(LAMIA));

describe('the next attempt', () => {
  it('has the outcome that is queued, after the seconds that are said', async () => {
    const queued = await miftah(['next', 'refuses', '--after', '0']);
    expect(resultOf(queued)).toEqual([{ outcome: 'refuses', after: 0 }]);
    const shown = await miftah(['next'], { terminal: 80 });
    expect(shown.out).toMatch(/\nrefuses +0\n/);
    const login = await miftah(['login']);
    expect(login.err).toContain('attempt.rejected');
    expect(resultOf(await miftah(['next']))).toEqual([]);
    await miftah(['next', 'refuses']);
    expect(resultOf(await miftah(['next', '--clear']))).toEqual([]);
    expect((await miftah(['next'], { terminal: 80 })).out).toBe('Nothing is queued.\n');
  });

  it('has no outcome that there is not', async () => {
    const ran = await miftah(['next', 'eats_lunch']);
    expect(ran).toMatchObject({ code: 1, out: '' });
    expect(ran.err).toMatch(
      /validation\.failed: There is no outcome "eats_lunch"\.\n.*miftah outcomes/,
    );
    const near = await miftah(['next', 'refusess']);
    expect(near.err).toContain('There is no outcome "refusess" (did you mean "refuses"?).');
    expect(near.err).not.toContain('approves_at_once');
    expect(await miftah(['next', '--after', '3'])).toMatchObject({ code: 2, sent: [] });
    expect(await miftah(['next', 'refuses', '--clear'])).toMatchObject({ code: 2, sent: [] });
  });
});

describe('the people of a scope', () => {
  it('are read, added, removed, and taken back', async () => {
    expect(resultOf(await inScope(['people', 'put', 'lamia', 'lamia.json']))).toMatchObject({
      id: 'lamia',
      national_id: '1000012301',
    });
    expect((await inScope(['people', 'show', 'lamia'])).code).toBe(0);
    expect((await miftah(['people', 'show', 'lamia'])).err).toContain('people.not_found');
    expect(resultOf(await inScope(['people', 'remove', 'lamia']))).toMatchObject({ id: 'lamia' });
    await inScope(['people', 'remove', 'hanae']);
    expect(resultOf(await inScope(['reset']))).toEqual({ scope: 'people-test', prompts: 0 });
    expect((await inScope(['people', 'show', 'hanae'])).code).toBe(0);
  });

  it('keep one default person', async () => {
    const ran = await inScope(['people', 'remove', 'amal']);
    expect(ran).toMatchObject({ code: 1, out: '' });
    expect(ran.err).toContain('people.default: The default person');
  });
});

/** The record that every operation can answer with. */
const IN_EACH = '422-031-046';
const RULES = '[{"operation":"session","status":503}]';

/** The operations, statuses, records and answers that the API names when it refuses a rule. */
async function wordsOfTheApi() {
  const file = fileOf('[{"operation":"lunch"}]');
  const { err } = await miftah(['faults', 'set', '--file', 'rules.json'], file);
  const form = err.replaceAll(/\s+/g, ' ');
  const [, operations = ''] = /"operation", one of (any, .+?); exactly one/.exec(form) ?? [];
  const [, answers = ''] = /"answer" \((.+?)\)/.exec(form) ?? [];
  const records = form.match(/\d{3}-\d{3}-\d{3}/g) ?? [];
  const [, statuses = ''] = /"status" \((.+?)\)/.exec(form) ?? [];
  const lists = [operations, answers, statuses].map((list) => list.split(', '));
  expect([...lists, records].every(({ length }) => length > 2)).toBe(true);
  const [, recordsOf = ''] = /"record" \((.+?)\)/.exec(form) ?? [];
  const own = recordsOf.split('; ').flatMap((part) => {
    const [operation = '', codes = ''] = part.split(': ');
    const special = codes.split(', ').filter((code) => code !== IN_EACH);
    return special.map((code) => [operation, code] as const);
  });
  return { words: new Set([...lists.flat(), ...records]), own };
}

describe('faults', () => {
  it('are set from flags and from a file, shown, and ended', async () => {
    const rule = ['--operation', 'mfa_request', '--latency', '100-500', '--rate', '0.5'];
    const set = await miftah(['faults', 'set', ...rule, '--seed', '1']);
    expect(set, set.err).toMatchObject({ code: 0 });
    const latency = { min: 100, max: 500 };
    expect(resultOf(set)).toMatchObject([
      { operation: 'mfa_request', latency_ms: latency, seed: 1 },
    ]);
    const { out } = await miftah(['faults'], { terminal: 120 });
    expect(out).toMatch(/mfa_request +latency 100-500 ms +0\.5 +1 +- +0 +0\n/);
    const filed = await miftah(['faults', 'set', '--file', 'rules.json'], fileOf(RULES));
    expect(resultOf(filed)).toMatchObject([{ operation: 'session', status: 503, rate: 1 }]);
    expect(resultOf(await miftah(['faults', 'clear']))).toEqual([]);
    expect((await miftah(['faults'], { terminal: 120 })).out).toBe('No faults.\n');
  });

  it('are set with the options that every command has', async () => {
    const common = ['--url', instance().origin, '--json', '--scope', 'default'];
    const set = await miftah([
      'faults',
      'set',
      '--operation',
      'session',
      '--status',
      '503',
      ...common,
    ]);
    expect(set, set.err).toMatchObject({ code: 0 });
    expect(JSON.parse(set.out)).toMatchObject([{ operation: 'session', status: 503 }]);
    const filed = ['faults', 'set', '--file', 'rules.json', ...common];
    expect(await miftah(filed, fileOf(RULES))).toMatchObject({ code: 0 });
    expect(await miftah(['faults', 'set', ...common])).toMatchObject({ code: 2, sent: [] });
    expect(resultOf(await miftah(['faults', 'clear']))).toEqual([]);
  });

  it('say what they take', async () => {
    const ran = await miftah(['faults', 'set', '--operation', 'lunch', '--status', '503']);
    expect(ran).toMatchObject({ code: 2, sent: [] });
    expect(ran.err).toMatch(/'lunch' is invalid\. Allowed choices are any, session, /);
    const { out: help } = await miftah(['faults', 'set', '--help'], { terminal: 200 });
    const { words, own } = await wordsOfTheApi();
    for (const word of words) expect(help).toMatch(new RegExp(`choices: .*"${word}"`));
    expect(help).toContain(`each operation has ${IN_EACH}.`);
    expect(own).toHaveLength(5);
    for (const [operation, code] of own) {
      expect(help).toMatch(new RegExp(`${operation} has [-\\d and]*${code}`));
    }
  });

  it.each<string[][]>([
    [[]],
    [['--operation', 'session']],
    [['--status', '503']],
    [['--operation', 'session', '--status', '503', '--answer', 'cut']],
    [['--operation', 'session', '--rate', '0.5']],
  ])('say the form of a rule: %j', async (args) => {
    const ran = await miftah(['faults', 'set', ...args]);
    expect(ran).toMatchObject({ code: 2, sent: [] });
    expect(ran.err).toContain('exactly one of --status, --record, --latency and --answer');
  });

  it('take either a file or a rule, and a file that is JSON', async () => {
    const broken = await miftah(['faults', 'set', '--file', 'x'], fileOf('rules'));
    expect(broken).toMatchObject({ code: 2, sent: [] });
    const both = ['faults', 'set', '--file', 'rules.json', '--operation', 'session'];
    expect(await miftah(both, fileOf(RULES))).toMatchObject({ code: 2, sent: [] });
  });
});

describe('on a terminal', () => {
  it('is a table, with the Arabic names last', async () => {
    const { code, out } = await miftah(['people'], { terminal: 250 });
    const [title, amal, ...others] = stripVTControlCharacters(out).trimEnd().split('\n');
    expect(code).toBe(0);
    expect(title).toMatch(/^PERSON +NATIONAL ID +LEVEL +ABOUT +NAME +ARABIC NAME$/);
    expect(amal).toMatch(/^amal +1000001101 +3 .* أمل سالم ناصر النموذجي$/);
    expect(others).toHaveLength(9);
    const starts = [amal, ...others].map((line = '') => line.search(/[12347]0000/));
    expect(new Set(starts).size).toBe(1);
  });

  it('that is narrow is a block for each row', async () => {
    const { out } = await miftah(['people'], { terminal: 40 });
    const blocks = stripVTControlCharacters(out).trimEnd().split('\n\n');
    expect(blocks).toHaveLength(10);
    expect(blocks[0]).toMatch(/^PERSON {7}amal\nNATIONAL ID {2}1000001101\n/);
  });

  it.each([80, 100])('of %i columns is a survey that names where the rest is', async (terminal) => {
    const shown = async (command: string) => {
      const { out } = await miftah([command], { terminal });
      return stripVTControlCharacters(out).trimEnd().split('\n');
    };
    const people = await shown('people');
    expect(people[0]).toMatch(/^PERSON +NATIONAL ID +NAME$/);
    expect(people[1]).toBe('amal         1000001101   Amal Salem Nasser Alnamuthaji');
    expect(people[4]).toMatch(/^abdulrahman  1000004401   Abdulrahman .*…$/);
    expect(people.slice(11)).toEqual(['All of a person: miftah people show PERSON.']);
    const outcomes = await shown('outcomes');
    expect(outcomes[0]).toMatch(/^OUTCOME +NATIONAL ID +(?:BY BROWSER +)?WHAT HAPPENS$/);
    for (const line of [...people, ...outcomes]) expect(line.length).toBeLessThanOrEqual(terminal);
  });

  it('has colours, and none with NO_COLOR', async () => {
    vi.stubEnv('NO_COLOR', undefined);
    vi.stubEnv('FORCE_COLOR', undefined);
    // What the machine says of its own terminal.
    vi.stubEnv('CI', undefined);
    vi.stubEnv('TERM', 'xterm-256color');
    const escape = String.fromCodePoint(27);
    expect((await miftah(['people'], { terminal: 250 })).out).toContain(`${escape}[1mPERSON`);
    vi.stubEnv('NO_COLOR', '1');
    expect((await miftah(['people'], { terminal: 250 })).out).not.toContain(escape);
  });

  it('is JSON when that is asked for, and where no terminal reads it', async () => {
    const asked = await miftah(['people', '--json'], { terminal: 80 });
    const piped = await miftah(['people']);
    expect(asked.out).toBe(piped.out);
    expect(piped.out).toMatch(/^\[\{"id":"amal".*\}\]\n$/);
  });

  it('has every outcome, and what waits', async () => {
    const { attempt_id: id } = await startPhone(instance().service);
    const outcomes = await miftah(['outcomes'], { terminal: 120 });
    expect(outcomes.out).toMatch(/refuses +1900000010 +yes +Refuses\n/);
    const prompts = await miftah(['prompts'], { terminal: 120 });
    expect(prompts.out).toMatch(new RegExp(`${id} +push +${AMAL} +\\d{6} +2026-`));
    const decided = await miftah(['approve', id], { terminal: 120 });
    expect(stripVTControlCharacters(decided.out)).toBe(
      `attempt  ${id}\nstate    approved\nperson   amal\n`,
    );
    expect((await miftah(['prompts'], { terminal: 120 })).out).toBe(
      'No prompt waits for a person.\n',
    );
  });

  it('can not be steered by what an instance says', async () => {
    const steering = '\u001b[2J\u0007\u202egnorw\u2066';
    const people = [{ id: `a${steering}`, about: steering, english_name: { full: steering } }];
    const answer = () => Promise.resolve(Response.json({ data: people }));
    const { out } = await miftah(['people'], { terminal: 200, context: { fetch: answer } });
    // oxlint-disable-next-line no-control-regex
    expect(out).not.toMatch(/\u001b\[2J|\u0007|[\u202a-\u202e\u2066-\u2069]/);
  });
});

describe('an instance that can not be driven', () => {
  it('is not there', async () => {
    const ran = await drive('http://127.0.0.1:1', ['people']);
    expect(ran).toMatchObject({ code: 3, out: '' });
    expect(ran.err).toMatch(/^miftah: command\.unreachable: No Miftah answers at http:\/\/127/);
    expect(ran.err).toContain('npx miftah dev');
    for (const args of [['login'], ['login', '--phone', AMAL], ['open']]) {
      expect(await drive('http://127.0.0.1:1', args), args.join(' ')).toMatchObject({ code: 3 });
    }
  });

  it('is asked by the wrong scheme: the other one is named', async () => {
    const { origin } = instance();
    const secure = await openHttpsFront(Number(new URL(origin).port), onTestFinished);
    for (const meant of [origin, secure.origin]) {
      const [scheme, other] = meant === origin ? ['http:', 'https:'] : ['https:', 'http:'];
      const asked = meant.replace(scheme ?? '', other ?? '');
      for (const args of [
        ['people'],
        ['login', '--phone', AMAL],
        ['open'],
        ['login', '--openid'],
      ]) {
        const ran = await drive(asked, args);
        expect(ran, args.join(' ')).toMatchObject({ code: 3, out: '' });
        expect(ran.err, args.join(' ')).toContain(`Is it ${meant}? `);
      }
    }
  });

  it.each([
    ['another program', {}, '<h1>Hello</h1>', 3, 'what answers there is another program'],
    ['a live service', { 'x-auth-mode': 'live' }, '{"code":"route.not_found"}', 1, 'live mode'],
    ['a rehearsal', { 'x-auth-mode': 'rehearsal' }, '{"code":"route.not_found"}', 1, 'rehearsal'],
  ])('is %s', async (_, headers, body, code, says) => {
    const server = createServer((_request, response) => response.writeHead(404, headers).end(body));
    onTestFinished(() => void server.close());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const ran = await drive(`http://127.0.0.1:${port}`, ['people']);
    expect(ran).toMatchObject({ code, out: '' });
    expect(ran.err).toContain(says);
  });

  it('asks for its token', async () => {
    const { origin } = guarded();
    const ran = await drive(origin, ['people']);
    expect(ran).toMatchObject({ code: 1, out: '' });
    expect(ran.err).toMatch(/simulator\.token_required: .+\n {2}Set SIMULATOR_TOKEN/);
    const wrong = { environment: { SIMULATOR_TOKEN: 'another-token' } };
    expect((await drive(origin, ['people'], wrong)).err).not.toContain('another-token');
    const right = { environment: { SIMULATOR_TOKEN: 'a-token-of-the-control-api' } };
    expect(await drive(origin, ['people'], right)).toMatchObject({ code: 0 });
    expect(await drive(origin, ['login', '--approve'], right)).toMatchObject({ code: 0 });
  });

  it('never gets the token of another one by a redirect', async () => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.writeHead(302, { location: '/elsewhere' }).end();
    });
    onTestFinished(() => void server.close());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const ran = await drive(`http://127.0.0.1:${port}`, ['people'], {
      environment: { SIMULATOR_TOKEN: 'a-token-of-the-control-api' },
    });
    expect(ran.code).toBe(3);
    expect(asked).toEqual(['/simulator/people']);
  });
});

it('a variable that looks like a setting of the commands and is none is told, and no error', async () => {
  const environment = {
    MIFTAH_CLIENT_KEY: 'secret',
    MIFTAH_URI: 'secret',
    SIMULATOR_TOKN: 'secret',
  };
  const { code, err } = await miftah(['clock'], { environment });
  expect(code).toBe(0);
  expect(err.split('\n')).toEqual([
    'unknown in the environment: MIFTAH_CLIENT_KEY',
    'unknown in the environment: MIFTAH_URI (did you mean MIFTAH_URL?)',
    'SIMULATOR_TOKN in the environment is no setting: did you mean SIMULATOR_TOKEN?',
    '',
  ]);
});

describe('wrong arguments', () => {
  it.each([
    [['people', '--url', 'ftp://127.0.0.1']],
    [['people', '--url', 'http://user:secret@127.0.0.1:3000']],
    [['people', '--url', 'http://127.0.0.1:3000/elsewhere']],
    [['people', '--scope', 'A scope']],
    [['people', '1000001101']],
    [['1000001101']],
    [['wait']],
    [['wait', 'x', '--until', 'never']],
    [['approve', '--timeout', '31']],
    [['clock', 'stop']],
    [['open', '1000001101']],
  ])('%o end with 2 and are not sent', async (args) => {
    const ran = await miftah(args);
    expect(ran).toMatchObject({ code: 2, out: '', sent: [] });
    expect(ran.err).toMatch(/\w/);
    for (const secret of ['1000001101', 'secret@']) expect(ran.err).not.toContain(secret);
  });

  it('an address of the API is one of its instance, with the scope in it', async () => {
    const { origin } = instance();
    for (const url of [`${origin}/api/v1`, `${origin}/`]) {
      expect(await miftah(['clock', '--url', url])).toMatchObject({ code: 0 });
    }
    const scopes: (string | null)[] = [];
    const fetched: typeof fetch = (_, init) => {
      scopes.push(new Headers(init?.headers).get('x-miftah-scope'));
      return Promise.resolve(Response.json({ data: {} }));
    };
    const options = { context: { fetch: fetched } };
    await miftah(['clock', '--url', `${origin}/scopes/worker-7/api/v1`], options);
    await miftah(['clock', '--scope', 'worker-8'], options);
    await miftah(['clock'], { ...options, environment: { MIFTAH_SCOPE: 'worker-9' } });
    await miftah(['clock'], options);
    expect(scopes).toEqual(['worker-7', 'worker-8', 'worker-9', null]);
  });
});

it('miftah open prints the address of a page and opens it', async () => {
  const opened: string[] = [];
  const context = { openBrowser: (address: string) => void opened.push(address) };
  const ran = await miftah(['open', 'docs'], { context });
  expect(resultOf(ran)).toEqual({ url: `${instance().origin}/docs` });
  expect(opened).toEqual([`${instance().origin}/docs`]);
  const wrong = await miftah(['open', 'dock'], { context });
  expect(wrong).toMatchObject({ code: 2, out: '', sent: [] });
  expect(wrong.err).toBe(
    "error: There is no page 'dock'. Allowed choices are home, docs, console, phone.\n" +
      '(Did you mean docs?)\n',
  );
});
