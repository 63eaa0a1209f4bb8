import { expect, it } from 'vitest';
import { textUpTo } from './text-up-to.ts';

it('reads an answer of so many bytes, whose letters may be cut', async () => {
  const body = new ReadableStream({
    start(controller) {
      for (const byte of new TextEncoder().encode('مفتاح')) controller.enqueue(Uint8Array.of(byte));
      controller.close();
    },
  });
  expect(await textUpTo(new Response(body), 10)).toBe('مفتاح');
  expect(await textUpTo(new Response('مفتاح'), 9)).toBeNull();
  expect(await textUpTo(new Response(null), 0)).toBe('');
});

it('ends one without an end', async () => {
  let isOver = false;
  const body = new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(1024)),
    cancel: () => void (isOver = true),
  });
  expect(await textUpTo(new Response(body), 10_000)).toBeNull();
  expect(isOver).toBe(true);
});
