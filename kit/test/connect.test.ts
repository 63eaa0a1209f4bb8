import { afterEach, expect, it, vi } from 'vitest';
import { connectMiftah } from '../src/index.ts';
import { share } from './support/instances.ts';

/** Which address `connectMiftah` takes, and what it says about answers that are none. */

const ORIGIN = 'http://127.0.0.1:1';
const miftah = share(false);
const strict = share(true);

afterEach(() => {
  vi.unstubAllGlobals();
});

function answering(body: BodyInit, status = 200): void {
  vi.stubGlobal('fetch', () => Promise.resolve(new Response(body, { status })));
}

it('an address of the API names the scope', async () => {
  const { url } = miftah();
  const byAddress = await connectMiftah(`${url}/scopes/left/api/v1`);
  const byOption = await connectMiftah(url, { scope: 'left' });
  const plain = await connectMiftah(`${url}/api/v1`);
  const { nationalId } = byOption.people.amal;
  const attempt = await byOption.client().start({ locale: 'en', nationalId });
  expect(await byAddress.phone.prompts()).toMatchObject([{ attemptId: attempt.id }]);
  expect(await plain.phone.prompts()).toEqual([]);
  await byAddress.phone.approve();
  await connectMiftah(`${url}/scopes/left/api/v1`, { scope: 'left' });
});

it('a strict instance knows its client by the public key', async () => {
  const connected = await connectMiftah(strict().url, { scope: 'left' });
  await expect(connected.client().start({ locale: 'en' })).resolves.toMatchObject({ flow: 'oidc' });
});

it('a test with a simulated page starts without a key', async () => {
  vi.stubGlobal('document', {});
  const connected = await connectMiftah(miftah().url);
  await expect(connected.client().start({ locale: 'en' })).resolves.toMatchObject({ flow: 'oidc' });
});

it.each([
  ['/scopes/left/api/v1', { scope: 'right' }, /names the scope "left", and .* "right": say one/],
  ['/scopes/Not%20one/api/v1', {}, /\/scopes\/NAME\/api\/v1/],
  ['/elsewhere', {}, /takes the origin of an instance/],
])('%s with %o is refused', async (path, options, says) => {
  const failed = connectMiftah(ORIGIN + path, options);
  await expect(failed).rejects.toThrow(TypeError);
  await expect(failed).rejects.toThrow(says);
});

it.each([
  ['live', 'route.not_found', 'runs in live mode, and a live service has no simulator'],
  ['rehearsal', 'route.not_found', 'is a rehearsal: a service that calls a simulator elsewhere'],
  [
    'rehearsal',
    'request.misdirected',
    'is a rehearsal: a service that calls a simulator elsewhere',
  ],
])('a service in %s mode is told apart from a wrong address: %s', async (mode, code, says) => {
  const body = JSON.stringify({ code, message: 'There is nothing here.' });
  const headers = { 'x-auth-mode': mode };
  vi.stubGlobal('fetch', async () => new Response(body, { status: 404, headers }));
  await expect(connectMiftah(ORIGIN)).rejects.toThrow(`${ORIGIN} ${says}`);
});

it('an answer without an end is not read to its end', async () => {
  const part = new Uint8Array(1024 * 1024).fill(32);
  let left = false;
  const spring = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(part),
    cancel: () => void (left = true),
  });
  answering(spring);
  await expect(connectMiftah(ORIGIN)).rejects.toThrow(`${ORIGIN} has more than 32 MB.`);
  expect(left).toBe(true);
});

it('an answer that hangs ends with the time limit of the call', async () => {
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(AbortSignal.abort());
  await expect(connectMiftah(ORIGIN)).rejects.toThrow(`No Miftah answers at ${ORIGIN}`);
  expect(timeout).toHaveBeenCalledWith(40_000);
  timeout.mockRestore();
  const late = new DOMException('late', 'TimeoutError');
  answering(new ReadableStream({ pull: (controller) => controller.error(late) }));
  await expect(connectMiftah(ORIGIN)).rejects.toThrow(`${ORIGIN} has not answered in 40 s.`);
});

it('an error that is none of Miftah is not repeated', async () => {
  answering('{"code":{"a":1},"message":null}', 500);
  await expect(connectMiftah(ORIGIN)).rejects.toThrow(`${ORIGIN} is no Miftah with a simulator`);
});
