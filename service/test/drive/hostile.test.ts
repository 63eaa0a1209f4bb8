import { describe, expect, it } from 'vitest';
import { drive, type DriveOptions } from '../support/drive/drive.ts';

/** What an instance may answer when it is no friend of whoever runs the command. */

const ORIGIN = 'http://127.0.0.1:1';
/** Sets the title, clears the screen, CSI as one character, and turns the text around. */
const STEERS = '\u001b]0;title\u0007\u001b[2J\u009b31m\u202e\u2066\r\u007f';
const STEERING = /(?!\n)[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
const NUMBER = '1000001101';

const answering = (answer: () => Response): DriveOptions => ({
  context: { fetch: () => Promise.resolve(answer()) },
});
const onTerminal = (answer: () => Response) => ({ ...answering(answer), terminal: 100 });

const started = {
  attempt_id: '01a2042c-36d0-7169-8e61-1e8269557429',
  attempt_token: 'token',
  random: `12${STEERS}`,
  expires_at: '2031-05-06T07:08:09Z',
  authorization_url: `http://127.0.0.1:1/${STEERS}`,
};
const login: typeof fetch = (address) => {
  const { pathname } = new URL(address instanceof Request ? address.url : address);
  if (pathname.endsWith('/start')) return Promise.resolve(Response.json({ data: started }));
  return Promise.resolve(Response.json({ code: 'attempt.not_found' }, { status: 404 }));
};

/** A simulator with one person, whose sign-in leads to the page. */
const drilled = (page: () => Response, context: DriveOptions['context'] = {}) =>
  drive(ORIGIN, ['drill', '--rate', '1', '--for', '1'], {
    context: {
      ...context,
      fetch: (address) => {
        const { pathname } = new URL(address instanceof Request ? address.url : address);
        const headers = { 'x-auth-mode': 'simulator' };
        if (pathname === '/livez') return Promise.resolve(new Response('', { headers }));
        if (pathname === '/simulator/people') {
          return Promise.resolve(Response.json({ data: [{ id: 'amal' }] }));
        }
        if (!pathname.endsWith('/start')) return Promise.resolve(page());
        const authorizationUrl = `${ORIGIN}/launch`;
        return Promise.resolve(
          Response.json({ data: { ...started, authorization_url: authorizationUrl } }),
        );
      },
    },
  });

describe('the pages of a drill', () => {
  it('can not fill the memory', async () => {
    const part = new Uint8Array(1024 * 1024).fill(32);
    let parts = 0;
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>) =>
      ++parts > 64 ? controller.close() : controller.enqueue(part);
    const ran = await drilled(() => new Response(new ReadableStream({ pull })));
    expect(ran).toMatchObject({ code: 1, out: '' });
    expect(ran.err).toContain(
      'page.unexpected.200: The sign-in page http://127.0.0.1:1/launch has',
    );
    expect(parts).toBeLessThan(10);
  });

  it('can not keep the processor by tags without an end', async () => {
    const ran = await drilled(
      () => new Response('<form '.repeat(200_000) + '<h1 '.repeat(100_000)),
    );
    expect(ran.err).toContain('has nothing to decide');
  });

  it('end, and it has a code', async () => {
    const ran = await drilled(() => new Response('', { status: 302, headers: { location: '/a' } }));
    expect(ran.err).toContain('page.unexpected.302: ');
    expect(ran.err).toContain('is not the end of a sign-in after 15 pages');
  });

  it('are left at Ctrl-C', async () => {
    const stop = new AbortController();
    const ran = await drilled(
      () => {
        stop.abort();
        return new Response(
          new ReadableStream({ pull: (controller) => controller.error(stop.signal.reason) }),
        );
      },
      { stop: stop.signal },
    );
    expect(ran).toMatchObject({ code: 130, out: '' });
    expect(ran.err).toContain('command.interrupted');
  });
});

describe('a hostile instance', () => {
  it('can not steer the terminal by an error', async () => {
    const said = `${STEERS}${NUMBER}`;
    const problem = { code: `x${said}`, message: said, remedy: said, request_id: said };
    const ran = await drive(
      ORIGIN,
      ['people'],
      onTerminal(() => Response.json(problem, { status: 409 })),
    );
    expect(ran).toMatchObject({ code: 1, out: '' });
    expect(ran.err).not.toMatch(STEERING);
    expect(ran.err).not.toContain(NUMBER);
    expect(ran.err.split('\n')).toHaveLength(4);
  });

  it.each([
    ['a number to match', ['login', '--phone', NUMBER], 'Choose 12'],
    ['an address', ['login', '--browser'], 'Sign in at'],
  ])('can not steer the terminal by %s', async (_, args, says) => {
    const ran = await drive(ORIGIN, args, { context: { fetch: login } });
    expect(ran.err).toContain(says);
    expect(ran.err).not.toMatch(STEERING);
  });

  it('can not steer the terminal by JSON, which says the same', async () => {
    const people = [{ id: STEERS }];
    const answer = () => Response.json({ data: people });
    const { out } = await drive(ORIGIN, ['people', '--json'], onTerminal(answer));
    expect(out).not.toMatch(STEERING);
    expect(out).toContain(String.raw`\u009b31m\u202e`);
    expect(JSON.parse(out)).toEqual(people);
  });

  it('can not fill the memory', async () => {
    const part = new Uint8Array(1024 * 1024).fill(32);
    let parts = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => (++parts > 64 ? controller.close() : controller.enqueue(part)),
    });
    const ran = await drive(
      ORIGIN,
      ['people'],
      answering(() => new Response(endless)),
    );
    expect(ran).toMatchObject({ code: 3, out: '' });
    expect(ran.err).toContain('command.unreachable');
    expect(ran.err).toContain('the answer has more than 32 MB');
    expect(parts).toBeLessThan(40);
  });

  it.each([
    ['in time', new DOMException('late', 'TimeoutError'), 'no answer in time'],
    ['whole', new TypeError('terminated', { cause: { code: 'ECONNRESET' } }), 'ECONNRESET'],
  ])('that does not send an answer %s is unreachable', async (_, error, says) => {
    const broken = new ReadableStream({ pull: (controller) => controller.error(error) });
    const ran = await drive(
      ORIGIN,
      ['people'],
      answering(() => new Response(broken)),
    );
    expect(ran).toMatchObject({ code: 3, out: '' });
    expect(ran.err).toContain(`command.unreachable: No Miftah answers at ${ORIGIN}: ${says}.`);
  });
});
