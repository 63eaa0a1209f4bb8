/** What stands behind the escapes of an address, which can itself be in another address. */

/** More than an address in another one needs. Each is a walk over the text. */
const MOST_DECODINGS = 7;
const ENCODED = /(?:%[\da-f]{2})+/gi;

export interface Decodings {
  /** The text itself, then decoded once, twice and so on. */
  readonly texts: readonly [string, ...string[]];
  /** False: escapes are left after all of them, so that nobody knows what the text says. */
  readonly isKnown: boolean;
}

/** The text and what it is after each decoding, as long as that changes it. */
export function decodingsOf(text: string): Decodings {
  const texts: [string, ...string[]] = [text];
  let last = text;
  for (let times = 0; times <= MOST_DECODINGS; times += 1) {
    const next = decoded(last);
    if (next === last) return { texts, isKnown: true };
    texts.push(next);
    last = next;
  }
  return { texts, isKnown: false };
}

/** Escapes that mean nothing are replaced by a sign of their own: they can't hide the others. */
function decoded(text: string): string {
  if (!text.includes('%')) return text;
  return text.replaceAll(ENCODED, (run) =>
    Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'),
  );
}
