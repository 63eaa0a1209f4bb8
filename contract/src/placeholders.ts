/**
 * Placeholders for an attempt in the examples of the schemas. A program that sends an example, as the
 * reader at /docs does, replaces them by an attempt of its own.
 */
export const PLACEHOLDER = {
  attemptId: '01900000-0000-7000-8000-000000000000',
  phoneAttemptId: '01900000-0000-7000-8000-000000000001',
  attemptToken: 'attempt_token-of-the-last-start'.padEnd(64, '_'),
} as const;
