import { relayEvents, type Attempt } from '@miftah/client';
import { describe, expect, test } from 'vitest';
import { clientOf } from '../support/client/client-for-test.ts';
import { shareListeningService } from '../support/service/listening-service.ts';
import { openMeddler } from '../support/client/meddler.ts';
import { decideOnPhone } from '../support/client/person.ts';
import { AMAL } from '../support/service/login.ts';

const service = shareListeningService();

function eventsIn(text: string): readonly string[] {
  return [...text.matchAll(/event: (\w+)\nid: (\d)\ndata: (.+)\n/g)].map(([, name, id, data]) => {
    const { status, code } = JSON.parse(data ?? '{}') as { status?: string; code?: string };
    return `${name} ${id} ${status ?? code}`;
  });
}

/** Reads until the first event, then lets `act` happen, then reads to the end. */
async function relayed(attempt: Attempt, act: () => Promise<void>): Promise<string> {
  const { body } = relayEvents(attempt);
  let text = '';
  let hasActed = false;
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    if (hasActed || !text.includes('event:')) continue;
    hasActed = true;
    await act();
  }
  return text;
}

describe('C-17 a relayed stream', () => {
  test('tells a page how it goes, and neither the token nor the person', async () => {
    const attempt = await clientOf(service()).start({ locale: 'en', nationalId: AMAL });
    const text = await relayed(attempt, () => decideOnPhone(service(), attempt));
    expect(eventsIn(text)).toEqual(['status 1 pending', 'status 2 authenticated']);
    expect(text).not.toContain(attempt.token);
    expect(text).not.toContain(AMAL);
    expect(relayEvents(attempt).headers.get('content-type')).toMatch(/^text\/event-stream/);
  });

  test('comes also where the streams of the service do not come through', async () => {
    const meddler = await openMeddler(service(), (asked) =>
      asked.endsWith('/events') ? { status: 404, body: 'nothing' } : 'pass',
    );
    const attempt = await clientOf(meddler).start({ locale: 'en', nationalId: '1900000002' });
    const text = await relayed(attempt, async () => undefined);
    expect(eventsIn(text).at(-1)).toBe('status 2 authenticated');
  });

  test('is 204 for a page that has seen the end', async () => {
    const attempt = await clientOf(service()).start({ locale: 'en' });
    expect(relayEvents(attempt, { lastEventId: '2' }).status).toBe(204);
  });

  test('says why it can not go on', async () => {
    const client = clientOf(service());
    const kept = JSON.parse((await client.start({ locale: 'en' })).export()) as object;
    const foreign = client.resume(JSON.stringify({ ...kept, token: 'x'.repeat(64) }));
    const text = await relayed(foreign, async () => undefined);
    expect(eventsIn(text)).toEqual(['failure 2 attempt.not_found']);
  });

  test('ends with its page: nothing more is asked', async () => {
    const signals: (AbortSignal | null | undefined)[] = [];
    const own: typeof fetch = (address, init) => {
      signals.push(init?.signal);
      return fetch(address, init);
    };
    const attempt = await clientOf(service(), { fetch: own }).start({ locale: 'en' });
    const reader = relayEvents(attempt).body?.getReader();
    await expect.poll(() => signals).toHaveLength(2);
    await reader?.cancel();
    await expect.poll(() => signals[1]?.aborted).toBe(true);
    expect(signals).toHaveLength(2);
  });
});
