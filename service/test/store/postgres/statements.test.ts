import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { compileFor } from '../../../src/store/sql/queries/index.ts';
import { postgresDialect } from '../../../src/store/postgres/dialect.ts';
import { isSetName } from '../../../src/store/postgres/sets.ts';
import { compiledEntries, formatted, headOf } from '../../support/store/compiled-statements.ts';

const GENERATED = fileURLToPath(
  new URL('../../../src/store/postgres/statements.generated.ts', import.meta.url),
);

test('the generated statements for PostgreSQL are those of the queries', async () => {
  const single = compiledEntries(compileFor(postgresDialect({ isForSets: false })));
  const sets = compiledEntries(compileFor(postgresDialect({ isForSets: true })), isSetName);
  const source = `${headOf('service/test/store/postgres/statements.test.ts')}
import type { Statements } from '../sql/queries/index.ts';
import type { SetName, SetStatement } from './sets.ts';

export const statements: Statements = {
${single}
};

/** The forms for many changes at once. */
export const sets = {
${sets}
} as const satisfies Record<SetName, SetStatement>;
`;
  await expect(await formatted(source, GENERATED)).toMatchFileSnapshot(GENERATED);
});
