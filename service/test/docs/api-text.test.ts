import { EXAMPLES } from '@miftah/contract/examples';
import { describe, expect, it } from 'vitest';
import { RATE_POLICIES } from '../../src/values/limits.ts';
import { readDocument, sectionOf } from './documents.ts';

/** What of docs/api.md is compared with the sources alone: api-doc.test.ts asks a service. */

const text = readDocument('docs/api.md');
const ROW = /^\|[^|]+\| `([\w-]+)` +\| (\d+)(?: in all)? +\|/gm;

it('docs/api.md gives each rate limit that is counted, by the name of its policy', () => {
  const rows = sectionOf(text, 'What holds everywhere');
  const documented = [...rows.matchAll(ROW)].map(([, name, quota]) => `${name} ${quota}`);
  const counted = Object.values(RATE_POLICIES).map(({ name, quota }) => `${name} ${quota}`);
  expect(documented.toSorted()).toEqual(counted.toSorted());
});

describe('the answers of docs/api.md', () => {
  const blocks = [...text.matchAll(/^```json\n([^`]+)^```$/gm)].map(([, json = '']) => json);
  const documented = blocks.map((json) => namesIn(JSON.parse(json)));
  // In words only: `client_id` of a token's user, and what is said of a token that is not valid.
  const { client_id: _, ...user } = EXAMPLES.readUser[0]?.answer?.data ?? {};
  const [introspected] = EXAMPLES.introspectToken;
  const written = { ...EXAMPLES, readUser: [{ answer: user }], introspectToken: [introspected] };
  const answers = Object.entries(written).flatMap(([operation, examples]) =>
    examples.map((example) => [operation, namesIn(example?.answer)] as const),
  );

  it.each(answers)('%s has the members of the contract: %s', (operation, names) => {
    expect(documented, operation).toContainEqual(names);
  });
});

/** The names of the members of an answer, or of what its `data` has. */
function namesIn(answer: unknown): readonly string[] {
  if (Array.isArray(answer)) return namesIn(answer[0]);
  const all = Object.entries(answer as Readonly<Record<string, unknown>>);
  const inside = all.find(([name]) => name === 'data');
  const names = inside === undefined ? all.map(([name]) => name) : namesIn(inside[1]);
  return [...names].toSorted();
}
