import type { Mistake } from '../support/planted-bug.ts';

const FIND_ATTEMPT = 'service/src/attempt/read-attempt.flow.ts';

/**
 * A comparison of secrets that stops at the first difference is not visible in an answer, only in
 * its time. Each pause stands for the work of such a comparison.
 */
export const EARLY_EXIT: Mistake = {
  name: 'a secret compared up to its first difference',
  edits: [
    {
      file: FIND_ATTEMPT,
      from: `  const found = await store.findProvenAttempt(parseAttemptId(attemptId) ?? NO_ATTEMPT_ID, digest);
  const proven = provesAttempt(found?.attempt ?? null, digest);
`,
      to: `  const found = await store.findAttempt(parseAttemptId(attemptId) ?? NO_ATTEMPT_ID);
  const proven = isSame(found?.attempt.tokenDigest ?? '', digest);
`,
    },
    {
      file: FIND_ATTEMPT,
      from: '/** For operations that need no credential by the interface document. @throws Refusal */',
      to: `function isSame(stored: string, presented: string): boolean {
  for (const [index, sign] of [...stored].entries()) {
    const until = performance.now() + 0.02;
    while (performance.now() < until);
    if (presented[index] !== sign) return false;
  }
  return stored.length === presented.length;
}

/** For operations that need no credential by the interface document. @throws Refusal */`,
    },
  ],
};
