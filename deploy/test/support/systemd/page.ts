import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../../scripts/run.mjs';

/** The commands of a page of docs/ below a heading, one text for each block. */
export function commandsOf(heading: string, name = 'systemd.md'): string[] {
  const page = readFileSync(join(root, 'docs', name), 'utf8');
  const section = page.split(/^## /m).find((part) => part.startsWith(`${heading}\n`));
  if (section === undefined) throw new Error(`docs/${name} has no section ${heading}`);
  return [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, commands = '']) => commands);
}

/** All blocks of the page, for a test that none was left out. */
export function headingsWithCommands(): string[] {
  const page = readFileSync(join(root, 'docs', 'systemd.md'), 'utf8');
  const sections = page.split(/^## /m).map((part) => part.split('\n')[0] ?? '');
  return sections.slice(1).filter((heading) => commandsOf(heading).length > 0);
}
