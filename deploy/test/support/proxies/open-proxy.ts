import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  globSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import process from 'node:process';
import { findTool } from '../../../../scripts/debian.mjs';
import { temporaryFolder, type AtEnd } from '../../../../service/test/support/at-end.ts';
import { serviceFolder } from '../../../../service/test/support/canaries/run-folder.ts';
import { certify } from '../../../../service/test/support/certificate.ts';
import { findFreePort } from '../../../../service/test/support/programs/service-process.ts';
import { until } from '../../../../service/test/support/programs/until.ts';
import { HOST, type ProxyKind } from './kinds.ts';

/** A proxy of Debian with the configuration of the kit. */
export interface Proxy {
  readonly kind: ProxyKind;
  readonly httpPort: number;
  readonly httpsPort: number;
  /** The certificate, which clients have to trust. */
  readonly certificate: string;
  /** All that it has written: logs, messages. */
  logs(): string;
}

/** @param instances ports of this machine */
export async function openProxy(
  kind: ProxyKind,
  instances: readonly number[],
  atEnd: AtEnd,
): Promise<Proxy> {
  const folder = temporaryFolder(`proxy-${kind.program}`, atEnd);
  // The workers of nginx are of another user.
  chmodSync(folder, 0o755);
  const certificate = writeCertificates(folder);
  const [httpPort, httpsPort] = [await findFreePort(), await findFreePort()];
  const configFile = join(folder, 'configuration');
  writeFileSync(configFile, kind.render({ folder, httpPort, httpsPort, instances }));
  mkdirSync(join(folder, 'home'));
  const logs = () => logsIn(folder);
  const child = start(kind, configFile, folder);
  const gone = once(child, 'exit');
  atEnd(async () => {
    child.kill('SIGTERM');
    await gone;
    running.delete(child);
    // The end of the run searches it for every secret that the tests met.
    writeFileSync(join(serviceFolder(`proxy-${kind.program}`), 'all.log'), logs());
  });
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`${kind.name} did not start:\n${logs()}`);
    return (await accepts(httpsPort)) && (await accepts(httpPort));
  });
  return { kind, httpPort, httpsPort, certificate, logs };
}

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGTERM');
});

function start(kind: ProxyKind, configFile: string, folder: string): ChildProcess {
  const program = findTool(kind.program);
  if (program === undefined) throw new Error(`${kind.program} is not on this machine`);
  const files = ['stdout', 'stderr'].map((name) => openSync(join(folder, `${name}.log`), 'a'));
  const child = spawn(program, kind.args(configFile), {
    env: { PATH: process.env['PATH'] ?? '', HOME: join(folder, 'home') },
    stdio: ['ignore', ...files],
  });
  for (const file of files) closeSync(file);
  running.add(child);
  return child;
}

function writeCertificates(folder: string): string {
  const { certificateFile, keyFile } = certify(folder, 'made', HOST);
  const [certificate, key] = [readFileSync(certificateFile, 'utf8'), readFileSync(keyFile, 'utf8')];
  writeFileSync(join(folder, 'certificate.pem'), certificate);
  writeFileSync(join(folder, 'certificate.key'), key, { mode: 0o600 });
  writeFileSync(join(folder, 'certificate-and-key.pem'), certificate + key, { mode: 0o600 });
  return certificate;
}

function logsIn(folder: string): string {
  const files = globSync('*.log', { cwd: folder });
  return files.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n');
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', () => resolve(false));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}
