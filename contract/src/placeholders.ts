/**
 * Placeholders for an attempt in the schemas' examples. A program that sends an example, like the
 * reader at /docs, replaces them by the values of a real attempt.
 */
export const PLACEHOLDER = {
  attemptId: '01900000-0000-7000-8000-000000000000',
  phoneAttemptId: '01900000-0000-7000-8000-000000000001',
  attemptToken: 'attempt_token-of-the-last-start'.padEnd(64, '_'),
} as const;
