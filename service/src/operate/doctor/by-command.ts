import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import process from 'node:process';
import { environmentFor, type Loaded } from '../../config/config.ts';
import { memberOf } from '../../values/member.ts';
import { MINUTE_MS } from '../../values/time.ts';
import type { Finding } from './finding.ts';
import { usableSettings } from './settings-files.ts';

type Asked = Pick<Loaded, 'given' | 'config' | 'sources'>;

const LIMITS = { timeout: 2 * MINUTE_MS, maxBuffer: 1024 * 1024 };

/**
 * The doctor in a process of its own. In that of the service it would hold up requests while it reads
 * the audit log, and would release the locks of a file of SQLite when it closes it.
 * @param started the file that this process was started with
 * @returns null where the program with the commands is not beside that file
 */
export function doctorByCommand(
  loaded: Asked,
  started = process.argv[1] ?? '',
): (() => Promise<readonly Finding[]>) | null {
  const program = commandsBeside(started);
  if (program === null) return null;
  let running: Promise<readonly Finding[]> | null = null;
  // However many ask at the same time, it looks once.
  return () =>
    (running ??= look(program, environmentFor(loaded))
      .then((findings) => findings.map((finding) => withOrigins(finding, loaded)))
      .finally(() => {
        running = null;
      }));
}

/** It gets all settings by its environment, and the service knows where they are from. */
function withOrigins(finding: Finding, loaded: Asked): Finding {
  const { check, severity } = finding;
  return check === 'settings' && severity === 'ok' ? usableSettings(loaded) : finding;
}

function commandsBeside(started: string): string | null {
  const beside = join(dirname(started), 'miftah.mjs');
  if (existsSync(beside)) return beside;
  return /^miftah(?:\.mjs)?$/.test(basename(started)) ? started : null;
}

function look(program: string, env: NodeJS.ProcessEnv): Promise<readonly Finding[]> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [program, 'doctor', '--json'], { ...LIMITS, env }, (error, out) => {
      const findings = out.split('\n').flatMap((line) => findingIn(line));
      // Faults that it has found are an exit code too.
      if (findings.length > 0) resolve(findings);
      else reject(error ?? new Error('the doctor has said nothing'));
    });
  });
}

function findingIn(line: string): Finding[] {
  if (!line.startsWith('{')) return [];
  const value: unknown = JSON.parse(line);
  const [check, severity, what, remedy] = (['check', 'severity', 'what', 'remedy'] as const).map(
    (name) => memberOf(value, name),
  );
  if (typeof check !== 'string' || typeof what !== 'string') return [];
  if (severity !== 'ok' && severity !== 'warning' && severity !== 'fault') return [];
  return [{ check, severity, what, remedy: typeof remedy === 'string' ? remedy : null }];
}
