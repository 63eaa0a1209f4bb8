import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { compileFor } from '../../src/store/sql/queries/index.ts';
import { sqliteDialect } from '../../src/store/sqlite/dialect.ts';
import { compiledEntries, formatted, headOf } from '../support/store/compiled-statements.ts';

const GENERATED = fileURLToPath(
  new URL('../../src/store/sqlite/statements.generated.ts', import.meta.url),
);

test('the generated statements for SQLite are those of the queries', async () => {
  const source = `${headOf('service/test/store/statements.test.ts')}
import type { Statements } from '../sql/queries/index.ts';

export const statements: Statements = {
${compiledEntries(compileFor(sqliteDialect()))}
};
`;
  await expect(await formatted(source, GENERATED)).toMatchFileSnapshot(GENERATED);
});
