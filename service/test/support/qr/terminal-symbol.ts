import { stripVTControlCharacters } from 'node:util';
import type { Modules } from './read-symbol.ts';

/** The characters that stand for two modules, the upper and the lower one: true is dark. */
const HALVES: Readonly<Record<string, readonly [boolean, boolean]>> = {
  '█': [false, false],
  '▀': [false, true],
  '▄': [true, false],
  ' ': [true, true],
};

/** The symbol in a text of a terminal, and how many light modules are around it on each side. */
export function terminalSymbol(text: string): {
  readonly modules: Modules;
  readonly margin: number;
} {
  const lines = stripVTControlCharacters(text)
    .split('\n')
    .map((line) => line.slice(2))
    .filter((line) => /^[█▀▄ ]{21,}$/.test(line) && line.includes('█'));
  const rows = lines.flatMap((line) => {
    const halves = line.split('').map((character) => HALVES[character] ?? [false, false]);
    return [halves.map(([upper]) => upper), halves.map(([, lower]) => lower)];
  });
  const margin = rows.findIndex((row) => row.includes(true));
  const size = (rows[0]?.length ?? 0) - 2 * margin;
  const modules = rows.slice(margin, margin + size).map((row) => row.slice(margin, margin + size));
  return { modules, margin };
}
