import { MOST_DEPTH, type Entry, type Message } from './entry.ts';

/** How many characters an entry keeps in memory. */
export function textsIn({ exchange }: Entry): number {
  if (exchange === null) return 0;
  const { path, request, response } = exchange;
  return path.length + charactersOf(request) + charactersOf(response);
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

/** Of a deeper body the rest is not counted: the size of bodies is bounded where they are read. */
function charactersIn(value: unknown, depth = 0): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null || depth >= MOST_DEPTH) return 0;
  let characters = 0;
  for (const [name, member] of Object.entries(value)) {
    characters += name.length + charactersIn(member, depth + 1);
  }
  return characters;
}
