import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { hasTools } from '../../../scripts/debian.mjs';
import { temporaryFolder } from '../../../service/test/support/at-end.ts';
import { KIT, promtool } from '../support/prometheus/promtool.ts';

/** The tests of the alarms (rules.test.ts) find a wrong threshold. */

const isHere = hasTools('prometheus');

function copy(): string {
  const folder = temporaryFolder('rules');
  cpSync(KIT, folder, { recursive: true });
  return folder;
}

/**
 * Only the tests in which the metric occurs stay, because all of them together take seconds.
 * @returns the file with the tests
 */
function keepTestsOf(metric: string, file: string): string {
  const { tests, ...rest } = parse(readFileSync(file, 'utf8')) as { readonly tests: unknown[] };
  const kept = tests.filter((one) => JSON.stringify(one).includes(metric));
  const text = stringify({ ...rest, tests: kept });
  writeFileSync(file, text);
  return text;
}

interface Rules {
  readonly groups: readonly { readonly rules: readonly { readonly alert?: string }[] }[];
}

/** All rules but alarms that the tests do not name: each is evaluated hundreds of times. */
function rulesFor(tests: string, rules: string): string {
  const { groups } = parse(rules) as Rules;
  const kept = groups.map((group) => ({
    ...group,
    rules: group.rules.filter(({ alert = '' }) => tests.includes(alert)),
  }));
  return stringify({ groups: kept });
}

test('a threshold that nothing reaches, or that a usual day reaches, is found', () => {
  if (!isHere) return;
  const folder = copy();
  const file = join(folder, 'alerts.yml');
  const rules = readFileSync(file, 'utf8');
  const tests = keepTestsOf('push_suppressed_total', join(folder, 'alerts.test.yml'));
  writeFileSync(file, rulesFor(tests, rules));
  expect(promtool(folder, 'test', 'rules', 'alerts.test.yml').status).toBe(0);
  for (const [from, to] of [
    ['push_suppressed_total{job="miftah"}[10m])) > 100', '> 100000'],
    ['push_suppressed_total{job="miftah"}[10m])) > 100', '> 10'],
  ] as const) {
    expect(rules).toContain(from);
    writeFileSync(file, rulesFor(tests, rules.replace(from, from.replace('> 100', to))));
    const { status, said } = promtool(folder, 'test', 'rules', 'alerts.test.yml');
    expect(status).not.toBe(0);
    expect(said).toContain('MiftahPushesHeldBack');
  }
});
