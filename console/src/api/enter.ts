import { addressCode } from '../platform/address-code.ts';

/** What became of the code in the page's address. `later`: after too many wrong codes. */
export type Entered = 'none' | 'in' | 'refused' | 'later';

let untried = addressCode;
let entering: Promise<Entered> | null = null;

/**
 * Exchanges the code of the page's address for the cookie of a session, once for the page. Without
 * an answer the next call sends it again.
 */
export function enterByCode(): Promise<Entered> {
  return (entering ??= exchange());
}

async function exchange(): Promise<Entered> {
  if (untried === null) return 'none';
  const answer = await fetch('/simulator/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code: untried }),
  }).catch(() => null);
  if (answer === null) {
    entering = null;
    return 'none';
  }
  untried = null;
  if (answer.ok) return 'in';
  return answer.status === 429 ? 'later' : 'refused';
}
