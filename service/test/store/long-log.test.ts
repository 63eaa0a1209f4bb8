import { expect, test } from 'vitest';
import { createMemoryStore } from '../../src/store/index.ts';
import { openTestService } from '../support/service/test-service.ts';

test('a log that grows is a warning of the service, with its size', async () => {
  const { logLines } = await openTestService({
    parts: {
      openStore: async ({ onLongLog }) => {
        onLongLog?.(70_000_000);
        return createMemoryStore();
      },
    },
  });
  const lines = logLines.filter((line) => line.includes('the write-ahead log grows'));
  expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
    { level: 40, bytes: 70_000_000 },
  ]);
});
