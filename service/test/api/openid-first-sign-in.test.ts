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
  const own = code.replaceAll('http://127.0.0.1:3000', origin).replaceAll('4000', String(port));
  const program = spawn(process.execPath, [moduleOf(own, ['openid-client'])], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void program.kill());
  const [address] = (await once(createInterface(program.stdout), 'line')) as [string];
  const browser = openidBrowser();
  const page = await browser.follow(await browser.open(address));
  const signIn = await browser.follow(await browser.press(page));
  let visit = await browser.press(signIn, { decision: 'approve', person: 'amal' });
  while (visit.location?.origin === origin) visit = await browser.open(visit.location);
  const answer = await fetch(String(visit.location));
  expect(await answer.json()).toMatchObject({ given_name: 'Amal' });
});
