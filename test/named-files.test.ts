import { expect, it } from 'vitest';
import { isCode, readTree, type SourceFile } from './support/tree.ts';

/** Comments and documents name files of the sources: a name that nobody finds leads nowhere. */

const tree = readTree();

/** The changelog is history, and the planted bugs name what they replace. */
const NOT_READ = /^(?:CHANGELOG\.md|service\/test\/planted\/bugs\/)/;

/** In backticks with folders or without, or bare with folders. */
const NAMED = /`((?:[\w.-]+\/)*[\w.-]+\.tsx?)`|(?<![\w/.`-])((?:[\w-]+\/)+[\w.-]+\.tsx?)\b/g;

/** Named from the root, or from any folder. */
const there = new Set(
  tree.flatMap(({ path }) => {
    const parts = path.split('/');
    return parts.map((_, from) => parts.slice(from).join('/'));
  }),
);

function proseOf(file: SourceFile): string {
  if (!isCode(file)) return file.text;
  const comments = file.text.match(/^\s*(?:\/\/|\/?\*).*$/gm) ?? [];
  return comments.join('\n');
}

function missingIn(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap((file) => {
    const named = [...proseOf(file).matchAll(NAMED)].map(
      ([, marked, bare]) => marked ?? bare ?? '',
    );
    return named.filter((name) => !there.has(name)).map((name) => `${file.path}: ${name}`);
  });
}

it('a file that a comment or a document names is there', () => {
  const read = tree.filter((file) => isCode(file) || file.path.endsWith('.md'));
  expect(missingIn(read.filter(({ path }) => !NOT_READ.test(path)))).toEqual([]);
});

it('a file that is not there is found', () => {
  const code = '/** As `gone.ts` says, and test/gone.ts. */\nimport "./other-gone.ts";\n';
  const page = 'Read `test/house.test.ts`, then `tidy/gone.ts`.\n';
  const files = [
    { path: 'a.ts', text: code },
    { path: 'a.md', text: page },
  ];
  expect(missingIn(files)).toEqual(['a.ts: gone.ts', 'a.ts: test/gone.ts', 'a.md: tidy/gone.ts']);
});
