import { expect, it } from 'vitest';
import { readDocument } from './documents.ts';

const PACKAGES = 'service/test/openid/clients/package.json';
const document = readDocument('docs/auth-libraries.md');
const [, ...sections] = document.split('\n## ');

it.each(sections.map((section) => [section.split('\n')[0], section]))(
  'docs/auth-libraries.md has under %s the lines of its example',
  (_, section = '') => {
    const [, path = ''] = /\]\(\.\.\/(examples\/[\w./-]+)\)/.exec(section) ?? [];
    const example = readDocument(path);
    const blocks = [...section.matchAll(/```jsx?\n([^]*?)```/g)];
    const lines = blocks.flatMap(([, code = '']) => code.trim().split('\n'));
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.length).toBeLessThanOrEqual(3);
    for (const line of lines) expect(example).toContain(line.trim());
  },
);

it('docs/auth-libraries.md names the versions that are tried', () => {
  const { dependencies } = JSON.parse(readDocument(PACKAGES)) as {
    dependencies: Record<string, string>;
  };
  const tried = ['@auth/express', 'better-auth', 'passport', 'react', 'vue'].map(
    (name) => dependencies[name] ?? 'none',
  );
  for (const version of tried) expect(document).toContain(version);
});
