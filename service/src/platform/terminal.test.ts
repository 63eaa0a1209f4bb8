import { describe, expect, it } from 'vitest';
import { watchTerminal } from './terminal.ts';

describe('a terminal', () => {
  it('was closed when one of the standard streams is no terminal any more', () => {
    const terminals = new Set([0, 1, 2]);
    const isClosed = watchTerminal((descriptor) => terminals.has(descriptor));
    expect(isClosed()).toBe(false);
    terminals.delete(1);
    expect(isClosed()).toBe(true);
  });

  it('that there never was is not closed', () => {
    expect(watchTerminal(() => false)()).toBe(false);
  });
});
