/** GET /simulator/attempts/{id}/export: a file that an import takes, whatever happened. */
import { expect, it } from 'vitest';
import { Journal, JOURNAL_LIMITS } from '../src/journal/journal.ts';
import { IMPORT_LIMIT_BYTES } from '../src/http/bodies.ts';
import { decisionCall, makeApp, pushCall } from './support/apps.ts';
import { AMAL, REQUEST_ID } from './support/engines.ts';
import { call } from './support/time-line.ts';

interface File {
  readonly data: {
    readonly entries: readonly {
      readonly name: string;
      readonly exchange: { readonly response: { readonly body: unknown } } | null;
    }[];
    readonly left_out: number;
  };
}

const headersOf = (characters: number) =>
  Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`h${at}`, 'ض'.repeat(characters)]));

/** Its file, and the time line after an import elsewhere. */
async function exportOf(record: (journal: Journal) => void) {
  const journal = new Journal();
  const { app, engine } = makeApp({ journal });
  await app.inject(pushCall({ nationalId: AMAL, service: 'Login' }));
  record(journal);
  const [prompt] = engine.prompts();
  await app.inject(decisionCall(prompt?.id ?? '', { decision: 'approve' }));
  const answer = await app.inject(`/simulator/attempts/${REQUEST_ID}/export`);
  const url = '/simulator/import';
  const taken = await makeApp().app.inject({ method: 'POST', url, payload: answer.json<File>() });
  expect(taken.statusCode, taken.body).toBe(201);
  expect(Buffer.byteLength(answer.body)).toBeLessThanOrEqual(IMPORT_LIMIT_BYTES);
  return answer.json<File>().data;
}

it('a time line with long answers is exported without the longest of them', async () => {
  const { entries, left_out: leftOut } = await exportOf((journal) => {
    const long = 'ض'.repeat(60_000);
    for (let count = 0; count < JOURNAL_LIMITS.entries; count += 1) {
      const answer = count === 20 ? { short: 'kept' } : long;
      journal.record(REQUEST_ID, 'default', call(count, 'readStatus', { answer }));
    }
  });
  const bodies = entries.map(({ exchange }) => exchange?.response.body ?? null);
  expect([entries.length, leftOut]).toEqual([JOURNAL_LIMITS.entries, 3]);
  expect(bodies).toContain('[60000 characters]');
  expect(bodies).toContainEqual({ short: 'kept' });
  expect(bodies.filter((body) => body === 'ض'.repeat(60_000)).length).toBeGreaterThan(5);
});

it('a time line that is too long without bodies is exported without its middle', async () => {
  const { entries, left_out: leftOut } = await exportOf((journal) => {
    for (let count = 0; count < JOURNAL_LIMITS.entries; count += 1) {
      const headers = headersOf(1024);
      journal.record(REQUEST_ID, 'default', call(count, 'readStatus', { headers }));
    }
  });
  expect(entries.length).toBeLessThan(JOURNAL_LIMITS.entries);
  expect(leftOut).toBe(JOURNAL_LIMITS.entries + 3 - entries.length);
  const names = entries.map(({ name }) => name);
  expect([names[0], ...names.slice(-2)]).toEqual(['readStatus', 'prompt', 'decision']);
});

it('a code that is no code of anybody is not in the way', async () => {
  // Without a space it would be masked as a token.
  const answer = { code: 'not a code '.repeat(100) };
  const { entries } = await exportOf((journal) =>
    journal.record(REQUEST_ID, 'default', call(1, 'readStatus', { status: 500, answer })),
  );
  expect(entries[0]?.exchange).toMatchObject({ code: null, response: { body: answer } });
});
