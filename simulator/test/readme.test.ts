import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { LOG_LEVELS, readSettings } from '../src/settings.ts';
import { makeApp } from './support/apps.ts';
import { DOCUMENTS, README, SIMULATOR, withTables } from './support/tables.ts';

const text = readFileSync(README, 'utf8');

/** A table without the spaces and dashes that the formatter adds. */
function unpadded(markdown: string): string {
  return markdown.replaceAll(/ +/g, ' ').replaceAll(/-{3,}/g, '---');
}

describe.each(DOCUMENTS)('%s', (path, names) => {
  it('has the tables and lists that the code makes (node simulator/test/support/tables.ts)', () => {
    const document = readFileSync(path, 'utf8');
    expect(unpadded(document)).toBe(unpadded(withTables(document, names)));
  });
});

describe('docs/simulator.md', () => {
  it('has an entry for each call of the control API, and for no other', async () => {
    const answer = await makeApp().app.inject('/simulator/openapi.json');
    const { paths } = answer.json<{ paths: Record<string, Record<string, unknown>> }>();
    const calls = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const served = calls.filter((call) => call.includes(' /simulator/'));
    const rows = readFileSync(SIMULATOR, 'utf8').matchAll(/^- `([A-Z]+ \/simulator\/[^`?]*)/gm);
    const named = rows.map(([, call = '']) => call).toArray();
    expect(named.filter((call) => call !== 'GET /simulator/openapi.json').toSorted()).toEqual(
      served.toSorted(),
    );
  });
});

describe('the README', () => {
  it('names every setting that is read, and no other', () => {
    const read = new Set<string>();
    const env = new Proxy<Record<string, string>>(
      {},
      {
        get(_target, name) {
          // npm's own are in small letters.
          if (/^[A-Z]/.test(String(name))) read.add(String(name));
          return name === 'NODE_ENV' ? 'production' : undefined;
        },
      },
    );
    readSettings(env);
    const table = text.slice(text.indexOf('## Settings'), text.indexOf('## Using it as a library'));
    // A secret has two names in its row.
    const cells = table.matchAll(/^\| (`[A-Z_`, ]+`)/gm).map(([, cell]) => cell ?? '');
    const named = [...cells].flatMap((cell) => cell.match(/[A-Z_]+/g) ?? []);
    expect(named.toSorted()).toEqual([...read].toSorted());
    expect(LOG_LEVELS.every((level) => table.includes(level))).toBe(true);
  });
});
