import type { Entry, Message } from './entry.ts';

/** How many characters an entry keeps in memory. */
export function textsIn({ exchange }: Entry): number {
  if (exchange === null) return 0;
  const { path, request, response } = exchange;
  return path.length + charactersOf(request) + charactersOf(response);
}

/** The entry as it can be kept, and its characters: one that is too long is without its bodies. */
export function kept(given: Entry, mostCharacters: number): { entry: Entry; texts: number } {
  const texts = textsIn(given);
  if (texts <= mostCharacters) return { entry: given, texts };
  const entry = withoutBodies(given);
  return { entry, texts: textsIn(entry) };
}

/** For an entry that is too long to be kept whole. */
export function withoutBodies(entry: Entry): Entry {
  const { exchange } = entry;
  if (exchange === null) return entry;
  const { request, response } = exchange;
  return {
    ...entry,
    exchange: { ...exchange, request: withoutBody(request), response: withoutBody(response) },
  };
}

function withoutBody({ headers, body }: Message): Message {
  return { headers, body: body === null ? null : `[${charactersIn(body)} characters]` };
}

function charactersOf({ headers, body }: Message): number {
  let characters = charactersIn(body);
  // Without pairs: every request waits for this.
  for (const name of Object.keys(headers)) characters += name.length + (headers[name]?.length ?? 0);
  return characters;
}

/** What a value needs besides its text: an empty object has a place too. */
const VALUE_CHARACTERS = 32;

function charactersIn(body: unknown): number {
  if (typeof body === 'string') return body.length;
  if (body === null) return 0;
  let characters = 0;
  for (const { name, value } of valuesIn(body)) {
    characters += VALUE_CHARACTERS + name.length + (typeof value === 'string' ? value.length : 0);
  }
  return characters;
}

/** Of a file: one value for each 20 bytes of the largest. */
export const MOST_VALUES = 50_000;

/** How many values there are in one, at any depth; counted up to one more than the most. */
export function countValues(body: unknown, most: number): number {
  let count = 0;
  for (const _ of valuesIn(body)) {
    count += 1;
    if (count > most) break;
  }
  return count;
}

interface Named {
  readonly name: string;
  readonly value: unknown;
}

/** Without recursion: a file can be deeper than any program can call. */
function* valuesIn(body: unknown): Generator<Named> {
  const waiting: Named[] = [{ name: '', value: body }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    yield next;
    const { value } = next;
    if (typeof value !== 'object' || value === null) continue;
    for (const [name, member] of Object.entries(value)) waiting.push({ name, value: member });
  }
}
