import { closeSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { writeWhole } from './durable-file.ts';

it('an error of a write names the file, which the system does not do for an open one', () => {
  // It can't be written by this descriptor, as a file on a full disk can't.
  const file = openSync(fileURLToPath(import.meta.url), 'r');
  try {
    expect(() => writeWhole(file, '/data/secret.key', 'x')).toThrow(
      expect.objectContaining({ code: 'EBADF', path: '/data/secret.key' }),
    );
  } finally {
    closeSync(file);
  }
});
