/** Requests to the service's own OpenID Provider: CIBA with polling, and the code flow by a browser. */
import { createHash } from 'node:crypto';
import { CIBA_GRANT } from '../servers/oidc/clients.ts';
import type { Attempts } from './attempts.ts';
import type { Answer } from './connection.ts';
import { json, member, post, statusRequest, type Exchange } from './requests.ts';
import { cibaPending, cibaStarted, form, get, hasTokens, keepCookies } from './web.ts';

/** Built into plain simulation. */
const CLIENT = 'demo-web';
const SECRET = Buffer.from(`${CLIENT}:mfk_test_demo_web`).toString('base64');
const PERSON = { person: 'amal', decision: 'approve' };
/** Of a person of the simulator. */
export const NUMBER = '1000001101';
const FIRST_NUMBER = 1_050_000_000;
const POLLS = 5;
/** Nobody listens there: the browser ends before it. */
const RETURN_ADDRESS = 'http://127.0.0.1:1/return';

const VERIFIER = 'a-verifier-of-the-benchmark'.padEnd(43, '-');
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

function byClient(path: string, fields: Record<string, string>, port: number): string {
  return form(path, fields, { port, more: `Authorization: Basic ${SECRET}\r\n` });
}

export function openidCibaStart(port: number, onStarted: (id: string) => void): Exchange {
  const fields = { scope: 'openid', login_hint: NUMBER };
  return cibaStarted(byClient('/openid/backchannel', fields, port), onStarted);
}

export function openidCibaPoll(id: string, port: number): Exchange {
  return cibaPending(byClient('/openid/token', { grant_type: CIBA_GRANT, auth_req_id: id }, port));
}

/** Each person has one push at a time, by whose number it is found; so many people as callers. */
const free: string[] = [];
let people = 0;

/**
 * A whole CIBA login: start, polls while the person is asked, the simulated phone, on which the push
 * is found and approved, and the token.
 */
export function openidCibaLogin(attempts: Attempts, port: number): Exchange {
  const number = free.pop() ?? String(FIRST_NUMBER + (people += 1));
  let id = '';
  const fields = { scope: 'openid', login_hint: number };
  const start = cibaStarted(byClient('/openid/backchannel', fields, port), (started) => {
    id = started;
  });
  const token = (): Exchange => ({
    request: byClient('/openid/token', { grant_type: CIBA_GRANT, auth_req_id: id }, port),
    accept: (answer) => {
      attempts.count({ attempts: 1, completions: 1, tokens: 1 });
      free.push(number);
      return hasTokens(answer);
    },
  });
  const polls = (left: number): Exchange => ({
    ...openidCibaPoll(id, port),
    next: () => (left > 1 ? polls(left - 1) : approval(number, port, token)),
  });
  return { ...start, next: () => polls(POLLS) };
}

/** The same by the attempt API: start, polls, the simulated phone, token. */
export function pushLogin(attempts: Attempts, port: number): Exchange {
  const number = free.pop() ?? String(FIRST_NUMBER + (people += 1));
  let [id, token] = ['', ''];
  const polls = (left: number): Exchange => ({
    request: statusRequest({ id, token }, port),
    accept: ({ status, body }) => status === 200 && member(body, 'data', 'status') === 'pending',
    next: () => (left > 1 ? polls(left - 1) : approval(number, port, exchanged)),
  });
  const exchanged = (): Exchange => ({
    request: post(`/token/${id}`, { attempt_token: token }, port),
    accept: (answer) => {
      free.push(number);
      return hasApiToken(answer, attempts);
    },
  });
  return {
    request: post('/start', { national_id: number, locale: 'ar' }, port),
    accept: ({ status, body }) => {
      id = String(member(body, 'data', 'attempt_id'));
      token = String(member(body, 'data', 'attempt_token'));
      return status === 200;
    },
    next: () => polls(POLLS),
  };
}

function hasApiToken({ status, body }: Answer, attempts: Attempts): boolean {
  attempts.count({ attempts: 1, completions: 1, tokens: 1 });
  return status === 200 && member(body, 'data', 'token_type') === 'Bearer';
}

function approval(number: string, port: number, next: () => Exchange): Exchange {
  let prompt: unknown;
  return {
    request: get(`/simulator/wait?until=prompt&national_id=${number}`, { port }),
    accept: ({ status, body }) => {
      prompt = member(body, 'data', 'prompt', 'id');
      return status === 200 && typeof prompt === 'string';
    },
    next: () => ({
      request: json(`/simulator/prompts/${String(prompt)}/decision`, { decision: 'approve' }, port),
      accept: ({ status }) => status === 200,
      next,
    }),
  };
}

/**
 * The code flow: the authorization request, the page before the sign-in and its button, the page of
 * the simulated provider and its decision, the way back, and the exchange.
 */
export function openidLogin(attempts: Attempts, port: number): Exchange {
  const query = new URLSearchParams({
    client_id: CLIENT,
    response_type: 'code',
    redirect_uri: RETURN_ADDRESS,
    scope: 'openid',
    state: 'state',
    nonce: 'nonce',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
  });
  const cookies = new Map<string, string>();
  const exchanged = (address: string) => exchange(address, { attempts, port });
  return visit(get(`/openid/authorize?${query}`, { port, cookies }), { port, cookies, exchanged });
}

/** The same person by the attempt API: the start, the page of the provider, the decision, the token. */
export function browserLogin(attempts: Attempts, port: number): Exchange {
  let [page, id, token]: unknown[] = [];
  const exchanged = (address: string): Exchange => {
    const completion_code = new URL(address).searchParams.get('completion_code');
    return {
      request: post(`/token/${String(id)}`, { attempt_token: token, completion_code }, port),
      accept: (answer) => hasApiToken(answer, attempts),
    };
  };
  return {
    request: post('/start', { locale: 'ar', return_address: RETURN_ADDRESS }, port),
    accept: ({ status, body }) => {
      [page, id, token] = ['authorization_url', 'attempt_id', 'attempt_token'].map((name) =>
        member(body, 'data', name),
      );
      return status === 200 && typeof page === 'string';
    },
    next: () => {
      const cookies = new Map<string, string>();
      const request = get(pathOf(String(page)), { port, cookies });
      return visit(request, { port, cookies, exchanged });
    },
  };
}

interface Browser {
  readonly port: number;
  readonly cookies: Map<string, string>;
  /** The application's last request, by the address that the browser has come back to. */
  readonly exchanged: (address: string) => Exchange;
}

/** One step of the browser, and what follows from its answer. */
function visit(request: string, browser: Browser): Exchange {
  let next: Exchange | null = null;
  return {
    request,
    accept: (answer) => {
      keepCookies(answer.head, browser.cookies);
      next = after(answer, browser);
      return next !== null;
    },
    next: () => next,
  };
}

function after({ status, head, body }: Answer, browser: Browser): Exchange | null {
  const { port, cookies } = browser;
  const address = ledTo(head);
  if (address?.startsWith(RETURN_ADDRESS) === true) return browser.exchanged(address);
  if (address !== null) return visit(get(pathOf(address), { port, cookies }), browser);
  const [, action] = /<form[^>]* action="([^"]*)"/.exec(String(body)) ?? [];
  if (status !== 200 || action === undefined) return null;
  const fields = { ...hiddenIn(String(body)), ...(asksPerson(body) ? PERSON : {}) };
  const more = `Origin: http://127.0.0.1:${port}\r\n`;
  return visit(form(pathOf(plain(action)), fields, { port, cookies, more }), browser);
}

const asksPerson = (body: unknown) => String(body).includes('name="person"');

/** Where a redirect leads, or a page that leads on. */
function ledTo(head: string): string | null {
  const [, location] = /\r\nlocation: *(\S+)/i.exec(head) ?? [];
  const [, refresh] = /\r\nrefresh: *0;url=(\S+)/i.exec(head) ?? [];
  return location ?? refresh ?? null;
}

const pathOf = (address: string) => address.replace(/^http:\/\/127\.0\.0\.1:\d+/, '');
const plain = (text: string) => text.replaceAll('&amp;', '&');

function hiddenIn(html: string): Record<string, string> {
  const found = html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g);
  return Object.fromEntries([...found].map(([, name = '', value = '']) => [name, plain(value)]));
}

function exchange(
  returned: string,
  { attempts, port }: { readonly attempts: Attempts; readonly port: number },
): Exchange {
  const fields = {
    grant_type: 'authorization_code',
    redirect_uri: RETURN_ADDRESS,
    code: new URL(returned).searchParams.get('code') ?? '',
    code_verifier: VERIFIER,
  };
  return {
    request: byClient('/openid/token', fields, port),
    accept: (answer) => {
      attempts.count({ attempts: 1, completions: 1, tokens: 1 });
      return hasTokens(answer);
    },
  };
}
