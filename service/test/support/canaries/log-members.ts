import { readFileSync } from 'node:fs';

const DOCUMENT = new URL('../../../../docs/logs.md', import.meta.url);

let documented: ReadonlySet<string> | null = null;

/** The members of a line of the log that docs/logs.md does not have; none for other lines. */
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
  const [table = ''] = section.split('\n## ');
  return new Set([...table.matchAll(/^\| `(\w+)`/gm)].map(([, name = '']) => name));
}
