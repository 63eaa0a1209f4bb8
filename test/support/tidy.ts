// The rules of STYLE.md that a program can check.

import type { Finding } from './finding.ts';
import { ARABIC_RULES } from './tidy/arabic.ts';
import { FUNCTION_RULES } from './tidy/functions.ts';
import { TEST_RULES } from './tidy/tests.ts';
import { TEXT_RULES } from './tidy/text.ts';
import type { TidyRule } from './tidy/rule.ts';
import { WORD_RULES } from './tidy/words.ts';
import type { SourceFile } from './tree.ts';

const RULES: readonly TidyRule[] = [
  ...TEXT_RULES,
  ...WORD_RULES,
  ...ARABIC_RULES,
  ...FUNCTION_RULES,
  ...TEST_RULES,
];

export const TIDY_RULES: readonly string[] = RULES.map((rule) => rule.name);

export function checkTidy(files: readonly SourceFile[]): Finding[] {
  return files.flatMap((file) => RULES.flatMap((rule) => applyRule(rule, file)));
}

function applyRule({ name, covers, find }: TidyRule, file: SourceFile): Finding[] {
  if (!covers(file.path)) return [];
  const found = find(file).map((place) => ({ rule: name, path: file.path, ...place }));
  // A renamed import is found twice in one line, by its original and by its local name.
  return [...new Map(found.map((one) => [`${one.line} ${one.message}`, one])).values()];
}
