import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findTool, hasTools } from '../../../scripts/debian.mjs';
import { root } from '../../../scripts/run.mjs';
import { findFreePort } from '../../../service/test/support/programs/service-process.ts';
import { until } from '../../../service/test/support/programs/until.ts';
import { temporaryFolder } from '../../../service/test/support/at-end.ts';
import { certify, type Certified } from '../../../service/test/support/certificate.ts';

/** deploy/rsyslog: the file of miftah-audit.service reaches a syslog server as the page says. */

const run = promisify(execFile);
const SERVER = 'logs.example.com';
const kit = (name: string) => readFileSync(join(root, 'deploy/rsyslog', name), 'utf8');

/** Two rows: a name of an application is the text of somebody else. */
const ROWS = ['{"@timestamp":"2026-01-31T12:00:00.000Z","a":1}', '{"client":"متجر \\"x\\" %msg%"}'];
const row = (count: number) => `{"event":{"sequence":${count}}}`;

/** A syslog server (RFC 5425). @returns the messages that it has received, whole frames only */
async function syslogServer({ certificateFile, keyFile }: Certified, port: number) {
  const [cert, key] = [readFileSync(certificateFile), readFileSync(keyFile)];
  let bytes = Buffer.alloc(0);
  const sockets = new Set<{ destroy(): void }>();
  const server = createServer({ cert, key }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (part) => (bytes = Buffer.concat([bytes, Buffer.from(part)])));
  });
  let connections = 0;
  server.on('connection', () => (connections += 1));
  server.on('tlsClientError', () => undefined);
  await once(server.listen(port, '127.0.0.1'), 'listening');
  const close = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  onTestFinished(close);
  return { messages: () => messagesIn(bytes), connections: () => connections, close };
}

function messagesIn(bytes: Buffer): string[] {
  const found: string[] = [];
  for (let at = 0; ;) {
    const space = bytes.indexOf(' ', at);
    const end = space + 1 + Number(bytes.subarray(at, space).toString());
    if (space < 0 || end > bytes.length) return found;
    found.push(bytes.subarray(space + 1, end).toString());
    at = end;
  }
}

interface Place {
  readonly folder: string;
  readonly file: string;
  readonly port: number;
  readonly authority: Certified;
}

async function place(): Promise<Place> {
  const folder = temporaryFolder('syslog');
  mkdirSync(join(folder, 'work'));
  const authority = certify(folder, 'authority', 'authority.example.com');
  return { folder, file: join(folder, 'audit.jsonl'), port: await findFreePort(), authority };
}

/** The configuration of the kit, with the places of the test. */
function startRsyslog({ folder, file, port, authority }: Place) {
  const given = kit('miftah-audit.conf')
    .replace(`target="${SERVER}"`, 'target="127.0.0.1"')
    .replace('port="6514"', `port="${port}"`)
    .replace('/etc/ssl/certs/ca-certificates.crt', authority.certificateFile)
    .replace('/var/lib/miftah-audit/audit.jsonl', file)
    // Half a minute by default.
    .replace(
      'action.resumeRetryCount="-1"',
      'action.resumeRetryCount="-1" action.resumeInterval="1"',
    );
  const settings = join(folder, 'rsyslog.conf');
  writeFileSync(settings, `global(workDirectory="${join(folder, 'work')}")\n${given}`);
  const args = ['-n', '-f', settings, '-i', join(folder, 'pid')];
  const child = spawn(findTool('rsyslogd') ?? '', args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const output of [child.stdout, child.stderr]) {
    output.on('data', (part) => (said += String(part)));
  }
  const exit = once(child, 'exit');
  const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
    child.kill(signal);
    await exit;
  };
  // By SIGTERM it would first try to send what waits.
  onTestFinished(() => end('SIGKILL'));
  return { said: () => said, stop: () => end('SIGTERM') };
}

const isPossible = hasTools('syslog');

describe('the configuration of rsyslog', () => {
  it('sends each row as one message of RFC 5424, as it was written', async () => {
    if (!isPossible) return;
    const at = await place();
    const server = certify(at.folder, 'server', SERVER, { issuer: at.authority });
    const { messages } = await syslogServer(server, at.port);
    // An empty line is before the first row of each start of the unit.
    writeFileSync(at.file, `${ROWS.join('\n\n')}\n`);
    const { said } = startRsyslog(at);
    await until(() => messages().length === ROWS.length);
    const form = /^<86>1 \d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d) \S+ miftah-audit - - - (.*)$/;
    expect(messages().map((message) => form.exec(message)?.[1])).toEqual(ROWS);
    expect(said()).toBe('');
  });

  it('sends what was written while the server was away, after a restart of its own too', async () => {
    if (!isPossible) return;
    const at = await place();
    const server = certify(at.folder, 'server', SERVER, { issuer: at.authority });
    const first = await syslogServer(server, at.port);
    const running = startRsyslog(at);
    appendFileSync(at.file, `${row(1)}\n`);
    await until(() => first.messages().length === 1);
    first.close();
    await running.stop();
    appendFileSync(at.file, `${row(2)}\n`);
    startRsyslog(at);
    appendFileSync(at.file, `${row(3)}\n`);
    const second = await syslogServer(server, at.port);
    await until(() => second.messages().length >= 2);
    expect(second.messages().map((message) => message.slice(-row(2).length))).toEqual([
      row(2),
      row(3),
    ]);
  });

  it.each([
    ['of another name', 'other.example.com', true],
    ['of another authority', SERVER, false],
  ])('sends nothing to a server with a certificate %s', async (_, name, isIssued) => {
    if (!isPossible) return;
    const at = await place();
    const issuer = isIssued ? at.authority : null;
    const server = certify(at.folder, 'server', name, { issuer });
    const { messages, connections } = await syslogServer(server, at.port);
    writeFileSync(at.file, `${row(1)}\n`);
    startRsyslog(at);
    // It tries again.
    await until(() => connections() > 1);
    expect(messages()).toEqual([]);
  });

  it('loses no row over a rotation', async () => {
    if (!isPossible) return;
    const at = await place();
    const server = certify(at.folder, 'server', SERVER, { issuer: at.authority });
    const { messages } = await syslogServer(server, at.port);
    writeFileSync(at.file, `${row(1)}\n`);
    startRsyslog(at);
    await until(() => messages().length === 1);
    appendFileSync(at.file, `${row(2)}\n`);
    const settings = join(at.folder, 'logrotate.conf');
    // There is no unit here to be restarted.
    const rotation = kit('miftah-audit.logrotate').replace(/systemctl .*$/m, 'true');
    writeFileSync(settings, rotation.replace('/var/lib/miftah-audit/audit.jsonl', at.file));
    const state = join(at.folder, 'logrotate.state');
    await run(findTool('logrotate') ?? '', ['--force', '--state', state, settings]);
    expect(existsSync(`${at.file}.1`)).toBe(true);
    writeFileSync(at.file, `${row(3)}\n`);
    await until(() => messages().length === 3);
    expect(messages().map((message) => message.slice(-row(1).length))).toEqual([
      row(1),
      row(2),
      row(3),
    ]);
  });
});
