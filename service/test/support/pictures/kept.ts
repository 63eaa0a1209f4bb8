/** Which pictures stay as they are, because nothing on their page has changed but times and ids. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

const FILE = join(import.meta.dirname, 'pages.json');

/** The digests of the pages that pictures were made of, by the names of their files. */
export class KeptPictures {
  readonly #folder: string;
  readonly #before: Readonly<Record<string, string>>;
  readonly #now: Record<string, string>;

  /** @param isWhole whether every picture is looked at, so that what is not named has gone */
  constructor(folder: string, isWhole: boolean) {
    this.#folder = folder;
    this.#before = existsSync(FILE)
      ? (JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, string>)
      : {};
    this.#now = isWhole ? {} : { ...this.#before };
  }

  /** Whether the picture of this name is still one of the page. */
  isOf(name: string, digest: string): boolean {
    this.#now[name] = digest;
    return this.#before[name] === digest && existsSync(join(this.#folder, name));
  }

  write(): void {
    const names = Object.keys(this.#now).toSorted();
    const all = Object.fromEntries(names.map((name) => [name, this.#now[name]]));
    writeFileSync(FILE, `${JSON.stringify(all, null, 2)}\n`);
  }
}

/** All that a page is made of: its elements, and the rules of its style. */
const CONTENT = `[
  document.documentElement.outerHTML,
  ...[...document.styleSheets].flatMap((sheet) => [...sheet.cssRules].map((rule) => rule.cssText)),
].join('\\n')`;

/** Ids, codes and tokens, and then numbers: times, ports, numbers to match. */
const PASSING = [
  // Long ids may be broken in these places.
  [/<wbr>/g, ''],
  [/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'id'],
  [/\b(?=[\w-]*\d)[\w-]{16,}\b/g, 'code'],
  [/[\d٠-٩]+/g, '0'],
] as const;

export async function digestOf(page: Page, window: unknown): Promise<string> {
  const content = String(await page.evaluate(CONTENT));
  const lasting = PASSING.reduce(
    (text, [form, instead]) => text.replaceAll(form, instead),
    content,
  );
  return createHash('sha256')
    .update(`${JSON.stringify(window)}\n${lasting}`)
    .digest('hex');
}
