import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import table from '../promises.json' with { type: 'json' };
import { createClient, relayEvents, type Miftah } from './index.ts';
import { fromWire } from './wire.ts';

/**
 * The cases of client/promises.json, which the client in Python runs too: what it is asked, what the
 * service answers, and what comes out. Time passes at once.
 */

type Members = Readonly<Record<string, unknown>>;

/** One answer, or several of the same. */
interface Answer {
  readonly to: string;
  /** What the request has to have, among others. */
  readonly with?: { readonly headers?: Members; readonly body?: Members };
  readonly times?: number;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly text?: string;
  readonly state?: string;
  readonly token?: boolean;
  readonly user?: Members;
  readonly started?: Members;
  readonly problem?: { readonly code: string };
  readonly events?: readonly string[];
  readonly then?: string;
  readonly lost?: boolean;
  readonly silent?: boolean;
}

interface Case {
  readonly promise: string;
  readonly name: string;
  readonly call: string;
  readonly with?: Members;
  readonly times?: number;
  readonly flow?: string;
  readonly expiresAt?: string;
  readonly answers?: readonly Answer[];
  readonly gives?: Members;
  readonly fails?: Members;
  readonly misuse?: string;
  readonly tells?: readonly string[] | null;
  readonly hides?: readonly string[];
  readonly leaves?: boolean;
  readonly seconds?: readonly number[];
}

const CASES: readonly Case[] = table.cases;
const LOST = { code: 'ECONNRESET' };
const BASE_URL = 'http://sign-in.test/api/v1';
const CLIENT_KEY = 'mfk_test_simulator';
const { id: ID, token: TOKEN, expiresAt } = table.attempts.mfa;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function statusBody(status: string) {
  const told = { provider_status: 'PENDING', message: null, token_ready: false, user: null };
  return { attempt_id: ID, status, ...told };
}

/** The body of an answer, from what the table says in short. */
function bodyOf({ body, state, token, user, started, problem }: Answer): unknown {
  if (state !== undefined) return { data: statusBody(state) };
  if (user !== undefined) return { data: { ...table.user, ...user } };
  if (started !== undefined) {
    return { data: { attempt_id: ID, attempt_token: TOKEN, expires_at: expiresAt, ...started } };
  }
  if (token === true) {
    const times = { expires_at: '2026-03-02T09:01:10+00:00' };
    return { data: { token: table.token, token_type: 'Bearer', ...times, user: table.user } };
  }
  if (problem === undefined) return body;
  const title = { type: `${BASE_URL}/errors`, title: problem.code, request_id: 'r' };
  return { ...title, detail: 'A sentence.', message: 'A sentence.', ...problem };
}

function textOf(answer: Answer): string {
  const { text, events } = answer;
  if (text !== undefined) return text;
  if (events === undefined) return JSON.stringify(bodyOf(answer)) ?? '';
  return events
    .map((state) => `event: status\ndata: ${JSON.stringify(statusBody(state))}\n\n`)
    .join('');
}

function responseTo(answer: Answer, signal: AbortSignal): Response {
  const { events, then = events === undefined ? 'ends' : 'stays' } = answer;
  const stream = new ReadableStream<Uint8Array>({
    start(body) {
      body.enqueue(new TextEncoder().encode(textOf(answer)));
      signal.addEventListener('abort', () => body.error(signal.reason));
      if (then === 'ends') body.close();
    },
    pull(body) {
      if (then === 'breaks') body.error(new TypeError('terminated'));
    },
  });
  const { status = answer.token || answer.started ? 201 : 200 } = answer;
  const type = events === undefined ? 'application/json' : 'text/event-stream; charset=utf-8';
  const headers = { 'content-type': type, ...answer.headers };
  return new Response(status === 204 ? null : stream, { status, headers });
}

/** Answers as the table says, and to nothing else. */
function scripted(answers: readonly Answer[]) {
  const left = answers.flatMap((answer) => Array<Answer>(answer.times ?? 1).fill(answer));
  const unexpected: string[] = [];
  const answered = async (input: string | URL | Request, init: RequestInit = {}) => {
    const { signal = null, method = 'GET' } = init;
    // Such as one for a header that can't be sent.
    const headers = Object.fromEntries(new Headers(init.headers));
    const url = input instanceof Request ? input.url : String(input);
    const asked = `${method} ${url.slice(BASE_URL.length).replace(ID, 'ID')}`;
    const answer = left.shift();
    if (answer?.to !== asked || signal === null) {
      unexpected.push(asked);
      throw new Error(`unexpected: ${asked}`);
    }
    if (answer.with?.headers !== undefined) expect(headers).toMatchObject(answer.with.headers);
    const body: unknown = typeof init.body === 'string' ? JSON.parse(init.body) : undefined;
    if (answer.with?.body !== undefined) expect(body).toEqual(answer.with.body);
    if (answer.lost === true) throw new TypeError('fetch failed', { cause: LOST });
    if (answer.silent !== true) return responseTo(answer, signal);
    return new Promise<Response>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });
  };
  return { left, unexpected, fetch: answered };
}

/** The options of a call in the names and units of this package. */
function optionsOf({ with: given = {} }: Case): Record<string, unknown> {
  const options = fromWire(given) as Record<string, unknown>;
  const { timeout } = options;
  return typeof timeout === 'number' ? { ...options, timeout: timeout * 1000 } : options;
}

function exportedFor({ flow = 'mfa', expiresAt: end }: Case): string {
  const kept = flow === 'oidc' ? table.attempts.oidc : table.attempts.mfa;
  return JSON.stringify({ ...kept, ...(end && { expiresAt: end }) });
}

const SESSION = 'session';

/** Makes the call of a case. What it is given is what JavaScript can write. */
async function made(one: Case, client: Miftah, sessions: Map<string, string>): Promise<unknown> {
  const { token, ...options } = optionsOf(one) as Record<string, never>;
  const attempt = client.resume(exportedFor(one));
  const calls: Record<string, () => unknown> = {
    create: () => createClient(options as never),
    resume: () => client.resume(options['exported'] as never),
    start: () => client.start(options as never),
    status: () => attempt.status(),
    wait_for_result: () => attempt.waitForResult(options),
    issue_token: () => attempt.issueToken(options),
    cancel: () => attempt.cancel(options),
    user: () => client.user(token as never),
    introspect: () => client.introspect(token as never),
    revoke: () => client.revoke(token as never),
    accept: () => client.createLogin(sessions, options).accept(token as never),
    finish: () => client.createLogin(sessions).finish(SESSION, options),
    relay: () => textIn(relayEvents(attempt, options)),
  };
  return calls[one.call]?.();
}

async function textIn(response: Response): Promise<string | null> {
  return response.status === 204 ? null : response.text();
}

/** Lets the time pass until the call has ended. */
async function settled(call: Promise<unknown>): Promise<{ value?: unknown; error?: unknown }> {
  const ends: { value?: unknown; error?: unknown }[] = [];
  void call.then(
    (value) => ends.push({ value }),
    (error: unknown) => ends.push({ error }),
  );
  for (let step = 0; ends.length === 0 && step < 500; step += 1) {
    await vi.advanceTimersToNextTimerAsync();
  }
  return ends[0] ?? { error: 'it has not ended' };
}

const printed = (value: unknown) => inspect(value, { depth: 9 }) + JSON.stringify(value);

function holds(one: Case, { value, error }: { value?: unknown; error?: unknown }): void {
  if (one.misuse !== undefined) {
    expect(error).toBeInstanceOf(TypeError);
    expect(String(error)).toContain(one.misuse);
  } else if (one.fails === undefined) {
    expect(error).toBeUndefined();
  } else {
    expect(error).toMatchObject({ name: 'MiftahError', ...(fromWire(one.fails) as object) });
  }
  if (one.gives !== undefined) expect(value).toMatchObject(fromWire(one.gives) as object);
  if (one.tells === null) expect(value).toBeNull();
  // JSON of this language has no spaces.
  const text = String(value);
  for (const part of one.tells ?? []) expect(text).toContain(part.replace('": "', '":"'));
  const shown = one.call === 'relay' ? text : printed(value ?? error);
  for (const secret of one.hides ?? []) expect(shown).not.toContain(secret);
}

describe('the cases of client/promises.json', () => {
  test.each(CASES.map((one) => [`${one.promise} ${one.call}: ${one.name}`, one] as const))(
    '%s',
    async (_, one) => {
      const script = scripted(one.answers ?? []);
      const { fetch } = script;
      const client = createClient({ baseUrl: BASE_URL, clientKey: CLIENT_KEY, fetch });
      const sessions = new Map([[SESSION, exportedFor(one)]]);
      if (one.flow === 'none') sessions.clear();
      const before = Date.now();
      for (let time = 0; time < (one.times ?? 1); time += 1) {
        holds(one, await settled(made(one, client, sessions)));
      }
      const [least = 0, most = Infinity] = one.seconds ?? [];
      const took = (Date.now() - before) / 1000;
      expect(took).toBeGreaterThanOrEqual(least);
      expect(took).toBeLessThanOrEqual(most);
      expect({ unexpected: script.unexpected, left: script.left }).toEqual({
        unexpected: [],
        left: [],
      });
      if (one.leaves !== undefined) expect(sessions.size).toBe(one.leaves ? 1 : 0);
      // However a call ends, it leaves no timer (C-11).
      expect(vi.getTimerCount()).toBe(0);
    },
  );
});

test('client/PACKAGE.md has the promises of client/promises.json', () => {
  const page = readFileSync(new URL('../PACKAGE.md', import.meta.url), 'utf8');
  const listed = [...page.matchAll(/^- \*\*(C-\d+)\*\* (.+)$/gm)];
  expect(listed.map(([, number, says]) => ({ number, says }))).toEqual(
    table.promises.map(({ number, says }) => ({ number, says })),
  );
});
