import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hasTools } from '../../../scripts/debian.mjs';
import { KIT, promtool } from '../support/prometheus/promtool.ts';

/** The rules of deploy/prometheus, as `promtool` sees them; at length thresholds.test.ts changes some. */

const isHere = hasTools('prometheus');

describe('deploy/prometheus', () => {
  test('the configuration and its rules are valid', () => {
    if (!isHere) return;
    const { status, said } = promtool(KIT, 'check', 'config', 'prometheus.yml');
    expect(said).toContain('1 rule files found');
    expect(status).toBe(0);
    expect(promtool(KIT, 'check', 'rules', '--lint-fatal', 'alerts.yml').status).toBe(0);
  });

  test('each alarm is raised and is quiet as its tests say', () => {
    if (!isHere) return;
    const files = globSync('alerts*.test.yml', { cwd: KIT });
    const { status, said } = promtool(KIT, 'test', 'rules', ...files);
    expect(said.match(/SUCCESS/g)).toHaveLength(2);
    expect(status).toBe(0);
    const rules = readFileSync(join(KIT, 'alerts.yml'), 'utf8');
    const tests = files.map((file) => readFileSync(join(KIT, file), 'utf8')).join('');
    const names = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => `alertname="${name}"`);
    expect(names.filter((name) => !tests.includes(name))).toEqual([]);
  });
});
