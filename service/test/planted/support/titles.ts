import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import type { NamedTest } from './planted-bug.ts';

/** The texts of a file, of which a program makes others. */
interface Texts {
  readonly whole: ReadonlySet<string>;
  /** Of templates such as `refused: ${row}` and `%s is refused`: what is around what is put in. */
  readonly templates: readonly (readonly string[])[];
}

interface Source extends Texts {
  readonly imports: readonly string[];
}

const PUT_IN = /%[sdifjoOc#$]|\$[a-z][\w.]*/i;
/** What is no text of a test: a number, a value such as `null`, the name of an operation. */
const VALUE = /^(?:-?\d[\d._]*|true|false|null|undefined|[a-z]+(?:[A-Z][a-z]+)+)$/;
/** A value as `%j` and `%o` print it: what is in quotation marks in it was a text. */
const PRINTED = /^(?:"[^]*"|\{[^]*\}|\[[^]*\])$/;
const QUOTED = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g;

function quotedIn(text: string): string[] {
  return [...text.matchAll(QUOTED)].map(([quoted]) =>
    quoted.startsWith('"') ? String(JSON.parse(quoted)) : quoted.slice(1, -1),
  );
}

/**
 * Says whether a file may have a test of this name, without running it: each part of the name is a
 * text of the file or of test code that it imports, or is made by a template of theirs from such
 * texts. Only a run can say that it has.
 * @param root the checkout
 */
export function titlesIn(root: string): (test: NamedTest) => boolean {
  const sources = new Map<string, Source>();
  const all = new Map<string, Texts>();
  const sourceOf = (path: string) => {
    const known = sources.get(path) ?? read(root, path);
    sources.set(path, known);
    return known;
  };
  const textsOf = (file: string) => {
    const known = all.get(file) ?? together(sourceOf, file);
    all.set(file, known);
    return known;
  };
  const texts = new Map<string, string>();
  return ({ file, name }) => {
    const text = texts.get(file) ?? readFileSync(join(root, file), 'utf8');
    texts.set(file, text);
    // Most titles stand in the file as they are, and to take it apart costs a hundred times as much.
    const isPlain = (title: string) =>
      ["'", '"', '`'].some((quote) => text.includes(quote + title + quote));
    return name
      .split(' > ')
      .every(
        (title) => isPlain(title) || isMade(title, sourceOf(file)) || isMade(title, textsOf(file)),
      );
  };
}

/** A row of a table may have a template of its own, and that one a part with another. */
const MOST_DEEP = 3;

function isMade(text: string, texts: Texts, depth = 0): boolean {
  if (texts.whole.has(text) || VALUE.test(text)) return true;
  if (PRINTED.test(text)) return quotedIn(text).every((one) => texts.whole.has(one));
  if (depth === MOST_DEEP) return false;
  return texts.templates.some((pieces) =>
    (['indexOf', 'lastIndexOf'] as const).some((find) => {
      const values = valuesIn(text, pieces, find);
      const isShorter = values?.every((value) => value.length < text.length) === true;
      return isShorter && values.every((value) => isMade(value, texts, depth + 1));
    }),
  );
}

/**
 * What was put in between the pieces; null where they are not in the text.
 * @param find the place of a piece that is there several times: the first one, or the last
 */
function valuesIn(
  text: string,
  [first = '', ...others]: readonly string[],
  find: 'indexOf' | 'lastIndexOf',
): string[] | null {
  if (!text.startsWith(first)) return null;
  const values: string[] = [];
  let rest = text.slice(first.length);
  for (const [index, piece] of others.entries()) {
    const isEnd = index === others.length - 1 && piece === '';
    const at = isEnd ? rest.length : rest[find](piece);
    if (at < 1) return null;
    values.push(rest.slice(0, at));
    rest = rest.slice(at + piece.length);
  }
  return rest === '' ? values : null;
}

/** The texts of a file, and of all test code that it imports. */
function together(sourceOf: (path: string) => Source, file: string): Texts {
  const paths = new Set([file]);
  for (const path of paths) for (const other of sourceOf(path).imports) paths.add(other);
  const found = [...paths].map(sourceOf);
  return {
    whole: new Set(found.flatMap(({ whole }) => [...whole])),
    templates: found.flatMap(({ templates }) => templates),
  };
}

function read(root: string, path: string): Source {
  const text = readFileSync(join(root, path), 'utf8');
  const whole = new Set<string>();
  if (path.endsWith('.json')) {
    JSON.parse(text, (_, value: unknown) => typeof value === 'string' && whole.add(value));
    return { whole, templates: [], imports: [] };
  }
  const { program, module } = parseSync(path, text);
  const templates: (readonly string[])[] = [];
  const take = (pieces: readonly string[]) => {
    if (pieces.length === 1) whole.add(pieces.join(''));
    else if (pieces.some((piece) => piece !== '')) templates.push(pieces);
  };
  new Visitor({
    Literal({ value }) {
      if (typeof value !== 'string') return;
      whole.add(value);
      if (PUT_IN.test(value)) take(value.split(PUT_IN));
    },
    // A row of a table may be named by its key.
    Identifier: ({ name }) => void whole.add(name),
    TemplateLiteral({ quasis }) {
      take(quasis.flatMap(({ value: { cooked } }) => (cooked ?? '').split(PUT_IN)));
    },
  }).visit(program);
  const imported = module.staticImports.map(({ moduleRequest: { value } }) => value);
  const imports = imported
    .filter((name) => name.startsWith('.'))
    .map((name) => join(dirname(path), name))
    .filter((other) => /(?:\/test\/.*|\.test)\.ts$|\.json$/.test(other));
  return { whole, templates, imports };
}
