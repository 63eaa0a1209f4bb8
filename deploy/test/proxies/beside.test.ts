import { readFileSync, renameSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { root } from '../../../scripts/run.mjs';
import { certify } from '../../../service/test/support/certificate.ts';
import { LiveClient } from '../../../service/test/support/live/live-client.ts';
import { logIn } from '../../../service/test/support/live/live-login.ts';
import { BANK_KEY } from '../../../service/test/support/live/rehearsal.ts';
import { fetchThrough } from '../support/proxies/ask.ts';
import { openInstance } from '../support/proxies/instance.ts';
import { HOST, kindOf, type Places } from '../support/proxies/kinds.ts';
import { openProxy, type Proxy } from '../support/proxies/open-proxy.ts';
import { hasProxies, ORIGIN, shareScene } from '../support/proxies/scene.ts';

/** docs/reverse-proxy.md, "Beside another site": its lines of nginx, and what it warns of. */

const SHOP = 'shop.example.com';
const scene = shareScene();
const bank = () => new LiveClient({ service: { origin: ORIGIN } }, BANK_KEY);

/** Whoever wants the service below a path of the site would write this, with either name. */
const pathFor = (host: string) => `
    location /login/ {
      proxy_pass http://miftah/;
      proxy_set_header Host ${host};
    }
    location / {`;

function linesOfThePage(): string {
  const page = readFileSync(join(root, 'docs/reverse-proxy.md'), 'utf8');
  const [, lines = ''] = /## Beside another site\n[^#]*```nginx\n([^`]*)```/.exec(page) ?? [];
  return lines;
}

async function open(change = (lines: string) => lines) {
  const shop = await openInstance(onTestFinished);
  const nginx = kindOf('nginx');
  const render = (places: Places) => {
    const { certificateFile } = certify(places.folder, 'shop', SHOP);
    renameSync(certificateFile, join(places.folder, 'shop.pem'));
    const lines = change(linesOfThePage())
      .replaceAll('listen 80', `listen 127.0.0.1:${places.httpPort}`)
      .replaceAll('listen 443', `listen 127.0.0.1:${places.httpsPort}`)
      .replaceAll('listen [::]:80', `listen [::1]:${places.httpPort}`)
      .replaceAll('listen [::]:443', `listen [::1]:${places.httpsPort}`)
      .replaceAll('/etc/miftah-proxy', places.folder)
      .replace('127.0.0.1:8080', `127.0.0.1:${shop.port}`);
    return nginx.render(places).replace(/\}\s*$/, `${lines}}\n`);
  };
  const { rehearsal } = scene('nginx');
  const proxy = await openProxy({ ...nginx, render }, [rehearsal.plan.servicePort], onTestFinished);
  return { shop, proxy };
}

interface Sent {
  /** Posted as from a page of this origin. */
  readonly form: string;
  readonly origin: string;
}

async function ask({ httpsPort }: Proxy, host: string, path: string, posted?: Sent) {
  const sent = request({
    host: '127.0.0.1',
    port: httpsPort,
    servername: host,
    rejectUnauthorized: false,
    agent: false,
    path,
    method: posted === undefined ? 'GET' : 'POST',
    headers: {
      host,
      ...(posted === undefined
        ? {}
        : {
            origin: posted.origin,
            'content-type': 'application/x-www-form-urlencoded',
            'content-length': posted.form.length,
          }),
    },
  });
  sent.end(posted?.form);
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    sent.once('error', reject).once('response', resolve);
  });
  return { status: answer.statusCode, headers: answer.headers, body: await text(answer) };
}

const both = hasProxies ? [SHOP] : [];

test.each(both)('one nginx has %s and the service, each with its own name', async (name) => {
  const { shop, proxy } = await open();
  expect((await ask(proxy, name, '/basket')).status).toBe(200);
  expect(shop.received).toMatchObject([{ url: '/basket', headers: { host: name } }]);
  expect((await ask(proxy, name, '/readyz')).body).toBe('{}');
  expect((await ask(proxy, HOST, '/readyz')).body).toBe('{"status":"ready"}');
  const plain = await fetch(`http://127.0.0.1:${proxy.httpPort}/`, { redirect: 'manual' });
  expect(plain.headers.get('location')).toBe(`${ORIGIN}/`);
  vi.stubGlobal('fetch', fetchThrough(proxy));
  expect(await logIn(bank())).toMatch(/^mft_test_/);
});

test.each(both)('nobody signs in below a path of %s', async (name) => {
  vi.stubGlobal('fetch', fetchThrough(scene('nginx').proxy));
  const { authorization_url: launch } = await bank().startRedirect();
  const path = `/login${launch.slice(ORIGIN.length)}`;

  const honest = await open((lines) => lines.replace('location / {', pathFor('$host')));
  expect((await ask(honest.proxy, name, path)).status).toBe(421);

  // Even where the proxy hides its name, the page's form has to come from the service's own origin.
  const hidden = await open((lines) => lines.replace('location / {', pathFor(HOST)));
  const page = await ask(hidden.proxy, name, path);
  expect(page.status).toBe(200);
  const fields = [...page.body.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)];
  const form = new URLSearchParams(
    fields.map(([, field = '', value = '']) => [field, value]),
  ).toString();
  const action = /<form[^>]* action="https:\/\/[^/"]*([^"]*)"/.exec(page.body)?.[1] ?? '';
  const from = (origin: string) => ({ form, origin });
  const sent = await ask(hidden.proxy, name, `/login${action}`, from(`https://${name}`));
  expect(sent.status).toBe(403);
  expect(sent.headers).not.toHaveProperty('set-cookie');
  // The same form from the service's own page, so that nothing else about it was wrong.
  const own = await ask(hidden.proxy, HOST, action, from(ORIGIN));
  expect(own.headers['set-cookie']?.[0]).toMatch(/^__Host-miftah_/);
});
