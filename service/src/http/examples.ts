/**
 * Placeholders for an attempt in the examples of the API document. The reader at /docs replaces
 * them by the attempt that it started last (`routes/origin/reader-script.ts`).
 */
export const EXAMPLE = {
  attemptId: '01900000-0000-7000-8000-000000000000',
  phoneAttemptId: '01900000-0000-7000-8000-000000000001',
  attemptToken: 'attempt_token-of-the-last-start'.padEnd(64, '_'),
} as const;
