import { expect, it } from 'vitest';
import { resultsOf } from '../figures/results.ts';
import type { ContenderId } from '../measures/contenders.ts';
import type { LoopSample } from '../measures/open-loop.ts';
import type { Sample } from '../measures/sessions.ts';
import { sectionsOf } from './sections.ts';

const ABOUT = {
  takenAt: '2026-01-31T09:00:00.000Z',
  machine: {
    class: 'a-class',
    processor: 'A Processor',
    cores: 2,
    node: 'v26.0.0',
    kernel: '6.0.0',
    fileSystem: 'ext4',
    loadBefore: 0.1,
  },
  plan: {
    processes: 2,
    rounds: 1,
    roundSeconds: 1,
    warmUpSeconds: 1,
    openLoopSeconds: 1,
    spawns: 1,
  },
};

function sample(process: number, perSecond: number, cpuMicroseconds: number): Sample {
  return {
    process,
    perSecond,
    cpuMicroseconds,
    p50: 1,
    p99: 2,
    p999: 3,
    mainMicroseconds: null,
    generatorBusy: 0.5,
  };
}

function sectionsWith(loadBefore: number) {
  const samples = new Map<ContenderId, readonly Sample[]>([
    ['raw', [sample(0, 1000, 10), sample(1, 2000, 10)]],
    ['status', [sample(0, 400, 40), sample(1, 800, 40)]],
    ['login', [sample(0, 100, 500), sample(1, 100, 500)]],
  ]);
  const open: LoopSample = {
    kind: 'status',
    level: 0.25,
    process: 0,
    perSecond: 100,
    p50: 0.5,
    p99: 1.5,
    p999: 2.5,
  };
  const results = resultsOf(
    {
      samples,
      openLoops: [open],
      cold: { milliseconds: 600, idleMegabytes: 100 },
      kilobytesPerAttempt: 0.4,
      flushesPerCommit: null,
      generator: { ours: 1, autocannon: 1 },
    },
    { ...ABOUT, machine: { ...ABOUT.machine, loadBefore } },
  );
  return new Map(sectionsOf(results).map((section) => [section.name, section]));
}

it('says of each goal whether it is met, and of what was not measured that it was not', () => {
  const goals = sectionsWith(0.1).get('goals')?.text;
  expect(goals).toMatch(/^\| status ÷ raw node:http GET +\| +0\.40 \| .*\| +not met \|$/m);
  expect(goals).toMatch(/^\| a whole login, CPU +\| +0\.50 ms \| .*\| +met \|$/m);
  expect(goals).toMatch(/^\| cold start to first answer +\| +600 ms \| .*\| +not met \|$/m);
  expect(goals).toMatch(/^\| flushes of the disk for one commit +\| +\| .*\| not measured \|$/m);
});

it('shows how far the processes of a server lie apart', () => {
  expect(sectionsWith(0.1).get('rates')?.text).toMatch(
    /^\| raw node:http GET +\| +1500 \| .*\| +100 % \| +50 % \|$/m,
  );
});

it('counts logins by the processor time of one', () => {
  expect(sectionsWith(0.1).get('rates')?.text).toContain('a whole login, SQLite: 2000;');
});

it('names the machine, and says when other work ran on it', () => {
  expect(sectionsWith(0.1).get('machine')?.text).toBe(
    'Of 2026-01-31. A Processor, 2 cores, Node v26.0.0, kernel 6.0.0, data on ext4.',
  );
  expect(sectionsWith(3).get('machine')?.text).toContain('Other work ran on it');
});
