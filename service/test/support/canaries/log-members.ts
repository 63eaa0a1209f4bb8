import { readFileSync } from 'node:fs';

const DOCUMENT = new URL('../../../../docs/operations.md', import.meta.url);

let documented: ReadonlySet<string> | null = null;

/** The members of a line of the log that docs/operations.md does not have; none for other lines. */
export function undocumentedIn(line: string): readonly string[] {
  const members = membersOf(line);
  documented ??= readDocumented();
  return members.filter((name) => documented?.has(name) === false);
}

function membersOf(line: string): readonly string[] {
  try {
    const names = Object.keys(JSON.parse(line) as object);
    return names.includes('level') && names.includes('hostname') ? names : [];
  } catch {
    // A line that a killed process did not finish.
    return [];
  }
}

function readDocumented(): ReadonlySet<string> {
  const [, section = ''] = readFileSync(DOCUMENT, 'utf8').split('\n## Members\n');
  const [list = ''] = section.split('\n## ');
  const members = list.matchAll(/`(\w+)` \((?:number|string|array|object)\)/g);
  return new Set([...members].map(([, name = '']) => name));
}
