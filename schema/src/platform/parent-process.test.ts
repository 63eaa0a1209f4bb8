import process from 'node:process';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { endWithNpm } from './parent-process.ts';

const SECOND_MS = 1000;

/** Whether SIGTERM comes when the parent of a program that npm has started so is gone. */
function endsWithNpm(script: string | undefined): boolean {
  vi.useFakeTimers();
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
  const parent = vi.spyOn(process, 'ppid', 'get').mockReturnValue(4711);
  endWithNpm(script);
  vi.advanceTimersByTime(SECOND_MS);
  expect(kill).not.toHaveBeenCalled();
  parent.mockReturnValue(1);
  vi.advanceTimersByTime(SECOND_MS);
  return kill.mock.calls.some(([pid, signal]) => pid === process.pid && signal === 'SIGTERM');
}

describe('a program ends with npm', () => {
  afterEach(() => void vi.useRealTimers());

  it.each([
    "'miftah'",
    '"miftah"',
    'miftah start',
    'miftah start --port 3001',
    'miftah-simulator',
    '"miftah-simulator"',
  ])('that runs it by %s', (script) => {
    expect(endsWithNpm(script)).toBe(true);
  });

  it.each([
    undefined,
    '',
    'nohup miftah start &',
    'miftah start &',
    'miftah-other',
    'node start-all.mjs',
  ])('and not where the script is %s', (script) => {
    expect(endsWithNpm(script)).toBe(false);
  });
});
