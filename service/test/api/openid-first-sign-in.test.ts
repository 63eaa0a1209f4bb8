import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { moduleOf, snippetsOf } from '../support/client/snippets.ts';
import { openidBrowser, openOpenid } from '../support/openid/openid-scene.ts';
import { findFreePort } from '../support/programs/service-process.ts';

it('the lines of docs/openid.md sign somebody in at the client demo-web', async () => {
  const { origin } = await openOpenid(onTestFinished);
  const port = await findFreePort();
  const [code = ''] = snippetsOf('docs/openid.md', 'js');
  expect(code).toContain("from 'openid-client'");
  // A program with a public secret, whose port is not the one of the simulator by itself.
  expect(code).toContain(".listen(8080, '127.0.0.1')");
  const own = code.replaceAll('http://127.0.0.1:3000', origin).replaceAll('8080', String(port));
  const program = spawn(process.execPath, [moduleOf(own, ['openid-client'])], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void program.kill());
  const [address] = (await once(createInterface(program.stdout), 'line')) as [string];
  const signIn = async (decision: string) => {
    const browser = openidBrowser();
    const page = await browser.follow(await browser.open(address));
    const asked = await browser.follow(await browser.press(page));
    let visit = await browser.press(asked, { decision, person: 'hanae' });
    while (visit.location?.origin === origin) visit = await browser.open(visit.location);
    return String(visit.location);
  };
  const refused = await fetch(await signIn('refuse'));
  const told = {
    error: 'access_denied',
    error_description: 'the person has refused, or can not sign in',
  };
  expect([refused.status, await refused.json()]).toEqual([403, told]);
  expect((await fetch(`http://127.0.0.1:${port}/favicon.ico`)).status).toBe(404);
  const back = await signIn('approve');
  const answer = await fetch(back);
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(await answer.json()).toMatchObject({ given_name: 'Hanae', 'given_name#ar': 'هناء' });
  const reloaded = await fetch(back);
  const used = { error: 'invalid_grant', error_description: expect.any(String) as string };
  expect([reloaded.status, await reloaded.json()]).toEqual([403, used]);
  // It has outlived all of them.
  expect((await fetch(`http://127.0.0.1:${port}//`)).status).toBe(404);
});

/** What a line of the document sends: the address, who, and the form. */
function sentBy(line: string, origin: string) {
  const [, path = ''] = /127\.0\.0\.1:3000(\/\S+)/.exec(line) ?? [];
  const [, who = ''] = /-u (\S+)/.exec(line) ?? [];
  const fields = [...line.matchAll(/-d (\S+?)=(\S+)/g)];
  const form = new URLSearchParams(fields.map(([, name = '', value = '']) => [name, value]));
  const headers = { authorization: `Basic ${btoa(who)}` };
  return fetch(origin + path, { method: 'POST', headers, body: form });
}

it('the curl lines of docs/openid.md are taken as they stand there', async () => {
  const { origin } = await openOpenid(onTestFinished);
  // Those of a simulation: what is of live mode is run there.
  const lines = snippetsOf('docs/openid.md', 'sh').filter(
    (line) => line.includes(' -d ') && line.includes('//127.0.0.1:3000/'),
  );
  const answers = await Promise.all(lines.map(async (line) => sentBy(line, origin)));
  const said = await Promise.all(
    answers.map(async (answer) => JSON.stringify(await answer.json())),
  );
  expect(said.map((text) => /request_uri|binding_message|"error":"\w+"/.exec(text)?.[0])).toEqual([
    'request_uri',
    'binding_message',
    // Of `auth_req_id=...`.
    '"error":"invalid_grant"',
  ]);
});
