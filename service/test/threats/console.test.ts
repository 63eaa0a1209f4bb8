import { once } from 'node:events';
import { createServer, request as send, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchChromium, openTab } from '../../../scripts/browser.ts';
import { ownCost } from '../support/attacks/cost.ts';
import { cpuSeconds } from '../support/attacks/unread/crowd.ts';
import { eachOf, times } from '../support/attacks/crowd.ts';
import { ApiClient } from '../support/programs/api-client.ts';
import { startService, type ServiceProcess } from '../support/programs/service-process.ts';

/** What other people's pages and files can do with the console. */

const JSON_TYPE = { 'content-type': 'application/json' };
/** A development server on another port: browsers call it same-site. */
const NAME = '127.0.0.1';
const POSTS = 50;

let browser: Browser;
let service: ServiceProcess;
let evil: Server;

beforeAll(async () => {
  evil = createServer((request, response) => {
    const html = new URL(request.url ?? '', 'http://evil').searchParams.get('html') ?? '';
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<!doctype html>${html}`);
  });
  await once(evil.listen(0, NAME), 'listening');
  [browser, service] = await Promise.all([launchChromium(), startService()]);
});
afterAll(async () => {
  evil.closeAllConnections();
  evil.close();
  await Promise.all([browser.close(), service.kill()]);
});

const evilPage = (html = '') =>
  `http://${NAME}:${(evil.address() as AddressInfo).port}/?html=${encodeURIComponent(html)}`;

async function openEvil(html?: string) {
  const tab = await openTab(browser);
  await tab.page.goto(evilPage(html));
  return tab;
}

/** What the script of a page can read of an answer. */
const readBy = (request: string) =>
  `${request}.then(async (answer) => 'read:' + answer.status + ':' + (await answer.text()).slice(0, 40),
    (error) => 'refused:' + error.name)`;

async function idsOf(): Promise<string[]> {
  const answer = await fetch(`${service.origin}/simulator/attempts?limit=200`);
  const { data } = (await answer.json()) as { data: { id: string }[] };
  return data.map(({ id }) => id);
}

async function startOne(): Promise<string> {
  const { attempt_id: id } = await new ApiClient(service.origin).start({ locale: 'en' });
  return id;
}

describe('threat 57: a page that drives the console', () => {
  it('of another origin reads nothing of it', async () => {
    const id = await startOne();
    const paths = [
      '/simulator/attempts',
      `/simulator/attempts/${id}`,
      `/simulator/attempts/${id}/export`,
      '/simulator/events?attempts=yes',
    ];
    await using tab = await openEvil();
    for (const path of paths) {
      const address = service.origin + path;
      expect(await tab.page.evaluate(readBy(`fetch('${address}')`))).not.toContain('read:200');
      expect(await tab.page.evaluate(readBy(`fetch('${address}', {mode:'no-cors'})`))).toBe(
        'read:0:',
      );
    }
  });

  it('of another origin does nothing', async () => {
    const id = await startOne();
    const before = await idsOf();
    await using tab = await openEvil();
    const paths = [`/simulator/attempts/${id}/replay`, '/simulator/import', '/simulator/reset'];
    for (const path of paths) {
      for (const type of ['application/json', 'text/plain']) {
        for (const mode of ['cors', 'no-cors']) {
          const asked = `fetch('${service.origin}${path}', { method: 'POST', mode: '${mode}',
            headers: { 'content-type': '${type}' }, body: '{}' })`;
          expect(await tab.page.evaluate(readBy(asked))).not.toMatch(/:20\d/);
        }
      }
    }
    expect(await idsOf()).toEqual(before);
  });

  it('of another origin writes nothing into a time line, at the provider’s address either', async () => {
    const id = await startOne();
    const line = `${service.origin}/simulator/attempts/${id}`;
    const area = `${service.origin}/stg/api`;
    const query = `?local=ar&locale=ar&requestId=${id}`;
    const before = await (await fetch(line)).text();
    await using tab = await openEvil();
    for (const [method, path] of [
      ['POST', 'v1/mfa/request'],
      ['GET', 'v2/oidc/session'],
    ] as const) {
      const body = method === 'GET' ? 'undefined' : '"{}"';
      const asked = `fetch('${area}/${path}${query}', { method: '${method}', mode: 'no-cors', body: ${body} })`;
      expect(await tab.page.evaluate(readBy(asked))).toBe('read:0:');
    }
    expect(await (await fetch(line)).text()).toBe(before);
  });

  it('can’t show it inside itself', async () => {
    await using tab = await openEvil(`<iframe src="${service.origin}/console"></iframe>`);
    const frame = tab.page.frames()[1];
    expect(await frame?.locator('#console').count()).toBe(0);
    expect(tab.complaints.join('\n')).toMatch(/frame-ancestors/);
  });

  it('an attempt from somebody else’s file is text, and asks no other origin', async () => {
    const markup = `<img src="${evilPage()}" onerror="globalThis.ran=1">`;
    const id = await startOne();
    const exported = await fetch(`${service.origin}/simulator/attempts/${id}/export`);
    const file = (await exported.text()).replaceAll(
      /"locale":"en"/g,
      `"locale":${JSON.stringify(markup)}`,
    );
    const taken = await fetch(`${service.origin}/simulator/import`, {
      method: 'POST',
      headers: JSON_TYPE,
      body: file,
    });
    const { data } = (await taken.json()) as { data: { id: string } };
    expect(taken.status).toBe(201);
    await using tab = await openTab(browser);
    const requested: string[] = [];
    tab.page.on('request', (request) => requested.push(request.url()));
    await tab.page.goto(`${service.origin}/console?locale=en#/attempts/${data.id}/1`);
    await tab.page.locator('.details').getByText('globalThis.ran=1').first().waitFor();
    expect(await tab.page.evaluate('globalThis.ran ?? null')).toBeNull();
    expect(requested.filter((address) => !address.startsWith(service.origin))).toEqual([]);
    expect(tab.complaints).toEqual([]);
  });

  it('has a policy without anything unsafe', async () => {
    const { headers } = await fetch(`${service.origin}/console`);
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/^default-src 'none'; script-src 'sha256-[^' ]+'; connect-src 'self';/);
    expect(policy).not.toMatch(/unsafe|\*/);
  });
});

describe('threat 67: files that are costly to read', () => {
  /** Times the cost of only parsing it. It is about 8 (2026-11-23). */
  const MOST = 30;
  const FILES = 8;
  /** As many members as fit into the largest file. */
  const MANY = `{${times(70_000)
    .map((n) => `"m${n}":0`)
    .join(',')}}`;

  it('are refused at little cost', async () => {
    const post = async () => {
      const url = `${service.origin}/simulator/import`;
      return (await fetch(url, { method: 'POST', headers: JSON_TYPE, body: MANY })).status;
    };
    await post();
    const before = await cpuSeconds(service.pid);
    // One after another: all at once, the last would wait longer than a request may take.
    const answers = await eachOf(times(FILES), post, 1);
    const spent = (await cpuSeconds(service.pid)) - before;
    expect(new Set(answers)).toEqual(new Set([422]));
    const parsing = ownCost(() => void times(FILES).map(() => JSON.parse(MANY) as unknown));
    expect(spent).toBeLessThan(MOST * parsing);
  });

  it('and a foreign page’s is refused before it is read', async () => {
    for (const foreign of [
      { origin: 'https://evil.example' },
      { 'sec-fetch-site': 'cross-site' },
    ]) {
      const head = { ...JSON_TYPE, ...foreign, 'content-length': '1000' };
      const path = '/simulator/import';
      const asked = send({ port: service.port, host: NAME, method: 'POST', path, headers: head });
      asked.flushHeaders();
      const [answer] = (await once(asked, 'response')) as [{ statusCode: number }];
      asked.on('error', () => undefined).destroy();
      expect(answer.statusCode).toBe(403);
    }
  });
});

describe('threat 68: a foreign page and the limits of replays', () => {
  it('fifty of its posts start nothing, and leave the next start its place', async () => {
    const id = await startOne();
    const before = await idsOf();
    await using tab = await openEvil();
    const address = `${service.origin}/simulator/attempts/${id}/replay`;
    const flood = `Promise.all(Array.from({ length: ${POSTS} }, () =>
      fetch('${address}', { method: 'POST', mode: 'no-cors', body: '{}' }).then(() => 'sent')))`;
    expect(await tab.page.evaluate(flood)).toHaveLength(POSTS);
    expect(await idsOf()).toEqual(before);
    await startOne();
  });
});
