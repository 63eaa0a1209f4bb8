import { mapProse } from './markdown.ts';
import type { Language } from './page.ts';

const LABEL: Readonly<Record<Language, string>> = { ar: 'جدول', en: 'Table' };

/**
 * Puts a box around each table, which scrolls where the table is wider than the screen. It can be
 * reached by the keyboard, as everything that scrolls has to be.
 */
export function boxTables(text: string, language: Language): string {
  const open = `<div class="table-box" tabindex="0" role="group" aria-label="${LABEL[language]}">`;
  return mapProse(text, (prose) =>
    prose.replaceAll(
      /(?<=^|\n\n)(?:\|[^\n]*(?:\n|$))+/g,
      (table) => `${open}\n\n${table.trimEnd()}\n\n</div>\n`,
    ),
  );
}
