import { expect, it } from 'vitest';
import { WebhookListeners } from './listen.flow.ts';

it('many webhooks of one scope take away none of another, and the oldest of their own', () => {
  const listeners = new WebhookListeners({ now: () => 0 });
  const hear = (scope: string) =>
    listeners.hear({ scope, client: 'shop', headers: {}, body: '{}' });
  hear('quiet');
  for (let count = 0; count < 2050; count += 1) hear('flood');
  expect(listeners.after('quiet', 0)).toHaveLength(1);
  const flood = listeners.after('flood', 0);
  expect([flood.length, flood.at(-1)?.number]).toEqual([1999, listeners.last()]);
});
