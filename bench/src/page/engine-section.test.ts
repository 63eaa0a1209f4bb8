import { expect, it } from 'vitest';
import type { EnginesLine } from '../measures/engines.ts';
import { engineTables } from './engine-section.ts';

function line(ratio: number, kind: EnginesLine['kind'], connections = 64): EnginesLine {
  const figures = { p99: 1, cpuMicroseconds: 40, serverMicroseconds: null };
  const sqlite = { ...figures, perSecond: 100 };
  const postgres = { ...figures, perSecond: 100 * ratio, serverMicroseconds: 25 };
  return { kind, connections, sqlite, postgres, ratio };
}

it('judges what has a goal, at 64 connections', () => {
  const lines = [line(0.8, 'start'), line(0.9, 'token'), line(2, 'status', 1), line(0.1, 'login')];
  const [all, goals] = engineTables({ lines, instances: [] });
  expect(goals.rows).toEqual([
    ['start', '0.80', '≥ 0.80', 'met'],
    ['token', '0.90', '≥ 1.00', 'not met'],
  ]);
  const shown = ['start', '64', '100', '80', '0.80', '1.0', '1.0', '40', '40', '25'];
  expect(all.rows[0]).toEqual(shown);
});

it('shows how the rate of two instances compares with that of one', () => {
  const instances = [{ kind: 'login', one: 100, two: 150, ratio: 1.5 }] as const;
  const [, , shown] = engineTables({ lines: [], instances });
  expect(shown.rows).toEqual([['a whole login', '100', '150', '1.50']]);
});
