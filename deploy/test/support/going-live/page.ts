import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../../scripts/run.mjs';

/** The commands of one block of a page. */
export interface Block {
  /** `keeps-running`: it goes on beside the next ones. `booted`: it needs a machine with systemd. */
  readonly kind: 'run' | 'keeps-running' | 'booted';
  readonly script: string;
  /** What it has to print, in this order; `…` stands for anything. */
  readonly prints: readonly string[];
  /** The heading that it is under. */
  readonly heading: string;
}

/** Each block of commands, with the block of text right below it. */
const BLOCKS =
  /^## (?<heading>.+)$|^```sh(?: (?<kind>[\w-]+))?\n(?<script>[^]*?)^```$(?:\s*^```text\n(?<text>[^]*?)^```$)?/gm;

/** Places of a page and what they are in a test, by name. */
export type Substitutions = readonly (readonly [there: string, here: string])[];

export function substituted(text: string, substitutions: Substitutions): string {
  return substitutions.reduce((all, [there, here]) => all.replaceAll(there, here), text);
}

/** The blocks of a document, in their order. @throws Error for a mark that no test knows */
export function blocksOf(document: string): readonly Block[] {
  const blocks: Block[] = [];
  let heading = '';
  for (const { groups = {} } of readFileSync(join(root, document), 'utf8').matchAll(BLOCKS)) {
    const { kind = 'run', script, text = '' } = groups;
    if (groups['heading'] !== undefined) heading = groups['heading'];
    if (script === undefined) continue;
    if (kind !== 'run' && kind !== 'keeps-running' && kind !== 'booted') {
      throw new Error(`${document} has a block with the mark "${kind}", which no test knows`);
    }
    blocks.push({ kind, script, prints: text.split('\n').filter((line) => line !== ''), heading });
  }
  return blocks;
}

/** The first line that is not printed, or not in its place; null when all are there. */
export function notPrinted(lines: readonly string[], output: string): string | null {
  const printed = output.split('\n');
  let from = 0;
  for (const line of lines) {
    const parts = line.split('…').map((part) => RegExp.escape(part));
    const found = printed.findIndex(
      (one, index) => index >= from && new RegExp(`^${parts.join('.*')}$`).test(one.trimEnd()),
    );
    if (found < 0) return line;
    from = found + 1;
  }
  return null;
}
