import { format, resolveConfig } from 'prettier';

const SQL_COLUMNS = 96;

interface Compiled {
  readonly parameters: readonly string[];
  readonly sql: string;
}

export function headOf(writer: string): string {
  return `// Compiled from store/sql/queries/ by ${writer}.
// Change the queries, not this.`;
}

/** The statements as the members of an object in a source file. */
export function compiledEntries(
  compiled: Readonly<Record<string, Compiled>>,
  isWanted: (name: string) => boolean = () => true,
): string {
  return Object.entries(compiled)
    .filter(([name]) => isWanted(name))
    .map(
      ([name, { parameters, sql }]) =>
        `${name}: { name: '${name}', parameters: ${JSON.stringify(parameters)}, sql: \`${wrap(sql)}\` },`,
    )
    .join('\n');
}

export async function formatted(source: string, file: string): Promise<string> {
  return format(source, { ...(await resolveConfig(file)), filepath: file });
}

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
