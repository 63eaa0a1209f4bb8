import { describe, expect, it } from 'vitest';
import { OUTCOMES, outcomeId } from '@miftah/simulator/engine';
import { ATTEMPT_LIFETIME_MS } from '../../src/attempt/attempt.ts';
import { ERROR_CODES, ERROR_STATUS, isErrorCode } from '@miftah/contract/errors';
import { wordingOf } from '../../src/errors/wording.ts';
import { SECOND_MS } from '../../src/values/time.ts';
import { createMemoryStore } from '../../src/store/index.ts';
import { BASE, openTestService, type TestService } from '../support/service/test-service.ts';
import { codeRows, codesOf, readDocument } from './documents.ts';

const text = readDocument('docs/api.md');
const inMemory = { parts: { openStore: async () => createMemoryStore() } };

describe('docs/api.md', () => {
  it('has a section for each operation of the API, and for no other', async () => {
    const { app } = await openTestService(inMemory);
    const { paths } = (await app.inject('/openapi.json')).json<{ paths: Record<string, object> }>();
    const served = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(BASE, '')}`),
    );
    expect(documentedOperations().toSorted()).toEqual(served.toSorted());
  });
});

/** A heading may name two operations. */
function documentedOperations(): readonly string[] {
  const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, heading = '']) => heading);
  const operations = headings.flatMap((heading) => [
    ...heading.matchAll(/(?:GET|POST|DELETE) \/[\w/{}-]+\b\}?/g),
  ]);
  return operations.map(([operation]) => operation);
}

describe('the reserved numbers of docs/api.md', () => {
  const rows = codeRows(text).filter(([first = '']) => /^`19\d{8}`$/.test(first));

  it('are those of the simulator', () => {
    const documented = rows.flatMap(([number = '']) => codesOf(number));
    expect(documented).toEqual(OUTCOMES.map((outcome) => outcomeId(outcome.number)));
  });

  it.each(rows)('%s %s: %s', async (number, _, seen = '') => {
    const service = await openTestService(inMemory);
    const answer = await service.post('/start', { national_id: codesOf(number)[0], locale: 'en' });
    const [first = '', ...others] = codesOf(seen);
    if (isErrorCode(first)) {
      expect(answer.json()).toMatchObject({ code: first, status: ERROR_STATUS[first] });
      expect(seen).toContain(String(ERROR_STATUS[first]));
    } else {
      const statuses = await watchAttempt(service, answer.json<Started>());
      expect(statuses.slice(0, 1 + others.length)).toEqual([first, ...others]);
    }
  });
});

type Status = { status: string; message: string | null };

function codeOf(message: string | null): string {
  return ERROR_CODES.find((code) => wordingOf(code, 'en').message === message) ?? 'no code';
}

type Started = { data: { attempt_id: string; attempt_token: string } };

const MOMENTS_MS = [0, 3 * SECOND_MS, ATTEMPT_LIFETIME_MS - 1, ATTEMPT_LIFETIME_MS];

/** The statuses of an attempt in order, each once, and the reason if it has failed. */
async function watchAttempt(service: TestService, { data }: Started): Promise<string[]> {
  const headers = { 'x-provider-attempt-token': data.attempt_token };
  const statuses = new Set<string>();
  let passed = 0;
  for (const moment of MOMENTS_MS) {
    service.clock.advance(moment - passed);
    passed = moment;
    const answer = await service.get(`/status/${data.attempt_id}`, headers);
    const { status, message } = answer.json<{ data: Status }>().data;
    statuses.add(status);
    if (status === 'failed') statuses.add(codeOf(message));
  }
  return [...statuses];
}
