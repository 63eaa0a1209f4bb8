import { statements } from '../statements.generated.ts';

interface Compiled {
  readonly parameters: readonly string[];
  readonly sql: string;
}

const BY_NAME: Readonly<Record<string, Compiled>> = statements;

/** The statement for one change or look-up. @throws Error for a name that no statement has */
export function statementNamed(name: string): Compiled {
  const statement = BY_NAME[name];
  if (statement === undefined) throw new Error(`there is no statement ${name}`);
  return statement;
}
