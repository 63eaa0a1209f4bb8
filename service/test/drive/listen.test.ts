import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SystemClock } from '../../src/platform/runtime.ts';
import { readDocument, sectionOf } from '../docs/documents.ts';
import { share, temporaryFolder, type AtEnd } from '../support/at-end.ts';
import { drive, type Listening, type Ran } from '../support/drive/drive.ts';
import { plainReceiver } from '../support/outbound/receiver.ts';
import { webhookReceiver } from '../support/outbound/webhook-receiver.ts';
import { findFreePort } from '../support/programs/service-process.ts';
import { cancel, startPhone } from '../support/service/login.ts';
import { openTestService } from '../support/service/test-service.ts';

/** `miftah listen`: webhooks as they are sent, for whoever develops an application. */

/** At the time of the machine: a receiver compares that of a signature with its own. */
async function open(port: number, atEnd: AtEnd = onTestFinished): Promise<Listening> {
  const clock = new SystemClock();
  const settings = { RATE_LIMITS: 'off', PORT: String(port), OPENID: 'on' };
  const parts = { clock, timekeeper: clock };
  const service = await openTestService({ settings, parts, atEnd });
  await service.app.listen({ port, host: '127.0.0.1' });
  return { service, origin: `http://127.0.0.1:${port}` };
}

const instance = share(async (atEnd) => open(await findFreePort(), atEnd));
const page = sectionOf(readDocument('docs/webhooks.md'), 'On your machine');
const [, SECRET = ''] = /WEBHOOK_SECRET=(\S+)/.exec(page) ?? [];

interface Shown {
  readonly type: string;
  readonly data: { readonly attempt_id: string };
  readonly answer: string | null;
}

/** Listens until the end of `while`. */
async function listening(
  args: readonly string[],
  during: (shown: () => Shown | null) => Promise<void>,
  origin = instance().origin,
): Promise<Ran> {
  const ending = new AbortController();
  let isReady = false;
  const err = { write: (text: string) => void (isReady ||= text.startsWith('Listens to')) };
  let printed = '';
  const out = { write: (text: string) => void (printed += text) };
  const ran = drive(origin, ['listen', ...args], { context: { stop: ending.signal, err, out } });
  await expect.poll(() => isReady).toBe(true);
  await during(() => (printed === '' ? null : (JSON.parse(printed) as Shown)));
  ending.abort();
  return ran;
}

async function cancelOne(): Promise<string> {
  const started = await startPhone(instance().service);
  await cancel(instance().service, started);
  return started.attempt_id;
}

const receiver = () => webhookReceiver(onTestFinished, SECRET);

describe('miftah listen', () => {
  it('forwards each from then on to the receiver of the document, until Ctrl-C', async () => {
    await cancelOne();
    const port = await findFreePort();
    const [, code = ''] = /```js\n([^]*?)```/.exec(page) ?? [];
    const program = join(temporaryFolder('receiver'), 'receiver.mjs');
    const library = JSON.stringify(import.meta.resolve('standardwebhooks'));
    writeFileSync(program, code.replace("'standardwebhooks'", library).replace('8080', `${port}`));
    const child = spawn(process.execPath, [program], { env: { WEBHOOK_SECRET: SECRET } });
    onTestFinished(() => void child.kill());
    let printed = '';
    child.stdout.on('data', (text: Buffer) => (printed += text.toString()));
    const address = `http://127.0.0.1:${port}/hook`;
    const isUp = () => fetch(address, { method: 'POST' }).then(({ status }) => status);
    await expect.poll(() => isUp().catch(() => null), { timeout: 20_000 }).toBe(400);
    const ran = await listening(['--forward-to', address], async (shown) => {
      const id = await cancelOne();
      await expect.poll(() => shown()?.answer, { timeout: 20_000 }).toBe('204');
      expect(shown()).toMatchObject({ type: 'attempt.rejected', data: { attempt_id: id } });
      expect(printed).toBe(`attempt.rejected ${id}\n`);
    });
    expect(ran.code).toBe(0);
  });

  it('shows what the receiver has answered, also a redirect, and that it has not', async () => {
    const hook = await receiver();
    const elsewhere = await receiver();
    hook.answer = () => (answer) =>
      void answer.writeHead(307, { location: elsewhere.url }).end('somewhere else');
    await listening(['--forward-to', hook.url], async (shown) => {
      await cancelOne();
      await expect.poll(() => shown()?.answer).toBe('307');
    });
    expect([hook.arrived.length, elsewhere.arrived.length]).toEqual([1, 0]);
    const cut = await plainReceiver((request) => request.socket.destroy(), onTestFinished);
    await listening(['--forward-to', `http://127.0.0.1:${cut.port}/`], async (shown) => {
      await cancelOne();
      await expect.poll(() => shown()?.answer).toMatch(/^no answer \(\w+\)$/);
    });
  });

  it('prints what would be sent, of one application alone', async () => {
    let found = '';
    const out = { write: (text: string) => void (found += text) };
    const ending = new AbortController();
    const run = (client: string) =>
      drive(instance().origin, ['listen', '--print', '--client', client, '--json'], {
        context: { stop: ending.signal, out },
      });
    const both = [run('demo'), run('simulator')];
    // Whoever listens from now on hears it: a call that waits is one that listens.
    await expect
      .poll(async () => {
        if (found === '') await cancelOne();
        return found;
      })
      .toContain('webhook-signature');
    ending.abort();
    for (const { code } of await Promise.all(both)) expect(code).toBe(0);
    expect(found).not.toContain('"client":"demo"');
    expect(JSON.parse(found.split('\n')[0] ?? '')).toMatchObject({
      client: 'simulator',
      headers: { 'content-type': 'application/json' },
      answer: null,
    });
  });

  it.each([
    ['simulatr', 'Did you mean simulator?'],
    ['nobody', 'Those that are there: simulator, demo'],
  ])('says that no client has the id %s', async (client, remedy) => {
    const ran = await drive(instance().origin, ['listen', '--client', client, '--for', '4']);
    expect(ran).toMatchObject({ code: 1, out: '' });
    expect(ran.err).toContain(
      `miftah: command.unknown_client: No client has the id ${client}.\n  ${remedy}`,
    );
  });

  it('goes on with an instance that is started anew', async () => {
    const port = await findFreePort();
    const { service: first, origin } = await open(port);
    const hook = await receiver();
    await listening(
      ['--forward-to', hook.url],
      async () => {
        await cancel(first, await startPhone(first));
        await expect.poll(() => hook.told.length).toBe(1);
        await first.close();
        const { service: second } = await open(port);
        await expect
          .poll(
            async () => {
              await cancel(second, await startPhone(second));
              return hook.told.length;
            },
            { timeout: 30_000 },
          )
          .toBeGreaterThan(1);
      },
      origin,
    );
    expect(hook.forged()).toBe(0);
  });

  it.each([
    ['http://192.168.0.7/hook', 'It is an address of this machine'],
    ['https://shop.example.com/hook', 'It is an address of this machine'],
    ['http://127.0.0.1.example.com/', 'It is an address of this machine'],
    ['http://localhost@example.com/', 'It is an address of this machine'],
    ['http://shop:secret@127.0.0.1/', 'It has no user and no password'],
    ['ftp://127.0.0.1/', 'It is an address such as'],
    ['8080', 'It is an address such as'],
  ])('forwards nothing to %s', async (address, says) => {
    const ran = await drive(instance().origin, ['listen', '--for', '0', '--forward-to', address]);
    expect(ran).toMatchObject({ code: 2, sent: [] });
    expect(ran.err).toContain(says);
  });
});
