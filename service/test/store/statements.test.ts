import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { expect, test } from 'vitest';
import { compileFor } from '../../src/store/sql/queries/index.ts';
import { sqliteDialect } from '../../src/store/sqlite/dialect.ts';

const GENERATED = fileURLToPath(
  new URL('../../src/store/sqlite/statements.generated.ts', import.meta.url),
);
const SQL_COLUMNS = 96;

const HEAD = `// Compiled from store/sql/queries/ by service/test/store/statements.test.ts.
// Change the queries, not this.
import type { Statements } from '../sql/queries/index.ts';
`;

test('the generated statements are those of the queries', async () => {
  const entries = Object.entries(compileFor(sqliteDialect())).map(
    ([name, { parameters, sql }]) =>
      `${name}: { name: '${name}', parameters: ${JSON.stringify(parameters)}, sql: \`${wrap(sql)}\` }`,
  );
  const source = `${HEAD}\nexport const statements: Statements = {\n${entries.join(',\n')}\n};\n`;
  const formatted = await format(source, {
    ...(await resolveConfig(GENERATED)),
    filepath: GENERATED,
  });
  await expect(formatted).toMatchFileSnapshot(GENERATED);
});

/** Breaks lines between words, which SQL permits: no statement has quoted text with spaces. */
function wrap(sql: string): string {
  const lines = [''];
  for (const word of sql.trim().split(/\s+/)) {
    const line = `${lines.at(-1)} ${word}`.trimStart();
    if (line.length <= SQL_COLUMNS) lines[lines.length - 1] = line;
    else lines.push(word);
  }
  return lines.join('\n');
}
