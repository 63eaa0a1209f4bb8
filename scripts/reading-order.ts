// Where the browser draws codes and addresses inside Arabic text; used by tests of pages.

import type { Page } from 'playwright-core';

/**
 * Each run of printable ASCII with a Latin letter whose characters the browser did not draw from
 * left to right, and each code of which a line has only a single character.
 */
export async function misplacedCodes(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(${findMisplaced.toString()})()`);
}

/** Runs in the page. */
function findMisplaced(): string[] {
  const code = /[!-~]*[A-Za-z][!-~]*(?: [!-~]*[A-Za-z][!-~]*)*/g;
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found: string[] = [];
  while (texts.nextNode() !== null) {
    const text = texts.currentNode;
    if (!(text instanceof Text)) continue;
    for (const { 0: written, index } of text.data.matchAll(code)) {
      // A bracket or full stop may belong to the sentence around the code.
      const from = index + (written.startsWith('(') ? 1 : 0);
      const end = /(?:(?<!\.)\.|[):;,])+$/.exec(written)?.[0] ?? '';
      const until = index + written.length - end.length;
      const range = document.createRange();
      const lines = new Map<number, number[]>();
      for (let at = from; at < until; at += 1) {
        range.setStart(text, at);
        range.setEnd(text, at + 1);
        const box = range.getBoundingClientRect();
        if (box.width > 0) lines.set(box.top, [...(lines.get(box.top) ?? []), box.left]);
      }
      const inOrder = [...lines.values()].every((line) =>
        line.every((left, sign) => sign === 0 || left >= (line[sign - 1] ?? 0)),
      );
      const lone = lines.size > 1 && [...lines.values()].some((line) => line.length === 1);
      if (!inOrder || (lone && text.parentElement?.closest('.facts code'))) found.push(written);
    }
  }
  return found;
}
